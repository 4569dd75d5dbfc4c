"""The tables of a dump, column by column: the files' heads and docs/exports.md are made from this; writes nothing."""

from __future__ import annotations

from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        unit: what its figures count, empty for words.
    """

    name: str
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """A file of a dump.

    Attributes:
        rows: what a line is.
    """

    file: str
    rows: str
    columns: tuple[Column, ...]


ITERATIONS = Table(
    "iterations.csv",
    "an iteration of an engine, in the order they ended",
    (
        Column("engine", "", "the engine"),
        Column("iteration", "number", "its number at the engine, from 1"),
        Column("start_s", "s", "when it began"),
        Column("end_s", "s", "when it was over; empty where the run ended first"),
        Column("cost_s", "s", "how long it was to last"),
        Column("tokens", "tokens", "scheduled in it"),
        Column("prefill_tokens", "tokens", "those of prefills"),
        Column("decode_tokens", "tokens", "those of decodes"),
        Column("prefills", "requests", "that computed a piece of a prompt"),
        Column("decodes", "requests", "that decoded"),
        Column("budget", "tokens", "the cap it was formed under; `inf` without one"),
        Column("running", "requests", "at the engine as it began"),
        Column("waiting", "holds", "in the queues it admits, as it began"),
        Column("preempted", "requests", "preempted while it was formed"),
    ),
)
REQUESTS = Table(
    "requests.csv",
    "a request, or a leg of one that does engine work itself, in the order they ended; those that live at the end come last",
    (
        Column("request", "", "`r7`, or `r7/0` for its first leg"),
        Column("arrived_s", "s", "when it was created; of a leg, when it first did something"),
        Column("ended_s", "s", "when it ended (of a leg, when its request did); empty where it lives"),
        Column("turns", "turns", "that began"),
        Column("responses", "turns", "that had their response"),
        Column("first_token_s", "s", "when the first token came out that a response tells of; empty without one"),
        Column("admissions", "holds", "that were admitted"),
        Column("preemptions", "times", "it was preempted"),
        Column("queued_s", "s", "it waited for a hold"),
        Column("preempted_s", "s", "it waited again after preemptions"),
        Column("unserved_s", "s", "it ran and got no token"),
        Column("growing_s", "s", "it waited for a growth to fit"),
        Column("prefill_s", "s", "its prompt was computed"),
        Column("recompute_s", "s", "what preemptions lost was computed again"),
        Column("decode_s", "s", "it decoded"),
        Column("prefill_tokens", "tokens", "of its prompts"),
        Column("recompute_tokens", "tokens", "computed again, in chunks that began with what was lost"),
        Column("decode_tokens", "tokens", "decoded"),
        Column("found", "units", "of its cached prefixes found at admissions"),
        Column("lost", "units", "computed that preemptions took"),
    ),
)
POOLS = Table(
    "pools.csv",
    "what a pool holds from a moment on, where that changed",
    (
        Column("time_s", "s", "from when on"),
        Column("pool", "", "the pool"),
        Column("used", "units", "allocated by holds and leases"),
        Column("cached", "units", "of cached prefixes"),
        Column("reserved", "units", "that holds reserved and have not allocated"),
        Column("waiting", "holds", "in its queue"),
        Column("holders", "requests", "that hold it, legs by themselves"),
    ),
)
DECISIONS = Table(
    "decisions.csv",
    "a decision, in the order decided",
    (
        Column("time_s", "s", "when"),
        Column("type", "", "which, as docs/decisions.md names it"),
        Column("engine", "", "the engine whose attempt it was made in"),
        Column("pool", "", "the pool it is about"),
        Column("request", "", "the request it is about"),
        Column("details", "JSON", "its other fields, as docs/decisions.md explains them"),
    ),
)
SAMPLES = Table(
    "samples.csv",
    "a sample of an `observe`, or of what the client saw, after the warm-up, as the report counts them",
    (
        Column("kind", "", "`observe` or `client`"),
        Column("name", "", "the observation's title; `ttft`, `tpot` or `response` of the client"),
        Column("time_s", "s", "when it was taken"),
        Column("value", "the program's own; s for the client", "the sample"),
        Column("request", "", "whose"),
        Column("turn", "number", "in which turn, from 1"),
    ),
)
GAUGES = Table(
    "gauges.csv",
    "a gauge's value from a moment on",
    (
        Column("gauge", "", "its name"),
        Column("time_s", "s", "from when on"),
        Column("value", "the program's own", "its value"),
    ),
)
TABLES = (ITERATIONS, REQUESTS, POOLS, DECISIONS, SAMPLES, GAUGES)
