"""What `privet anonymise` answers, besides what every release by equivalence classes does."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.cli.release_answer import (
    exposed_target,
    line,
    privacy_figures,
    published,
    release_figures,
    release_in_words,
)

if TYPE_CHECKING:
    from privet.release import Release


def figures_of(release: "Release", out: Path, fingerprint: str | None) -> dict[str, Any]:
    """The answer for programs."""
    return {
        "method": release.method,
        **privacy_figures(release),
        **release_figures(release, out, fingerprint),
        "one_class": release.manifest.method["one_class"],
    }


def in_words(release: "Release", figures: dict[str, Any], with_report: bool) -> str:
    """The answer for people."""
    from privet.roles import target_of
    from privet.schema import Role

    schema = release.manifest.schema
    has_target = target_of(schema) is not None
    others = schema.names(Role.OTHER)
    as_they_are = [line("counted nowhere", str(len(others)), ", ".join(others))] if others else []
    return release_in_words(
        release,
        figures,
        f"{published(figures)}, without a tree ({release.method}).",
        [*(exposed_target(release, figures) if has_target else []), *as_they_are],
        "column",
        with_report,
    )
