"""The report of a table whose values were replaced at random, as plain data and as a page."""

from dataclasses import dataclass

from privet.attack.linear import expected_recovery
from privet.mechanism.matrices import worst_posterior
from privet.mechanism.substitution import Block, Substitution
from privet.release.manifest import Manifest
from privet.release.opened import OpenedRelease
from privet.report.template import page

_BELIEF = "0.1"


@dataclass(frozen=True)
class SubstitutedBlock:
    """Columns drawn together: how likely a value is its original one, and what that bounds."""

    columns: tuple[str, ...]
    values: int
    gamma: float | None  # how much likelier a value stays than it becomes any other one
    epsilon: float | None
    belief: float  # what a belief of a tenth becomes at most


@dataclass(frozen=True)
class SubstitutionSummary:
    """Everything that the report says."""

    manifest: Manifest
    records: int
    blocks: tuple[SubstitutedBlock, ...]
    unchanged: tuple[str, ...]
    domains_from_data: tuple[str, ...]  # columns whose domain shows which values occur
    epsilon_of_a_record: float | None
    data_name: str
    recovered: str | None  # what an attacker who has nothing else makes of the numbers

    @property
    def has_public_domains(self) -> bool:
        return sum(len(block.columns) for block in self.blocks) > len(self.domains_from_data)


def summarise_substitution(opened: OpenedRelease) -> SubstitutionSummary:
    """What the files of a release say of its substitution."""
    mechanism = Substitution.from_data(opened.mechanism)
    blocks = zip(mechanism.blocks, mechanism.epsilons, strict=True)
    guesses = expected_recovery(opened.table, mechanism)
    return SubstitutionSummary(
        opened.manifest,
        opened.table.n_rows,
        tuple(_block(block, epsilon) for block, epsilon in blocks),
        mechanism.unchanged,
        mechanism.domains_from_data,
        mechanism.finite_epsilon_of_a_record,
        opened.data_name,
        None if guesses is None else guesses.sentence(),
    )


def _block(block: Block, epsilon: float | None) -> SubstitutedBlock:
    factor = block.matrix.amplification
    return SubstitutedBlock(
        block.columns,
        block.matrix.size,
        None if epsilon is None else float(factor),
        epsilon,
        1.0 if epsilon is None else float(worst_posterior(_BELIEF, str(factor))),
    )


def render(opened: OpenedRelease) -> str:
    """The text of report.html."""
    return page("substitution.html.j2", s=summarise_substitution(opened))
