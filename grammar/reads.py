"""Which value may be read in which clause, as one table (L10.1, L5.17); knows no expressions.

The checker and the reference pages are both made from what is here: a rule about reading
that is not in these tables does not exist.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from grammar.declaring import dataclass

if TYPE_CHECKING:
    from grammar.scopes import Engine
    from grammar.source import Span


class Column(Enum):
    """The places an expression may stand, with the words an author knows them by."""

    STATEMENT = "St", "a statement"
    HEADER = "Hd", "a hold's header, which is read at admission"
    QUEUE = "Qu", "a pool's `queue by`"
    EVICT = "Ev", "a pool's `evict by` or `spill`"
    PREEMPT = "Pr", "a pool's `preempt by`"
    PS = "Ps", "a `ps` capacity"
    TOKENS = "Tk", "`tokens cap`"
    EACH = "Ea", "`each at most` or a schedule's `let`"
    ONLY = "On", "`only`"
    BY = "By", "`by`"
    SCHEDULE = "Sc", "a schedule's `branch`, `while` or `set`"
    EXECUTE = "Ex", "`execute`"
    GAUGE = "Ga", "a gauge"
    GIVEN = "Gi", "a claim's `given`"
    ITERATION = "It", "a claim over iterations"
    END = "En", "a claim `at end`"
    RENEWAL = "Re", "a `renewal` gap"
    CONSTANT = "Co", "a constant"

    def __init__(self, short: str, words: str) -> None:
        self.short = short
        self.words = words


class Read(Enum):
    """What may be read, with its words and the error of reading it where it is not (L10.2)."""

    CONSTANT = "a constant", "E504"
    ATTRIBUTE = "a session attribute", "E602"
    HIDDEN = "a hidden attribute", "E613"
    NOW = "`now`", "E608"
    WAITED = "`waited`", "E601"
    ENTRY = "`size`, `age`, `last` and `waiting`", "E601"
    PRESENT = "`present`", "E601"
    RESIDENT = "`decoding` and `admission`", "E601"
    REMAINING = "`remaining`", "E601"
    POSITION = "`position`", "E601"
    COMPUTED = "`computed`", "E602"
    KERNEL = "the bare names of a claim", "E601"
    REGISTER = "a register", "E614"
    STATE = "a pool or stage function", "E1207"
    ESTIMATE = "an estimate or a price", "E1207"
    WORK = "`work(…)`", "E608"
    CACHEDIN = "`cachedin(…)`", "E611"
    BUDGET_LEFT = "`budget_left(…)`", "E610"
    DRAW = "a draw", "E603"
    TIME = "a device's time resource", "E616"
    OBSERVED = "`total`, `count`, `largest`, `smallest` and `prefix_total`", "E615"
    BLOCKSIZE = "`blocksize(…)`", "E310"

    def __init__(self, words: str, error: str) -> None:
        self.words = words
        self.error = error


_ORDER = "St Hd Qu Ev Pr Ps Tk Ea On By Sc Ex Ga Gi It En Re Co"
_ROWS: dict[Read, str] = {
    Read.CONSTANT: "+ + + + + + + + + + + + + + + + + +",
    Read.ATTRIBUTE: "+ + + + + - - - + + - - - + - - - -",
    Read.HIDDEN: "+ - - - - - - - - - - - - + - - - -",
    Read.NOW: "+ + + + + + + + - + - + - - + + - -",
    Read.WAITED: "- - + - - - - - - - - - - - - - - -",
    Read.ENTRY: "- - - + - - - - - - - - - - - - - -",
    Read.PRESENT: "- - - - - + - - - - - - - - - - - -",
    Read.RESIDENT: "- - - - + - - - + + - - - - - - - -",
    Read.REMAINING: "- - - - - - - - + + - - - - - - - -",
    Read.POSITION: "- - - - + - - - - - - - - - - - - -",
    Read.COMPUTED: "+ + + + - - - - + + - - - + - - - -",
    Read.KERNEL: "- - - - - - - - - - - - - - + - - -",
    Read.REGISTER: "- + + + + - + + + + + + + - + + - -",
    Read.STATE: "+ + + + + + + + + + + + + - + - - -",
    Read.ESTIMATE: "+ + + + + + + + + + + + + - - - - -",
    Read.WORK: "+ + + + + + + + - + - + - - - - - -",
    Read.CACHEDIN: "+ + + + + + + + + + + + - - - - - -",
    Read.BUDGET_LEFT: "+ + + + - + - - + + - + - - - - - -",
    Read.DRAW: "+ - - + - + + + - - - + - - - - + -",
    Read.TIME: "- - - - - - - - - - - + - - - - - -",
    Read.OBSERVED: "- - - - - - - - - - - - - - - + - -",
    Read.BLOCKSIZE: "+ + + + + + + + + + + + + + + + - -",
}
_BY_SHORT = {column.short: column for column in Column}

TABLE: dict[Read, frozenset[Column]] = {
    read: frozenset(_BY_SHORT[short] for short, may in zip(_ORDER.split(), row.split(), strict=True) if may == "+")
    for read, row in _ROWS.items()
}
"""The clauses in which each thing may be read (L10.1)."""

SUPPLIED_READ: dict[str, Read] = {
    "now": Read.NOW,
    "waited": Read.WAITED,
    "size": Read.ENTRY,
    "age": Read.ENTRY,
    "last": Read.ENTRY,
    "waiting": Read.ENTRY,
    "present": Read.PRESENT,
    "decoding": Read.RESIDENT,
    "admission": Read.RESIDENT,
    "remaining": Read.REMAINING,
    "position": Read.POSITION,
    "demand": Read.KERNEL,
    "served": Read.KERNEL,
    "arrived": Read.KERNEL,
    "tokens": Read.KERNEL,
    "prefilled": Read.KERNEL,
    "decoders": Read.KERNEL,
    "residents": Read.KERNEL,
    "kv_decode": Read.KERNEL,
    "kv_prefill": Read.KERNEL,
    "attention": Read.KERNEL,
    "preempted": Read.KERNEL,
    "admitted": Read.KERNEL,
}
"""The row of each context variable."""

NEVER_BARE = frozenset({"preempted", "admitted"})
"""Kernel names that no clause reads bare: an engine's schedule reads ``running.preempted`` and ``waiting.admitted``."""

FUNCTION_READ: dict[str, Read] = {
    "queue": Read.STATE,
    "busy": Read.STATE,
    "used": Read.STATE,
    "free": Read.STATE,
    "holders": Read.STATE,
    "queued": Read.STATE,
    "est_lambda": Read.ESTIMATE,
    "est_rho": Read.ESTIMATE,
    "est_wait": Read.ESTIMATE,
    "price": Read.ESTIMATE,
    "work": Read.WORK,
    "cachedin": Read.CACHEDIN,
    "budget_left": Read.BUDGET_LEFT,
    "blocksize": Read.BLOCKSIZE,
    "total": Read.OBSERVED,
    "count": Read.OBSERVED,
    "largest": Read.OBSERVED,
    "smallest": Read.OBSERVED,
    "prefix_total": Read.OBSERVED,
}
"""The row of each function."""

ENGINE_COLUMNS = (Column.TOKENS, Column.EACH, Column.ONLY, Column.BY, Column.SCHEDULE, Column.EXECUTE)
"""The clauses of an engine, the columns of the list values' table."""

_LIST_ROWS = {
    "running.count": "+ + + + + +",
    "running.decoding": "+ + + + + -",
    "running.kv_decode": "+ + + + + -",
    "running.kv_prefill": "+ + + + + -",
    "running.preempted": "- - - - + -",
    "waiting.count": "+ + + + + +",
    "waiting.admitted": "- - - - + -",
    "batch.tokens": "- - - - + +",
    "batch.prefilled": "- - - - + +",
    "batch.decoding": "- - - - - +",
    "batch.kv_decode": "- - - - - +",
    "batch.kv_prefill": "- - - - - +",
    "batch.attention": "- - - - - +",
}

LIST_TABLE: dict[str, frozenset[Column]] = {
    value: frozenset(column for column, may in zip(ENGINE_COLUMNS, row.split(), strict=True) if may == "+")
    for value, row in _LIST_ROWS.items()
}
"""The clauses that read each list value (L5.17)."""

KERNEL_TO_LIST: dict[str, tuple[str, ...]] = {
    "residents": ("running.count",),
    "decoders": ("running.decoding", "batch.decoding"),
    "tokens": ("batch.tokens",),
    "prefilled": ("batch.prefilled",),
    "kv_decode": ("running.kv_decode", "batch.kv_decode"),
    "kv_prefill": ("running.kv_prefill", "batch.kv_prefill"),
    "attention": ("batch.attention",),
    "preempted": ("running.preempted",),
    "admitted": ("waiting.admitted",),
}
"""What an engine's clauses call each kernel name, by the clause that reads it (E607)."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One place an expression stands.

    Attributes:
        column: its column in the table.
        words: what the author calls it; the column's words where nothing better is known.
        engine: the engine whose clause or claim it is, or that admits the pool whose keys or
            hold's header it is; registers of it may be read there (L5.9).
        anchor: where the reference places an error of reading or typing in it: the pool or
            stage the amount is of. None where the piece itself is pointed at.
        lets: names of schedule lets, which nothing but ``each at most`` reads (L5.14).
    """

    column: Column
    words: str = ""
    engine: Engine | None = None
    anchor: Span | None = None
    lets: frozenset[str] = frozenset()

    @property
    def said(self) -> str:
        """The clause in words for a message."""
        return self.words or self.column.words


def may_read(read: Read, column: Column) -> bool:
    """Whether the table of L10.1 lets ``read`` stand in ``column``."""
    return column in TABLE[read]


def where_read(columns: frozenset[Column]) -> str:
    """The clauses in words, for the sentence that says where a value would be allowed."""
    words = [column.words for column in Column if column in columns]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1] if words else "no clause"
