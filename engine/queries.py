"""What expressions call: functions of numbers, of stages and of pools; changes nothing."""

from __future__ import annotations

from math import copysign, exp, inf, isinf, log, sqrt
from math import pow as _pow
from typing import TYPE_CHECKING, Any

from engine import calendar, rng, shared_prefixes
from engine.failure import ProgramFailure
from engine.session_state import Session

if TYPE_CHECKING:
    from engine.state import State


nan = -float("nan")
"""The NaN that an operation makes: its sign is set on x86, where the reference was measured,
and the total order (R1.2) puts such a NaN below everything."""


def divide(a: float, b: float) -> float:
    """IEEE division: 1/0 is infinite, 0/0 NaN (R7.3)."""
    if b != 0:
        return a / b
    if a != a or a == 0:
        return nan
    return inf if (a > 0) == (str(b)[0] != "-") else -inf


def power(a: float, b: float) -> float:
    """C's ``pow`` (R7.3); what is no number keeps its sign, which an odd power of a set one clears (measured)."""
    if a != a and b == b and b != 0:
        return -a if copysign(1.0, a) < 0 and b % 2 == 1 else a
    try:
        return _pow(a, b)
    except ValueError:
        if a == 0:
            odd = b % 2 == 1 and str(a)[0] == "-"
            return -inf if odd else inf
        return nan
    except OverflowError:
        return -inf if a < 0 and b % 2 == 1 else inf


def square_root(x: float) -> float:
    """``sqrt``, NaN below 0 (R7.6)."""
    return sqrt(x) if x >= 0 else x if x != x else nan


def exponential_of(x: float) -> float:
    """``exp``, infinite where it overflows (R7.6)."""
    try:
        return exp(x)
    except OverflowError:
        return inf


def logarithm(x: float) -> float:
    """``ln``: minus infinity at 0, NaN below (R7.6)."""
    if x > 0:
        return log(x)
    # Measured: of a number below 0 the reference's is a NaN without the sign.
    return -inf if x == 0 else x if x != x else -nan


def member(base: int, count: int, index: float) -> int:
    """The index of a member of an array (R7.8).

    Raises:
        ProgramFailure: the index is not a whole number of 0 … count-1 (R10.4).
    """
    if 0 <= index < count and index == index // 1.0:
        return base + int(index)
    raise ProgramFailure(f"an index is {shown(index)}: it must be a whole number from 0 to {count - 1}")


def shown(x: float) -> str:
    """A number as a person writes it."""
    if isinf(x):
        return "inf" if x > 0 else "-inf"
    return str(int(x)) if x == x and x == x // 1.0 and abs(x) < 1e16 else repr(x)


# --------------------------------------------------------------------------- stages


def jobs_present(k: State, stage: int) -> float:
    """``queue(S)``: jobs present (R7.9)."""
    return float(len(k.stages[stage].jobs))


def busy(k: State, stage: int) -> float:
    """``busy(S)``: jobs in service (R7.9)."""
    st = k.stages[stage]
    if st.code.kind == "fifo":
        return float(st.active)
    if st.code.kind == "step":
        return float(len(st.iteration.batch) + st.iteration.members) if st.iteration is not None else 0.0
    return float(len(st.jobs) - st.latent)


def unfinished_work(k: State, stage: int) -> float:
    """``work(S)``: work not yet done, in ascending job number (R7.10, R7.7)."""
    st = k.stages[stage]
    kind = st.code.kind
    total = -0.0
    if kind == "ps":
        v = st.virtual + st.rate * (k.now - st.last)
        for number in sorted(st.jobs):
            job = st.jobs[number]
            total += job.work if job.latent else _max0(job.work - v)
    elif kind == "shared":
        dt = k.now - k.flows_last
        for number in sorted(st.jobs):
            job = st.jobs[number]
            total += _max0(job.work - job.rate * dt)
    elif kind == "step":
        calendar.fold(st)
        for job in st.residents:
            total += job.work
    else:
        for number in sorted(st.jobs):
            job = st.jobs[number]
            total += _max0(job.work - (k.now - job.started)) if job.started >= 0 else job.work
    return total


def _max0(x: float) -> float:
    return x if x > 0.0 else 0.0


def _arrival_rate(k: State, stage: int) -> float:
    est = k.stages[stage].estimates
    return 1.0 / est.gap if est.gaps and est.gap > 0 else 0.0


def est_lambda(k: State, stage: int) -> float:
    """``est_lambda(S)``: completions' starts a second (R7.15)."""
    return _arrival_rate(k, stage)


def est_rho(k: State, stage: int) -> float:
    """``est_rho(S)``: load, at most 0.99 (R7.15)."""
    rate = _arrival_rate(k, stage)
    if rate == 0:
        return 0.0
    load = rate * k.stages[stage].estimates.service
    return load if load < 0.99 else 0.99


def est_wait(k: State, stage: int) -> float:
    """``est_wait(S)``: mean wait in seconds (R7.15)."""
    return k.stages[stage].estimates.wait


def price(k: State, stage: int, hit: float, extra: float) -> float:
    """``price(S, hit, extra)`` (R7.15)."""
    rate = est_lambda(k, stage)
    rho = est_rho(k, stage)
    m = hit + extra
    return extra + divide(rate * (m * m - hit * hit), 2.0 * (1.0 - rho)) + divide(rate * est_wait(k, stage) * extra, 1.0 - rho)


def budget_left(k: State, stage: int) -> float:
    """``budget_left(E)``: what an admission by E has left, else a plan of its next iteration (R7.12)."""
    if k.planning is not None and k.planning[0] == stage:
        return k.planning[1]
    from engine.plan import planned_budget

    return planned_budget(k, k.stages[stage])


# --------------------------------------------------------------------------- pools


def used(k: State, pool: int) -> float:
    """``used(P)``: units allocated (R7.11)."""
    return k.pools[pool].used


def free(k: State, pool: int) -> float:
    """``free(P)``: capacity less what is allocated (R7.11)."""
    p = k.pools[pool]
    return p.code.cap - p.used


def cached_in(k: State, s: object, pool: int) -> float:
    """``cachedin(P)``: units of the session's own cached prefix (R4.34); none for whoever is no session."""
    if not isinstance(s, Session):
        return 0.0
    if k.pools[pool].tree is not None:
        return shared_prefixes.seen(k, k.pools[pool], s)
    entry = k.pools[pool].entries.get((0, s.serial))
    return entry.size if entry is not None else 0.0


def allocated(k: State, s: object, pool: int) -> float:
    """What the session's holds and leases have of a pool (R7.11, R7.7); nothing for whoever is no session."""
    del k
    total = -0.0
    if not isinstance(s, Session):
        return total
    for hold in s.holds:
        for held in hold.pools:
            if held.pool == pool:
                total += held.alloc
    for lease in s.leases:
        if lease.pool == pool:
            total += lease.alloc
    return total


def holders(k: State, pool: int) -> float:
    """``holders(P)``: sessions and legs that hold units (R7.11)."""
    return float(len(k.pools[pool].holder_counts))


def queued(k: State, pool: int) -> float:
    """``queued(P)``: holds waiting in its queue (R7.11)."""
    return float(len(k.pools[pool].queue))


# --------------------------------------------------------------------------- observations


def aggregate(k: State, kind: str, observe: int) -> float:
    """An aggregate over everything observed, warm-up included, in order (R7.13)."""
    values = [sample[1] for sample in k.observed[observe].all()]
    if kind == "Count":
        return float(len(values))
    if kind == "Total":
        total = -0.0
        for v in values:
            total += v
        return total
    if not values:
        return -0.0 if kind == "PrefixTotal" else 0.0
    if kind == "Largest":
        return _fold(values, greatest=True)
    if kind == "Smallest":
        return _fold(values, greatest=False)
    n = len(values)
    total = -0.0
    for i, v in enumerate(sorted(values)):
        total += v * (n - i)
    return total


def _fold(values: list[float], *, greatest: bool) -> float:
    best = values[0]
    for v in values[1:]:
        if best != best or (v > best if greatest else v < best):
            best = v
    return best


NAMESPACE: dict[str, Any] = {
    "inf": inf,
    "nan": nan,
    **{
        f.__name__: f
        for f in (
            divide,
            power,
            square_root,
            exponential_of,
            logarithm,
            member,
            jobs_present,
            busy,
            unfinished_work,
            est_lambda,
            est_rho,
            est_wait,
            price,
            budget_left,
            used,
            free,
            cached_in,
            allocated,
            holders,
            queued,
            aggregate,
            rng.exponential,
            rng.deterministic,
            rng.uniform,
            rng.erlang,
            rng.h2,
            rng.bernoulli,
        )
    },
}
"""What the generated code may name."""
