"""What publishing tells: why it refuses, and what a steward should know of a release."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from privet.errors import CriterionNotReached, PrivetError, TreeChanged, UsageError, param
from privet.preserve.asked_grower import TITLES
from privet.preserve.disclosure import message_on
from privet.preserve.drafts import Draft, Drafts
from privet.preserve.growing import grow_first_split
from privet.preserve.judging import Judge
from privet.preserve.recoding import Treatment
from privet.preserve.remarks import on_one_class, on_sensitive
from privet.preserve.search import LARGE
from privet.preserve.settings import PublishSettings
from privet.release.claims.tree_titles import tree_title
from privet.schema import Kind, Role


def messages_on(drafts: Drafts, draft: Draft) -> list[str]:
    """What the steward should know of the draft that is released."""
    return [
        *_on_size(drafts, draft),
        *_on_further_targets(drafts),
        *on_one_class(draft.figures),
        *on_sensitive(
            [n for n in drafts.schema.names(Role.SENSITIVE) if n not in drafts.recoded_columns],
            drafts.settings,
        ),
        *_on_rare_categories(drafts, draft),
        *_on_boundaries(drafts, draft),
        *_on_codes(drafts.settings, draft),
        *_on_joined(draft),
        *_on_clock(drafts),
    ]


def on_outside(judge: Judge, draft: Draft) -> Iterator[str]:
    """What the program does whose tree was asked for: where it goes another way, which tie falls
    otherwise, and with which seed the tree grows again."""
    settings = judge.drafts.settings
    if not settings.outside:
        return
    title, found = TITLES[settings.program], judge.refit(draft)
    if settings.program == "j48":
        yield "No theorem keeps a tree of J48: global recoding was used, and J48 itself was asked."
    for number, followed in enumerate(judge.drafts.followed):
        if followed.parting is not None:
            where = (
                "breaks a tie otherwise" if followed.flips else "goes another way in larger trees"
            )
            said = f"From the original table {title} {where} ({followed.parting})."
            yield _of_tree(judge.drafts, number, said)
    for tie in found.ties:
        yield f"From the release {title} grows the tree up to a tie only: {tie}."
    if any(found.seeds) and not found.ties:
        seeds = ", ".join(map(str, found.seeds))
        yield f"{title} grows it from the release with random_state={seeds}: others flip a tie."


def _on_size(drafts: Drafts, draft: Draft) -> Iterator[str]:
    for number, settings in enumerate(drafts.settings.of_each_tree()):
        asked, found = settings.leaves, draft.trees[number].n_leaves
        if asked is None or found >= asked:
            continue
        grown_out = drafts.trees[number].n_leaves == found
        in_steps = asked > LARGE and settings.by_leaf
        tried = " that was tried" if in_steps or drafts.deadline.has_cut_short else ""
        reason = _why_no_more(settings) if grown_out else f"no larger tree{tried} passes"
        if grown_out and drafts.followed and drafts.followed[number].parting is not None:
            reason = f"{TITLES[settings.program]} goes another way from there on"
        if settings.guard_in_force > 1:
            reason += f" (a split parts units of {settings.guard_in_force} records: the guard)"
        yield _of_tree(
            drafts, number, f"{asked} leaves were asked for; {found} are published: {reason}."
        )


def _on_further_targets(drafts: Drafts) -> Iterator[str]:
    """A column that a further tree predicts loses the protection that it would have had."""
    further = [name for name in dict.fromkeys(drafts.targets) if name != drafts.targets[0]]
    if further:
        uncounted = "; k counts no target among what an attacker knows"
        yield (
            f"Released as they are, since trees predict them: {', '.join(further)}"
            f"{'' if drafts.settings.target_known else uncounted}."
        )


def _of_tree(drafts: Drafts, number: int, said: str) -> str:
    """What is said of one tree; where there are several, with its name."""
    if len(drafts.targets) == 1:
        return said
    title = tree_title(number + 1, drafts.targets[number])
    return f"{title[0].upper()}{title[1:]}: {said}"


def _on_rare_categories(drafts: Drafts, draft: Draft) -> Iterator[str]:
    """Every category that is grouped is named as a member, also one that few people have."""
    k, rare = drafts.settings.k, 0
    for name in draft.base:
        if draft.leaf_counts.domains[name].kind is Kind.CATEGORY:
            named = _named_categories(draft, name)
            records = np.zeros(draft.leaf_counts.domains[name].size, dtype=np.int64)
            counts = drafts.engine.count([name])
            records[counts.keys[:, 0]] = counts.n
            rare += int((records[named] < k).sum())
    if rare:
        yield (
            f"{rare:,} named categories have fewer than {k} records: the release tells that "
            "somebody has them."
        )


def _named_categories(draft: Draft, name: str) -> list[int]:
    """The categories of a column that the release names, as values or as members of groups."""
    rich = None if draft.rich is None else draft.rich.columns[name]
    if rich is not None and rich.treatment is Treatment.AGGREGATED:
        joined = {code for codes in rich.joined for code in codes}
        return sorted({*np.unique(rich.codes).tolist(), *joined})
    gone = draft.base[name].treatment is Treatment.SUPPRESSED
    return [] if gone else list(range(draft.leaf_counts.domains[name].size))


def _on_boundaries(drafts: Drafts, draft: Draft) -> Iterator[str]:
    settings = drafts.settings
    guard = None if settings.outside else settings.guard_in_force
    message = message_on(drafts.boundaries(draft), guard)
    if message is not None:
        yield message[0].upper() + message[1:]


def _on_codes(settings: PublishSettings, draft: Draft) -> Iterator[str]:
    """Which columns hold codes, and which keep the tree by the rule of ties alone."""
    by_records = draft.rich or draft.leaf
    if by_records is None:
        if settings.by_leaf:
            yield "Leaf recoding did not keep the tree at this size; global recoding was used."
        return
    coded = [n for n, c in by_records.columns.items() if c.treatment is Treatment.CODED]
    loose = [n for n, c in by_records.columns.items() if c.form != "strict"]
    if coded:
        yield f"Codes that regrow the tree, not true values: {', '.join(coded)}."
    if loose:
        yield (
            f"Other growers may break ties otherwise on: {', '.join(loose)} "
            "(growing it with another program tells)."
        )
    if settings.float32_safe:
        doubles = [n for n, c in by_records.columns.items() if not c.is_single_precision]
        if doubles:
            yield f"Single precision does not hold the values of: {', '.join(doubles)}."


def _on_joined(draft: Draft) -> Iterator[str]:
    if draft.rich is None:
        return
    joined = [name for name, column in draft.rich.columns.items() if column.joined]
    if joined:
        yield f"Some values became one, so that the tree stays: {', '.join(joined)}."


def _on_clock(drafts: Drafts) -> Iterator[str]:
    solver = drafts.solver
    if drafts.deadline.has_cut_short:
        yield (
            "The search was cut short: this is the best tree found in that time, and another run "
            "may publish another one."
        )
    elif solver.stopped_by_clock:
        yield (
            f"The solver was stopped after {solver.backstop:g} seconds of wall time: another run "
            "on the same table may publish other values."
        )


def another_tree(drafts: Drafts, changed: str) -> TreeChanged:
    """No size keeps its tree; `changed` says what is another in the largest."""
    settings = drafts.settings
    if settings.outside:
        return TreeChanged(
            f"From the recoded table {TITLES[settings.program]} grows another tree: {changed}.",
            f"try fewer {param('leaves')}, a larger {param('min_leaf')}, or "
            f"{param('grower', 'privet')}.",
        )
    return TreeChanged(
        f"The tree that grows from the recoded table is another one: {changed}.",
        (f"try {param('guard', 1)}, " if settings.guard_in_force > 1 else "try ")
        + f"{param('min_leaf', 1)}, another {param('leaves')}, or "
        f"{param('categories', 'multiway')}.",
    )


def nothing_in_time(settings: PublishSettings) -> CriterionNotReached:
    """When the time was up, no size had passed."""
    return CriterionNotReached(
        f"No tree that passes was found within {settings.time_limit:g} seconds.",
        f"give it more time, fewer {param('leaves')}, or {param('recoding', 'global')}.",
    )


def _why_no_more(settings: PublishSettings) -> str:
    """Why growth ended before the leaves that were asked for."""
    least = settings.smallest_leaf
    needs = [f"{least} records"] if least > 1 else []
    needs += [
        name for name in ("l", "t") if settings.by_leaf and getattr(settings, name) is not None
    ]
    reason = "no more splits gain" + (f" and keep {' and '.join(needs)} in a leaf" if needs else "")
    return reason + (", or have too many branches" if settings.categories == "multiway" else "")


def no_tree(drafts: Drafts) -> PrivetError:
    """Why there is no split at all in the first tree that has none."""
    number = next(n for n, tree in enumerate(drafts.trees) if tree.n_leaves == 1)
    alone = drafts if len(drafts.trees) == 1 else drafts.alone(number)
    said, hint = "No split keeps l and t of the other targets.", "ask for less, or for fewer trees."
    error: PrivetError = UsageError(said, hint)
    if not alone.sizes:
        error = _no_split(alone)
        said, hint = error.raw
    return type(error)(_of_tree(drafts, number, said), hint)


def _no_split(drafts: Drafts) -> PrivetError:
    """Why one tree has no split: no room for its branches, a level out of reach, or no gain."""
    settings = drafts.settings

    def branches_of_first_split(min_leaf: int, judged: bool = False) -> int:
        grown = grow_first_split(
            drafts.engine, drafts.schema, settings, drafts.targets[0], min_leaf, judged
        )
        return grown.n_leaves

    least = settings.smallest_leaf
    branches = branches_of_first_split(least, judged=settings.by_leaf)
    if settings.program == "j48" and settings.leaves is not None:  # its first split is another
        return UsageError(
            f"J48 grows no tree of {settings.leaves} leaves or fewer from this table.",
            f"give a larger {param('leaves')}, or {param('grower', 'privet')}.",
        )
    if branches > 1:
        return UsageError(
            f"The first split has {branches} branches, more than the leaves allowed.",
            f"give {param('leaves', branches)} or more, or {param('categories', 'subset')}.",
        )
    if settings.guard_in_force > 1 and _has_split_without_guard(drafts):
        return UsageError(
            f"No split between units of {settings.guard_in_force} records gains anything.",
            f"a smaller {param('guard')} lets a split depend on fewer people; {param('guard', 1)} "
            "on any one.",
        )
    # By leaf, k asks for large leaves from the start: find the largest that a split can have.
    open_size = settings.by_leaf and settings.min_leaf is None
    low, high = (0 if open_size else least - 1), least + 1
    while high - low > 1:
        middle = (low + high) // 2
        found = branches_of_first_split(middle) > 1
        low, high = (middle, high) if found else (low, middle)
    if low < max(1, least if settings.min_leaf is not None else 1):
        return UsageError(
            "No split of this table gains anything, so there is no tree to publish.",
            f"check the target and the columns offered, or lower {param('min_leaf')}.",
        )
    branches = branches_of_first_split(low)
    looser = replace(settings, k=1, l=None, t=None, min_leaf=low, leaves=branches, refine=False)
    return not_reached(Judge(drafts.otherwise(looser)), branches)


def _has_split_without_guard(drafts: Drafts) -> bool:
    free = replace(drafts.settings, guard=1)
    least = drafts.settings.smallest_leaf
    grown = grow_first_split(
        drafts.engine, drafts.schema, free, drafts.targets[0], least, judged=free.by_leaf
    )
    return grown.n_leaves > 1


def not_reached(judge: Judge, smallest: int) -> CriterionNotReached:
    """What the smallest tree reaches, since it is too little."""
    drafts, settings = judge.drafts, judge.drafts.settings
    if settings.rich:  # blocks are no larger than asked for: whole leaves show what could be
        whole = replace(settings, recoding="leaf", keep=(), refine=False)
        judge = Judge(drafts.otherwise(whole, drafts.solver))
    figures = judge.draft(smallest).figures
    reached = [f"k = {figures.k_with_target if settings.target_known else figures.k}"]
    worst_l, worst_t = figures.worst_l(settings.l_kind), figures.worst_t()
    if worst_l is not None:
        reached.append(f"l = {worst_l:.4g}")
    if worst_t is not None:
        reached.append(f"t = {worst_t:.4g}")
    several = len(drafts.targets) > 1
    smallest_tree = "the smallest trees" if several else "the smallest tree"
    verb, they = ("reach", "they reach") if several else ("reaches", "it reaches")
    return CriterionNotReached(
        f"Not even {smallest_tree} ({smallest} leaves) {verb} what was asked for; "
        f"{they} {', '.join(reached)}.{_obstacle(drafts) if several else ''}",
        f"ask for less, {_coarser_target(settings)}{_larger_leaves(settings) if several else ''}"
        "or leave out a column "
        f"({param('drop')}) or name fewer quasi-identifiers.",
    )


def _coarser_target(settings: PublishSettings) -> str:
    """With the target known, fewer values of it are each more frequent."""
    return (
        f"round the target to larger steps ({param('target_step')}), "
        if (settings.target_known and settings.impurity == "deviance")
        else ""
    )


def _larger_leaves(settings: PublishSettings) -> str:
    """Leaves with more records intersect in more."""
    return f"for fewer trees, for larger leaves ({param('min_leaf', 4 * settings.smallest_leaf)}), "


def _obstacle(drafts: Drafts) -> str:
    """Which of several trees could not even be kept alone."""
    alone = {number: Judge(drafts.alone(number)) for number in range(len(drafts.targets))}
    failing = [
        tree_title(number + 1, drafts.targets[number])
        for number, judge in alone.items()
        if not any(map(judge.size_holds, judge.drafts.sizes[:1]))
    ]
    if not failing:
        return " Each tree alone reaches it; where their leaves intersect there are too few."
    return f" Not even alone: {'; '.join(failing)}."
