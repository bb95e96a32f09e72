"""Which draft of a size is taken: drafts are made without side effects, and judged one by one."""

from dataclasses import replace

from privet.files import table_of
from privet.preserve.drafts import Draft, Drafts
from privet.preserve.judging import Judge
from privet.preserve.publisher import TreePreservingPublisher, prepared
from privet.preserve.settings import PublishSettings
from privet.roles import Roles, schema_for
from properties.seeded_tables import drawn

TABLES = 80


def judges(recoding: str) -> list[Judge]:
    """Judges of random tables that have a tree."""
    found = []
    for seed in range(60_000, 60_000 + TABLES):
        case = drawn(seed)
        settings = replace(case.settings, recoding=recoding)  # type: ignore[arg-type]
        judge = Judge(Drafts(case.table(), case.schema(), settings))
        if judge.drafts.sizes:
            found.append(judge)
    assert len(found) > TABLES // 2
    return found


def content(drafts: Drafts, draft: Draft) -> list[list[int]]:
    table = drafts.released(draft).table()
    return [table[name].codes.tolist() for name in table]


def test_a_size_is_decided_once() -> None:
    for judge in judges("leaf"):
        size = judge.drafts.sizes[-1]
        assert judge.draft(size) is judge.draft(size)


def test_leaf_recoding_is_taken_if_it_passes_else_one_map() -> None:
    taken = {True: 0, False: 0}
    for judge in judges("leaf"):
        draft = judge.draft(judge.drafts.sizes[-1])
        taken[draft.leaf is not None] += 1
        assert draft.leaf is None or judge.passes(draft)
    assert taken[True] > 0
    assert all(judge.draft(judge.drafts.sizes[-1]).leaf is None for judge in judges("global"))


def test_gentler_drafts_leave_the_usual_one_alone() -> None:
    for judge in judges("global"):
        drafts, size = judge.drafts, judge.drafts.sizes[-1]
        before = content(drafts, judge.draft(size))
        gentler = list(drafts.by_gentler_maps(size))
        assert content(drafts, drafts.by_one_map(size)) == before
        used = [c for c in gentler[-1].leaf_counts.columns if c in gentler[-1].base]
        kept = [gentler[-1].base[name].domain == drafts.engine.domain(name) for name in used]
        assert all(kept)  # the last one leaves every column of the tree as it was
        assert bool(gentler[-1].grown_again(drafts.schema))


def test_names_that_sort_otherwise_are_given_up() -> None:
    cells = {"c": ["a", "b", "b", "c", "c", "d"], "y": ["p", "p", "p", "q", "q", "r"]}
    table = table_of(cells)
    groups = {"c": {"zz": ("a", "b"), "aa": ("c", "d")}}
    schema = replace(schema_for(table, None, Roles(target="y")), groups=groups)
    settings = PublishSettings(leaves=2, recoding="global")
    judge = prepared(table, schema, settings)
    assert not judge.draft(2).grown_again(schema)  # "aa" would go left
    spared = judge.spared(2)
    assert spared is not None
    assert spared.base["c"].domain.values.tolist() == ["a | b", "c | d"]
    release = TreePreservingPublisher(settings).publish(table, schema)
    assert set(release.data["c"].to_pylist()) == {"a | b", "c | d"}


def test_a_column_is_spared_where_joined_categories_let_another_cut_through() -> None:
    """Categories of one mean, and leaves of at least four records: found among random tables."""
    case = drawn(6251, min_leaf=4)
    judge = prepared(case.table(), case.schema(), case.settings)
    size = judge.drafts.sizes[-1]
    assert not judge.draft(size).grown_again(judge.drafts.schema)
    spared = judge.spared(size)
    assert spared is not None
    assert judge.passes(spared)
    release = TreePreservingPublisher(case.settings).publish(case.table(), case.schema())
    assert release.tree.n_leaves == size
    assert release.figure("k-anonymity") == spared.figures.k
    assert release.audit is not None
    assert release.audit.data["sizes"][-1]["k"] == spared.figures.k  # of what was published
