"""How a program fails while it runs; knows no rule."""

from __future__ import annotations


class ProgramFailure(Exception):
    """A program's own failure (R10). It stops the run; what led to it stays inspectable.

    Attributes:
        message: what happened, for the author of the program.
        statement: (block, index) of the statement at fault, filled in where it is known.
        schedule: (stage, path) of the schedule statement at fault.
        stage: the engine whose own clause is at fault.
        arrival: whether the law of arrivals is at fault.
        serial: the session at hand.
        leg: which leg of it, -1 for the session itself.
    """

    def __init__(
        self,
        message: str,
        *,
        statement: tuple[int, int] | None = None,
        schedule: tuple[int, tuple[int, ...]] | None = None,
        stage: int | None = None,
        arrival: bool = False,
        serial: int | None = None,
        leg: int = -1,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.statement = statement
        self.schedule = schedule
        self.stage = stage
        self.arrival = arrival
        self.serial = serial
        self.leg = leg
