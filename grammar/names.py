"""The language's own words, by kind, and the nearest of several names to one misspelt; knows no program."""

from __future__ import annotations

from collections.abc import Iterable

WORDS = frozenset(
    """
    Cost Size admission admit advance arrive at batch bernoulli block bottleneck branch by cache cap choose claim closed
    cost decode def delay device drop each else end engine every evict exclusive execute fifo first fn fork from gauge
    given granule grow growing head held hidden hold in init iteration join latency lease let lifo link load loop lru
    mark maxmin most nic none observe of on only ordered poisson pool preempt prefill ps queue release renewal request
    requeue reserve reuse run schedule serve server session set share some spill stage state sum tail taking to tool
    trace transfer turn use via when while with workload arrivals budget chunk fits horizon memory seed step warmup
    """.split()
)
"""What means something somewhere in the grammar, and what did in older forms (L1.10)."""

FUNCTIONS = frozenset(
    """
    min max abs floor ceil sqrt exp ln queue busy work used free cachedin holders queued price budget_left est_lambda
    est_rho est_wait blocksize total count largest smallest prefix_total
    """.split()
)
"""What can be called in an expression besides ``cost`` and definitions (L9.7)."""

DISTRIBUTIONS = {
    "exp": ("mean",),
    "det": ("x",),
    "uniform": ("lo", "hi"),
    "erlang": ("k", "mean"),
    "h2": ("mean", "cv2"),
    "bernoulli": ("p",),
}
"""What ``~`` draws from, with its parameters (L9.6)."""

SUPPLIED = frozenset(
    """
    now waited size age last waiting present tokens prefilled decoders residents kv_decode kv_prefill attention decoding
    admission remaining position preempted admitted demand served arrived running batch inf
    """.split()
)
"""What the language supplies to be read where it makes sense (L1.10)."""

BUILT_IN = frozenset("cached serial turn_no new out think more forced computed".split())
"""The session attributes every program has (L3.7)."""

SCHEDULER_SET = frozenset({"cached", "computed"})
"""The built-in attributes that only an admission or a preemption sets (L3.7)."""

RETIRED = frozenset("enter fit keep where".split())
"""Words of older forms, refused with today's form (E416)."""

SERVING_WORDS = frozenset("gateway prefill decode link l2 tool transfer".split())
"""What no queue may be named (L1.9, E1310)."""

ROLES = ("gateway", "prefill", "decode", "link", "l2")
"""What a queue can play."""

SHORT_NAME = 3
"""Up to this length a name two edits away is a different name (L13.4)."""


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The one candidate close enough to be what was meant, None without one or with two equally near (L13.4).

    Close enough is two edits, one for a name of three letters or less; an edit adds, drops or changes a letter, or
    swaps two neighbours. Closest is what differs in capitals alone.
    """
    candidates = tuple(candidates)
    alike = [candidate for candidate in candidates if candidate != name and candidate.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    reach = 1 if len(name) <= SHORT_NAME else 2
    best: list[str] = []
    for candidate in dict.fromkeys(candidates):
        distance = edit_distance(name, candidate, reach)
        if distance > reach or candidate == name:
            continue
        if distance < reach:
            reach, best = distance, []
        best.append(candidate)
    return best[0] if len(best) == 1 else None


def edit_distance(one: str, other: str, reach: int) -> int:
    """How many edits lie between two names; anything above ``reach`` once it is known to be more."""
    if abs(len(one) - len(other)) > reach:
        return reach + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        above, row = row, [i]
        for j, counterpart in enumerate(other, start=1):
            edits = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != counterpart))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == counterpart:
                edits = min(edits, before[j - 2] + 1)
            row.append(edits)
        if min(row) > reach:
            return reach + 1
        before = above
    return row[-1]
