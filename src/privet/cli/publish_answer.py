"""What `privet publish` answers, besides what every release by equivalence classes does."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.cli.release_answer import (
    exposed_target,
    line,
    privacy_figures,
    published,
    release_figures,
    release_in_words,
    told_of_target,
)

if TYPE_CHECKING:
    from privet.release import Release

_TITLES = {"sklearn": "scikit-learn", "rpart": "rpart", "j48": "WEKA's J48"}


def figures_of(release: "Release", out: Path, fingerprint: str | None) -> dict[str, Any]:
    """The answer for programs."""
    assert release.tree is not None
    return {
        "leaves": release.tree.n_leaves,
        **privacy_figures(release),
        "same_tree": all(c.measured is True for c in release.claims if c.name == "same-tree"),
        **release_figures(release, out, fingerprint),
        "told_by_boundaries": release.manifest.method["told_by_boundaries"],
        "narrowed_by_boundaries": release.manifest.method["narrowed_by_boundaries"],
        **_grown_by(release),
        "more_trees": [
            {
                "target": tree.target,
                "leaves": tree.n_leaves,
                "impurity": tree.grower.impurity,
                **told_of_target(release, tree.target),
            }
            for tree in release.more_trees
        ],
    }


def _grown_by(release: "Release") -> dict[str, Any]:
    """The program whose tree was kept, where that is not Privet, and its script."""
    told = release.manifest.method.get("grown_by")
    if told is None:
        return {}
    from privet.release.regrow import scripts

    return {
        "grown_by": dict(told),
        "scripts": sorted(scripts(release.manifest.method, release.trees)),
    }


def in_words(release: "Release", figures: dict[str, Any], with_report: bool) -> str:
    """The answer for people."""
    told = line(
        "told by boundaries",
        f"{figures['told_by_boundaries']:,}",
        "people alone next to a threshold or with a category",
    )
    grown = f"the same tree of {figures['leaves']} leaves grows again"
    if release.more_trees:
        each = [f"one of {t.n_leaves} leaves for {t.target}" for t in release.trees]
        grown = f"the same {len(each)} trees grow again ({', '.join(each)})"
    return release_in_words(
        release,
        figures,
        f"{published(figures)}, and {grown} from them{_by_others(figures)}.",
        [*exposed_target(release, figures), told],
        "leaf",
        with_report,
    )


def _by_others(figures: dict[str, Any]) -> str:
    told = figures.get("grown_by", {"ties": True})
    if "ties" in told:
        return ""
    shown = f" ({', '.join(figures['scripts'])} shows it)" if figures["scripts"] else ""
    return f", by {_TITLES[told['program']]} too{shown}"
