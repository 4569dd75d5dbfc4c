"""How the figures of a run are spread: gaps between tokens, waits for first tokens, observations; changes nothing."""

from __future__ import annotations

from engine.names import name
from engine.simulation import Simulation
from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """Figures of one kind, each with how often it came, in order.

    Attributes:
        title: what they are of: an engine, or an observation's title.
    """

    title: str
    figures: tuple[tuple[float, int], ...]

    @property
    def count(self) -> int:
        """How many figures there are."""
        return sum(many for _, many in self.figures)


def gaps(run: Simulation) -> tuple[Spread, ...]:
    """Per engine the gaps between a request's tokens, in seconds, to the one per cent they are counted by (R9.8)."""
    state = run.clone().state
    return tuple(
        Spread(
            name(stage.code),
            tuple(((bucket.least + bucket.greatest) / 2, bucket.count) for _, bucket in sorted(stage.gaps.buckets.items())),
        )
        for stage in state.stages
        if stage.code.step is not None and stage.gaps.n
    )


def first_tokens(run: Simulation) -> Spread:
    """Seconds from the opening of a turn to its first token, of the turns after the warm-up."""
    return _spread("time to first token", [value for _, value, *_ in run.state.client["ttft"].all()])


def observed(run: Simulation) -> tuple[Spread, ...]:
    """The samples of each observation that count."""
    observes = run.state.code.program.observes
    return tuple(
        _spread(title, [sample[1] for sample in history.all() if sample[4]])
        for title, history in zip(observes, run.state.observed, strict=True)
    )


def _spread(title: str, values: list[float]) -> Spread:
    return Spread(title, tuple((value, 1) for value in sorted(value for value in values if abs(value) < float("inf"))))


def binned(spread: Spread, bins: int) -> tuple[float, float, tuple[int, ...]]:
    """The least and the greatest figure, and how many lie in each of so many equal parts between them.

    Raises:
        ValueError: there is no figure.
    """
    if not spread.figures:
        raise ValueError(f"{spread.title} has no figures")
    low, high = spread.figures[0][0], spread.figures[-1][0]
    counts = [0] * bins
    width = (high - low) / bins
    for value, many in spread.figures:
        counts[min(int((value - low) / width), bins - 1) if width > 0 else 0] += many
    return low, high, tuple(counts)
