"""Lines of the decision log; pure, knows no widget."""

from __future__ import annotations

from engine.decision_log import Logged
from engine.targets import AtPosition
from serq_tui.answers import LogAnswer
from serq_tui.decision_words import decision, role
from serq_tui.format import amount, clock
from serq_tui.pieces import Content, Entry, Lazily, Piece, cut, piece

#: From this width on a decision's type has a column of its own: below, its sentence needs the room and says as much.
TYPED = 100


def log(answer: LogAnswer, width: int, filter_text: str = "") -> Content:
    """The latest decisions that have every word of a filter, oldest first."""
    logged = filtered(answer, filter_text)
    if not logged:
        return Content([Entry(piece("no decision has all these words" if answer.logged else "nothing was decided yet", "dim"))])

    # No wider than they have to be: in a narrow terminal what is left is the sentence's.
    place = max(len(str(one.position)) for one in logged)
    time = max(len(clock(one.record.time)) for one in logged)

    def make(index: int) -> Entry:
        one = logged[index]
        when = f" {one.position!s:<{place}}  {clock(one.record.time):>{time}}  "
        kind = f"{type(one.record).__name__:<16}" if width >= TYPED else ""
        text = decision(one.record, answer.scene.names)
        return Entry(cut((Piece(when, "dim"), Piece(kind, "dim"), Piece(text, role(one.record))), width), AtPosition(one.position))

    return Content(Lazily(len(logged), make))


def filtered(answer: LogAnswer, text: str) -> tuple[Logged, ...]:
    """The decisions whose type, sentence or pool has every word typed: ``r7 kv``, ``preempted``."""
    words = text.lower().split()
    return tuple(one for one in answer.logged if all(word in words_of(one, answer) for word in words)) if words else answer.logged


def words_of(one: Logged, answer: LogAnswer) -> str:
    """What a filter looks in."""
    pool = getattr(one.record, "pool", None)
    named = answer.scene.names.pool(pool) if pool is not None else ""
    return f"{type(one.record).__name__} {decision(one.record, answer.scene.names)} {named}".lower()


def log_title(answer: LogAnswer) -> str:
    """How many, up to when."""
    return f"decisions up to {answer.scene.now.position}: {amount(len(answer.logged))}"
