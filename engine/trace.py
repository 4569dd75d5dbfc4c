"""Reading a trace of sessions from a CSV file (R8.6); knows no program."""

from __future__ import annotations

from pathlib import Path

from engine.failure import ProgramFailure

Turn = tuple[float, float, float, float]
"""new, out, think, forced."""

Trace = tuple[tuple[Turn, ...], ...]
"""The sessions of a trace."""

_LEAST_COLUMNS = 5
_FORCED_COLUMN = 5


def read_trace(path: Path) -> Trace:
    """The sessions of a trace, in file order; an id that comes back later is another session.

    Raises:
        ProgramFailure: the file cannot be read, or a row is none.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ProgramFailure(f"the trace {path.name} cannot be read: {reason}") from error
    sessions: list[list[Turn]] = []
    latest: int | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split(",")]
        if number == 1 and cells[0] == "session":
            continue
        identity, turn = _row(path.name, number, cells)
        if identity != latest:
            sessions.append([])
            latest = identity
        sessions[-1].append(turn)
    if not sessions:
        raise ProgramFailure(f"the trace {path.name} has no turns")
    return tuple(tuple(turns) for turns in sessions)


def _row(file: str, number: int, cells: list[str]) -> tuple[int, Turn]:
    if len(cells) < _LEAST_COLUMNS:
        raise ProgramFailure(
            f"line {number} of the trace {file} has {len(cells)} columns: session,turn,new,out,think[,forced] are expected"
        )
    try:
        forced = float(cells[_FORCED_COLUMN]) if len(cells) > _FORCED_COLUMN else 0.0
        return int(cells[0]), (float(cells[2]), float(cells[3]), float(cells[4]), forced)
    except ValueError as error:
        raise ProgramFailure(f"line {number} of the trace {file} has something that is no number: {','.join(cells)}") from error
