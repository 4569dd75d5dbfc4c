"""What the language's functions and supplied names are called in the IR (L11.7); knows no program."""

from __future__ import annotations

PURE_FUNCTIONS = {
    "min": "Min",
    "max": "Max",
    "abs": "Abs",
    "floor": "Floor",
    "ceil": "Ceil",
    "sqrt": "Sqrt",
    "exp": "Exp",
    "ln": "Ln",
}
"""Functions of numbers alone (L9.7), with their IR names."""

STAGE_FUNCTIONS = {
    "queue": "Queue",
    "busy": "Busy",
    "work": "Work",
    "est_lambda": "EstLambda",
    "est_rho": "EstRho",
    "est_wait": "EstWait",
    "price": "Price",
    "budget_left": "BudgetLeft",
}
"""Functions whose first argument is a stage (of ``budget_left`` an engine), with their IR names."""

POOL_FUNCTIONS = {"used": "Used", "free": "Free", "cachedin": "CachedIn", "holders": "Holders", "queued": "Queued"}
"""Functions of a pool, with their IR names."""

AGGREGATES = {
    "total": "Total",
    "count": "Count",
    "largest": "Largest",
    "smallest": "Smallest",
    "prefix_total": "PrefixTotal",
}
"""What is read of an observation, with their IR names."""

DISTRIBUTION_NAMES = {
    "exp": "Exp",
    "det": "Det",
    "uniform": "Uniform",
    "erlang": "Erlang",
    "h2": "H2",
    "bernoulli": "Bernoulli",
}
"""The distributions with their IR names (L9.6)."""

CONTEXT = {
    "now": "Now",
    "waited": "Waited",
    "size": "Size",
    "age": "Age",
    "last": "Last",
    "waiting": "Queued",
    "present": "N",
    "tokens": "Ntok",
    "prefilled": "Npre",
    "decoders": "Ndec",
    "residents": "Nres",
    "kv_decode": "Kvb",
    "kv_prefill": "Kvp",
    "attention": "Attn",
    "decoding": "Decoding",
    "admission": "Admission",
    "remaining": "Remaining",
    "position": "Position",
    "preempted": "Preempted",
    "admitted": "Admitted",
    "demand": "Demand",
    "served": "Served",
    "arrived": "Arrived",
}
"""The context variables with their IR names (L11.7)."""

LISTS = {
    "running": {
        "count": "Nres",
        "decoding": "Ndec",
        "kv_decode": "Kvb",
        "kv_prefill": "Kvp",
        "preempted": "Preempted",
    },
    "waiting": {"count": "Queued", "admitted": "Admitted"},
    "batch": {
        "tokens": "Ntok",
        "prefilled": "Npre",
        "decoding": "Ndec",
        "kv_decode": "Kvb",
        "kv_prefill": "Kvp",
        "attention": "Attn",
    },
}
"""The three lists an engine's clauses read, with their fields' IR names (L5.17)."""

BUILT_IN_SLOTS = ("cached", "serial", "turn_no", "new", "out", "think", "more", "forced", "computed")
"""The built-in attributes in the order of their slots (L11.2)."""

RETIRED_TODAY = {
    "enter": "hold",
    "fit": "reserve",
    "fits": "reserve",
    "keep": "cache",
    "where": "at admission (x = e)",
    "pow": "x ^ y",
}
"""Words of older forms, each with today's (E416)."""

HOST_OPTIONS = frozenset("horizon warmup seed arrivals def trace json instance out format".split())
"""Names an input cannot take, for they are options of the command line (L3.15)."""
