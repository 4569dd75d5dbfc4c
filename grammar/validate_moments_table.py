"""What may be read at which moment of a run, as one table; knows no program.

R6.24 of the kernel says which context variables a place has; which of the other reads are
refused there was found by trying each of them at every place of the reference.
"""

from __future__ import annotations

from dataclasses import replace

from grammar.declaring import dataclass

ARITHMETIC = frozenset({"Min", "Max", "Abs", "Floor", "Ceil", "Sqrt", "Exp", "Ln"})
COUNTS = frozenset({"Queue", "Busy", "Used", "Free", "Holders", "Queued"})
ESTIMATES = frozenset({"EstLambda", "EstRho", "EstWait", "Price"})
OF_A_SESSION = frozenset({"CachedIn", "Allocated"})
ALL = COUNTS | ESTIMATES | OF_A_SESSION | {"Work", "BudgetLeft"}


@dataclass(frozen=True, slots=True)
class Moment:
    """When an expression is read, and what can be read then.

    Attributes:
        words: the moment in words, for messages.
        context: the context variables that have a value.
        queries: the functions of pools and stages that may be called.
        draws: whether it may draw.
        attributes: whether there is a session whose attributes can be read.
        hidden: whether these include the hidden ones.
        unset: the built-in attributes that mean nothing then, because they are about to be set.
        own_plan: whether ``BudgetLeft`` of the engine whose moment it is may be read.
        aggregates: whether the run's observations are complete.
        fixed_indices: whether the index of a pool or stage must be a plain number.
    """

    words: str
    context: frozenset[str]
    queries: frozenset[str] = ALL
    draws: bool = True
    attributes: bool = True
    hidden: bool = True
    unset: frozenset[str] = frozenset()
    own_plan: bool = True
    aggregates: bool = False
    fixed_indices: bool = False


def _of(names: str) -> frozenset[str]:
    return frozenset(names.split())


class moments:
    """The moments, by name."""

    STATEMENT = Moment("a statement, a run or a hold's cache", _of("Now"))
    HEADER = Moment("a hold's header, read at its admission", _of("Now"), draws=False, hidden=False)
    HOLD_CHAIN = Moment(
        "a hold's prefix, read while it waits and at its admission",
        _of(""),
        frozenset(),
        draws=False,
        hidden=False,
        unset=frozenset({"cached", "computed"}),
    )
    QUEUE = Moment("a queue key, read at every selection", _of("Now Waited"), draws=False, hidden=False)
    EVICT = Moment("an eviction key or a spill, read at an eviction", _of("Now Size Age Last Queued"), hidden=False)
    VICTIM = Moment(
        "a preempt key, read when a victim is chosen",
        _of("Now Decoding Admission Position"),
        ALL - {"BudgetLeft"},
        draws=False,
        hidden=False,
        unset=frozenset({"computed"}),
    )
    CAPACITY = Moment("a stage's capacity, read when its jobs change", _of("Now N"), attributes=False)
    BUDGET = Moment(
        "a tokens cap or a chunk, read before the iteration is formed",
        _of("Now Nres Ndec Kvb Kvp"),
        ALL - {"BudgetLeft"},
        attributes=False,
    )
    COST = Moment("the time of an iteration, read when it is formed", _of("Now Ntok Ndec Npre Nres Kvb Kvp Attn"), attributes=False)
    SERVE = Moment(
        "an order of serving, read as the iteration is formed",
        _of("Now Nres Ndec Kvb Kvp Decoding Admission Remaining"),
        draws=False,
        hidden=False,
    )
    ONLY = Moment(
        "an only clause, read as the iteration is formed",
        _of("Nres Ndec Kvb Kvp Decoding Admission Remaining"),
        ALL - {"Work"},
        draws=False,
        hidden=False,
    )
    PLAN = Moment(
        "a schedule's while, branch or set, read as the iteration is formed",
        _of("Ntok Ndec Npre Nres Kvb Kvp Admitted Preempted"),
        ALL - {"Work"},
        draws=False,
        attributes=False,
        own_plan=False,
    )
    GAUGE = Moment("a gauge", _of(""), COUNTS | ESTIMATES, draws=False, attributes=False, fixed_indices=True)
    GIVEN = Moment("a claim's given, read when a session begins", _of(""), frozenset(), draws=False)
    ITERATION_CLAIM = Moment(
        "a claim over iterations, read when one starts",
        _of("Now Ntok Ndec Npre Nres Kvb Kvp Attn Demand Served Arrived"),
        COUNTS,
        draws=False,
        attributes=False,
        fixed_indices=True,
    )
    AT_END = Moment("a claim at the end", _of("Now"), frozenset(), draws=False, attributes=False, aggregates=True)
    ARRIVAL = Moment("a gap between arrivals", _of(""), frozenset(), attributes=False)
    ADMISSION = Moment(
        "what a request takes, read at its admission",
        _of("Now Input Output Known Hit Loaded Requeued"),
        draws=False,
        hidden=False,
    )
    ADMISSION_INDEX = replace(ADMISSION, words="which pool a request takes, read at its admission", draws=True)
    REUSE = Moment("a request's reuse, read at its admission", _of("Now Input Output Known Requeued"), draws=False, hidden=False)
    CHAIN = Moment("a request's prefix, read at its admission", _of("Input Output Known"), frozenset(), draws=False, hidden=False)
    TRANSFER = Moment(
        "a connector's load, read at a request's admission", _of("Now Input Output Known Hit Requeued"), draws=False, hidden=False
    )
    GIVING_BACK = Moment(
        "a request's cache or a connector's save, read when it gives its pools back",
        _of("Now Input Output Known Finished"),
        hidden=False,
    )
