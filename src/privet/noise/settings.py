"""What can be asked of the noise framework: one object for all its parts."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from privet.errors import InvalidParameter, UsageError, param
from privet.mechanism.class_laws import Technique
from privet.mechanism.noise_laws import (
    STANDARD_SD,
    Ends,
    Influence,
    RelativeTo,
    Scale,
    Where,
    Which,
)
from privet.mechanism.shapes import LawName
from privet.noise.parts.class_noise import ClassNoise
from privet.noise.parts.detective import Detective
from privet.noise.parts.influential import InfluentialNoise
from privet.noise.parts.innocent import InnocentNoise, refuse_spikes
from privet.tree.natural import NoiseTreeSettings

_WRITTEN_OTHERWISE = {"class_noise", "spikes", "together", "draw", "trees"}


@dataclass(frozen=True)
class NoiseSettings:
    """The parts and their settings; None (or "none" for the class) leaves a part out.

    With `strict`, categories on a record's path keep their values, and no record leaves its leaf.
    Without it DETECTIVE draws them everywhere, as in its paper, and records do change leaves. With
    `inside`, the trees of the categories and their laws go into the audit, not into the release.
    `draw` names the categories that DETECTIVE draws; by default all.
    With `keep_tree`, noise is drawn again where it must be until the same tree grows.

    >>> privet.NoiseSettings(detective=None).detective is None  # categories stay as they are
    True
    """

    class_noise: Technique = "random"
    innocent: float | None = STANDARD_SD
    which: Which = "both"
    where: Where = "all"
    ends: Ends = "reflect"
    law: LawName = "bell"
    relative_to: RelativeTo = "value"
    influential: Influence | None = "shuffle"
    influential_sd: float = STANDARD_SD
    influential_scale: Scale = "value"
    detective: float | None = 0.1
    participation: float = 1.0
    random_value: float = 0.0
    cousins: int = 0
    floor: float = 0.0
    strict: bool = True
    inside: bool = False
    keep_tree: bool = False
    scales: Mapping[str, float] = field(default_factory=dict)
    spikes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    together: tuple[tuple[str, ...], ...] | None = None
    draw: tuple[str, ...] | None = None
    trees: NoiseTreeSettings = field(default_factory=NoiseTreeSettings)

    def __post_init__(self) -> None:
        refuse_spikes(self.spikes)
        if self.detective is not None and not 0 <= self.detective <= 1:
            raise InvalidParameter(param("detective"), "from 0 to 1", self.detective)
        self.class_part(), self.innocent_part(), self.influential_part(), self.detective_part()
        off = (self.innocent, self.influential, self.detective)
        if self.class_noise == "none" and off == (None, None, None):
            raise UsageError(
                "Every part of the noise is switched off.",
                f"leave at least one of {param('class_noise')}, {param('innocent')}, "
                f"{param('influential')}, {param('detective')} on.",
            )

    @property
    def keeps_leaves(self) -> bool:
        """Whether every record stays in its leaf."""
        return self.strict or self.detective is None

    def class_part(self) -> ClassNoise:
        return ClassNoise(self.class_noise, self.trees, self.floor)

    def innocent_part(self) -> InnocentNoise | None:
        if self.innocent is None:
            return None
        return InnocentNoise(
            sd=self.innocent,
            which=self.which,
            where=self.where,
            ends=self.ends,
            scales=self.scales,
            spikes=self.spikes,
            trees=self.trees,
            law=self.law,
            relative_to=self.relative_to,
        )

    def influential_part(self) -> InfluentialNoise | None:
        if self.influential is None:
            return None
        return InfluentialNoise(
            method=self.influential,
            sd=self.influential_sd,
            scale=self.influential_scale,
            spikes=self.spikes,
            trees=self.trees,
            law=self.law,
        )

    def detective_part(self) -> Detective | None:
        if self.detective is None:
            return None
        return Detective(
            p=self.detective,
            participation=self.participation,
            random_value=self.random_value,
            cousins=self.cousins,
            columns=self.draw,
            together=self.together,
            trees=self.trees,
            floor=self.floor,
        )

    def describe(self) -> dict[str, Any]:
        """All settings as the manifest and the audit state them; no seed is among them."""
        return {
            "class": self.class_noise,
            "innocent": self.innocent,
            "which": self.which,
            "where": self.where,
            "ends": self.ends,
            "law": self.law,
            "relative_to": self.relative_to,
            "influential": self.influential,
            "influential_sd": self.influential_sd,
            "influential_scale": self.influential_scale,
            "detective": self.detective,
            "participation": self.participation,
            "random_value": self.random_value,
            "cousins": self.cousins,
            "floor": self.floor,
            "strict": self.strict,
            "inside": self.inside,
            "keep_tree": self.keep_tree,
            "scales": dict(self.scales),
            "spikes": {name: list(values) for name, values in self.spikes.items()},
            "together": None if self.together is None else [list(g) for g in self.together],
            "draw": None if self.draw is None else list(self.draw),
            "trees": asdict(self.trees),
        }

    @classmethod
    def from_description(cls, data: Mapping[str, Any]) -> "NoiseSettings":
        """The settings that were described: with the seed of the audit they draw the same again.

        What a manifest says of a method besides its settings is passed over.
        """
        own = {f.name for f in fields(cls)}
        together = data["together"]
        return cls(
            **{name: value for name, value in data.items() if name in own - _WRITTEN_OTHERWISE},
            class_noise=data["class"],
            spikes={name: tuple(values) for name, values in data["spikes"].items()},
            together=None if together is None else tuple(tuple(group) for group in together),
            draw=None if data["draw"] is None else tuple(data["draw"]),
            trees=NoiseTreeSettings(**data["trees"]),
        )
