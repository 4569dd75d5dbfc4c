"""The decisions that are made most often, as records that are made quickly; knows who makes none of them.

A run that is listened to makes a ``Served`` a decode an iteration and an ``Evicted`` a block that
gives way, so most of what recording costs is making these. Written out, with an ``__init__`` of
their own, mypyc compiles them to structures with plain numbers in them, made in a fraction of what
a dataclass takes and, as nothing they hold leads back to them, passed over by the collector of
cycles; ``lock`` makes frozen dataclasses of them for everybody else, compiled or not.
"""

from __future__ import annotations

from dataclasses import Field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from mypy_extensions import mypyc_attr

from engine.records import lock

if TYPE_CHECKING:
    from engine.decisions import Listener
    from engine.snapshot import Who


@mypyc_attr(acyclic=True)
class Attempted:
    """An engine tried to run an iteration.

    Attributes:
        outcome: ``iteration`` when tokens were scheduled, ``preempted`` when it only preempted,
            ``idle`` when nothing came of it although somebody runs or waits, ``nothing`` otherwise.
        lit: path of the schedule statement executed last.
        executed: paths of all schedule statements executed, in order.
        iteration: the engine's iteration count after the attempt.
        preempted: sessions preempted in it.
    """

    __slots__ = ("executed", "iteration", "lit", "outcome", "preempted", "stage", "time")
    __match_args__: Final = ("time", "stage", "outcome", "lit", "executed", "iteration", "preempted")
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init__(
        self,
        time: float,
        stage: int,
        outcome: Literal["iteration", "preempted", "idle", "nothing"],
        lit: tuple[int, ...] | None,
        executed: tuple[tuple[int, ...], ...],
        iteration: int,
        preempted: int,
    ) -> None:
        self.time: Final = time
        self.stage: Final = stage
        self.outcome: Final = outcome
        self.lit: Final = lit
        self.executed: Final = executed
        self.iteration: Final = iteration
        self.preempted: Final = preempted


@mypyc_attr(acyclic=True)
class Served:
    """A running request got tokens.

    Attributes:
        wanted: tokens its run still needs.
        cut: what made ``tokens`` fewer: the ``budget``, the cap on one request (``chunk``), the ``granule``;
            None where nothing did, as for a decode's one token.
    """

    __slots__ = ("cut", "mode", "path", "stage", "time", "tokens", "wanted", "who")
    __match_args__: Final = ("time", "stage", "path", "who", "mode", "tokens", "wanted", "cut")
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init__(
        self,
        time: float,
        stage: int,
        path: tuple[int, ...] | None,
        who: Who,
        mode: Literal["prefill", "decode"],
        tokens: float,
        wanted: float,
        cut: Literal["budget", "chunk", "granule"] | None,
    ) -> None:
        self.time: Final = time
        self.stage: Final = stage
        self.path: Final = path
        self.who: Final = who
        self.mode: Final = mode
        self.tokens: Final = tokens
        self.wanted: Final = wanted
        self.cut: Final = cut


@mypyc_attr(acyclic=True)
class Grew:
    """A hold grew by ``units`` to ``allocated``, both in units of the pool."""

    __slots__ = ("allocated", "pool", "time", "units", "who")
    __match_args__: Final = ("time", "pool", "who", "units", "allocated")
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init__(self, time: float, pool: int, who: Who, units: float, allocated: float) -> None:
        self.time: Final = time
        self.pool: Final = pool
        self.who: Final = who
        self.units: Final = units
        self.allocated: Final = allocated


@mypyc_attr(acyclic=True)
class Evicted:
    """Units of a cached prefix gave way; ``owner`` is None for a dead remainder."""

    __slots__ = ("left", "owner", "pool", "time", "units")
    __match_args__: Final = ("time", "pool", "owner", "units", "left")
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init__(self, time: float, pool: int, owner: int | None, units: float, left: float) -> None:
        self.time: Final = time
        self.pool: Final = pool
        self.owner: Final = owner
        self.units: Final = units
        self.left: Final = left


def note(listener: Listener, record: Attempted | Served | Grew | Evicted) -> None:
    """Has a record taken down; compiled, a plain list is added to without asking it for its way of adding."""
    # What subclasses a list may add in a way of its own; only the second half is for the compiler.
    kind: object = type(listener)
    if kind is list and isinstance(listener, list):
        listener.append(record)
    else:
        listener.append(record)


lock(Attempted)
lock(Served)
lock(Grew)
lock(Evicted)
