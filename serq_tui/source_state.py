"""The program's text with what a moment says about its lines; knows no screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from engine.decisions import Admitted, Attempted, Blocked, Decision, Guarded, Preempted, RegisterSet
from engine.snapshot import EngineView, FailureView, Position, Snapshot
from grammar.declaring import dataclass
from grammar.diagnostics import Diagnostic
from grammar.ir import Place, SourceMap
from serq_tui import words
from serq_tui.colouring import coloured
from serq_tui.format import number, requests
from serq_tui.pieces import Line, Piece, Role

#: A schedule statement: the stage of its engine and its path (see ``SourceMap``).
StatementAt = tuple[int, tuple[int, ...]]

#: First and last line of a stretch, counted from 1.
Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program's text as shown.

    Attributes:
        name: the file's name without its folder.
        lines: the text's lines.
        coloured: the same lines in pieces by kind of word.
        places: where its statements stand.
        registers: names of its registers by index.
        claims: names of its claims by index.
        warnings: by line, what the linker warns of there.
    """

    name: str
    lines: tuple[str, ...]
    coloured: tuple[Line, ...]
    places: SourceMap
    registers: tuple[str, ...]
    claims: tuple[str, ...]
    warnings: Mapping[int, Line] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        text: str,
        places: SourceMap,
        registers: tuple[str, ...],
        claims: tuple[str, ...] = (),
        warnings: tuple[Diagnostic, ...] = (),
    ) -> ProgramText:
        """The text with its words coloured once. A tab shows as four cells."""
        lines = tuple(line.expandtabs(4) for line in text.rstrip("\n").split("\n"))
        return cls(name, lines, coloured(lines), places, registers, claims, _warned(warnings))


@dataclass(frozen=True, slots=True)
class SourceState:
    """The text and what the moment lights in it.

    Attributes:
        lit: lines of the schedule statement executed last by the engine at hand.
        lit_now: whether this very moment executed it; else it is where the engine last was.
        executed: first lines of the statements this very moment executed.
        notes: by line, what its statement just decided, else what the linker warns of.
        stops: lines with a breakpoint.
        disabled: lines with one that is disabled.
        stoppable: lines a breakpoint can stand on.
        failure: lines of the statement at fault.
        home: the line to keep in view.
    """

    text: ProgramText
    lit: Lines | None
    lit_now: bool
    executed: frozenset[int]
    notes: Mapping[int, Line]
    stops: frozenset[int]
    disabled: frozenset[int]
    stoppable: frozenset[int]
    failure: Lines | None
    home: int


def source_state(
    text: ProgramText,
    now: Snapshot,
    records: tuple[Decision, ...],
    at_hand: EngineView | None,
    stops: frozenset[StatementAt],
    disabled: frozenset[StatementAt] = frozenset(),
) -> SourceState:
    """What a moment says about the text's lines."""
    schedule = text.places.schedule
    lit, lit_now = _lit(text.places, now, records, at_hand)
    failure = failure_lines(text.places, now.failure) if now.failure else None
    first = min((place.line for (stage, _), place in schedule.items() if at_hand and stage == at_hand.stage), default=1)
    home = failure[0] if failure else lit[0] if lit else first
    return SourceState(
        text=text,
        lit=lit,
        lit_now=lit_now,
        executed=_executed(text.places, records),
        notes={**text.warnings, **_notes(text.places, records, words.pool_names(now))},
        stops=frozenset(schedule[at].line for at in stops if at in schedule),
        disabled=frozenset(schedule[at].line for at in disabled if at in schedule),
        stoppable=frozenset(place.line for place in schedule.values()),
        failure=failure,
        home=home,
    )


def _lit(places: SourceMap, now: Snapshot, records: tuple[Decision, ...], at_hand: EngineView | None) -> tuple[Lines | None, bool]:
    """The statement to light, and whether it runs at this very moment."""
    if now.position.decisions:
        made_at = next((at for at in map(made_by, records) if at is not None), None)
        if made_at is not None:
            return statement_lines(places, made_at), True
    attempt = at_hand.attempt if at_hand else None
    if at_hand is None or attempt is None or attempt.lit is None:
        return None, False
    here = attempt.position == now.position or under_way(now, at_hand)
    return statement_lines(places, (at_hand.stage, attempt.lit)), here


def under_way(now: Snapshot, engine: EngineView) -> bool:
    """Whether a moment is within an attempt of an engine, whose batch is still being formed."""
    # Such a moment is named after the one before the attempt, and so many decisions from there.
    step, attempt = now.position, engine.attempt
    return step.decisions > 0 and attempt is not None and attempt.position == Position(step.events, step.attempts + 1)


def made_by(record: Decision) -> StatementAt | None:
    """The schedule statement a decision was made at, None where none made it."""
    path = record.lit if isinstance(record, Attempted) else getattr(record, "path", None)
    stage = getattr(record, "stage", None)
    return (stage, path) if stage is not None and path is not None else None


def statement_lines(places: SourceMap, at: StatementAt) -> Lines | None:
    """Lines of a schedule statement; of a branch only its first, its arms are statements of their own."""
    place = places.schedule.get(at)
    if place is None:
        return None
    stage, path = at
    is_branch = any(other == stage and longer[: len(path)] == path != longer for other, longer in places.schedule)
    return place.line, place.line if is_branch else place.end_line


def failure_lines(places: SourceMap, failure: FailureView) -> Lines | None:
    """Lines of what a failure blames, None where the text does not say it."""
    place: Place | None = None
    if failure.arrival:
        place = places.arrival
    elif failure.schedule is not None:
        place = places.schedule.get(failure.schedule)
    elif failure.statement is not None:
        place = places.statements.get(failure.statement)
    elif failure.stage is not None:
        place = places.execute.get(failure.stage)
    return (place.line, place.end_line) if place else None


def statements_on(places: SourceMap, line: int) -> tuple[StatementAt, ...]:
    """The schedule statement a breakpoint on a line means, once for each engine that has it.

    The smallest that covers the line: on ``branch (e) { admit waiting; }`` written in one line
    that is the admission, since the branch is passed at every attempt anyway.
    """

    def size(place: Place) -> tuple[int, int]:
        return place.end_line - place.line, place.end_column - place.column

    covering = [place for place in places.schedule.values() if place.line <= line <= place.end_line]
    if not covering:
        return ()
    smallest = min(covering, key=size)
    return tuple(at for at, place in places.schedule.items() if place == smallest)


def _executed(places: SourceMap, records: tuple[Decision, ...]) -> frozenset[int]:
    passed = {(record.stage, path) for record in words.every(records, Attempted)[-1:] for path in record.executed}
    return frozenset(places.schedule[at].line for at in passed if at in places.schedule)


def _warned(warnings: tuple[Diagnostic, ...]) -> dict[int, Line]:
    """The warnings of each line, in the order told."""
    notes: dict[int, Line] = {}
    for warning in warnings:
        if warning.span is not None:
            here = (Piece(f"! {warning.id} {warning.message}", "waiting"),)
            notes[warning.span.line] = (*notes[warning.span.line], Piece("  "), *here) if warning.span.line in notes else here
    return notes


def _notes(places: SourceMap, records: tuple[Decision, ...], pools: dict[int, str]) -> dict[int, Line]:
    notes: dict[int, list[Piece]] = {}
    admitted: dict[int, list[Admitted]] = {}
    for record in records:
        if not isinstance(record, Admitted | Blocked | Guarded | Preempted | RegisterSet):
            continue
        if record.stage is None or record.path is None:
            continue
        place = places.schedule.get((record.stage, record.path))
        if place is None:
            continue
        if isinstance(record, Admitted):
            # one list of names a line: an attempt may admit dozens
            admitted.setdefault(place.line, []).append(record)
            continue
        for text, role in _note(record, pools):
            parts = notes.setdefault(place.line, [])
            # A guard read before each admission: the last reading is what ended it.
            if isinstance(record, Guarded) and parts and parts[-1].text.startswith("⟹"):
                parts.pop()
            parts.append(Piece(text, role))
    for line, came in admitted.items():
        names = requests(tuple(record.who for record in came), words.NAMED)
        notes.setdefault(line, []).insert(0, Piece(f"+ {names}", "added"))
    return {line: tuple(_spaced(parts)) for line, parts in notes.items()}


def _spaced(parts: list[Piece]) -> Iterator[Piece]:
    for index, part in enumerate(parts):
        if index:
            yield Piece("  ")
        yield part


def _note(record: Decision, pools: dict[int, str]) -> Iterator[tuple[str, Role]]:
    if isinstance(record, Guarded):
        answer = {0.0: "no", 1.0: "yes"}.get(record.value, number(record.value))
        yield f"⟹ {answer}", "changed" if record.value else "dim"
    elif isinstance(record, Blocked):
        yield words.blocked(record, pools.get(record.short_of, "a pool")), "waiting"
    elif isinstance(record, Preempted):
        yield f"x {record.who} preempted", "preempted"
    elif isinstance(record, RegisterSet) and not record.undone:
        yield f"⟹ {number(record.after)}", "changed" if record.after != record.before else "dim"
