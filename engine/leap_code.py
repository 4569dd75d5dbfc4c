"""Writes the loop that ``engine.leap`` runs: one Python function a program and shape; runs nothing itself.

The text is made from the checked IR and from counts alone. Its locals: ``t`` and ``e`` are
when the running iteration began and ends, ``c`` what it costs, ``d`` how long the clock
moved, ``tick`` the cohort's tick that is running, ``n`` its members; ``o``, ``n`` and ``x``
with a number are the integrals of averages whose value is 1, ``n``, or another (``v``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import frexp
from typing import TYPE_CHECKING, Any, NamedTuple

from engine import prefix_cache
from engine.constants import EPS
from engine.expressions import context_of, expression_text
from engine.queries import NAMESPACE
from engine.statistics import add_repeatedly
from grammar import ir

if TYPE_CHECKING:
    from engine.calendar import Cohort
    from engine.codes import ProgramCode, StageCode
    from engine.pool_state import PoolState
    from engine.stage_state import StageState
    from engine.state import State
    from engine.statistics import TimeAverage

Loop = Callable[..., tuple[int, float, float, float]]

_SHORT = 2
"""Members up to which their gaps are added one by one: more at once costs little more, and every number has a loop of its own."""

_LEAST_STRETCH = 6
"""Iterations of one cost from which taking them at once pays (measured: even at 5)."""

_CONTEXT = re.compile(r"\bm\.(Ntok|Ndec|Npre|Nres|Kvp|Attn)\b")


class Shape(NamedTuple):
    """What a loop is written for.

    Attributes:
        ones: averages whose value is 1.
        ens: averages whose value is the number of members.
        others: averages of another value that is not 0.
        grows: whether the members grow a pool.
        warm: whether gaps and batches are measured.
        short: the number of members where it is small, else 0.
    """

    ones: int
    ens: int
    others: int
    grows: bool
    warm: bool
    short: int

    def signals(self) -> Iterator[tuple[str, str]]:
        """The constant averages' integrals, with what one iteration adds to each."""
        for i in range(self.ones):
            yield f"o{i}", "d"
        for i in range(self.ens):
            yield f"n{i}", "nd"
        for i in range(self.others):
            yield f"x{i}", f"v{i} * d"


def run(
    k: State,
    st: StageState,
    cohort: Cohort,
    pool: PoolState | None,
    end: float,
    until: float,
    most: int,
    averages: list[TimeAverage],
) -> tuple[int, float, float, float]:
    """``leap_loop.run`` by the loop generated for the engine and for what stands still in this leap."""
    members = len(cohort.members)
    ones: list[TimeAverage] = []
    ens: list[TimeAverage] = []
    others: list[TimeAverage] = []
    for average in averages:
        (ones if average.value == 1.0 else ens if average.value == members else others).append(average)
    shape = Shape(len(ones), len(ens), len(others), pool is not None, k.warm, members if members <= _SHORT else 0)
    loop = _loop_for(k.code, st.code, shape)
    return loop(k, k.moment, st, cohort, pool, k.now, end, until, most, members, ones, ens, others)


def _loop_for(code: ProgramCode, stage: StageCode, shape: Shape) -> Loop:
    """The loop of an engine for a shape, written once each."""
    key = (stage.index, shape)
    made: Loop | None = code.loops.get(key)
    if made is None:
        kind = code.program.stages[stage.index].kind
        assert isinstance(kind, ir.Step)
        namespace: dict[str, Any] = dict(NAMESPACE)
        namespace.update(frexp=frexp, add_repeatedly=add_repeatedly, EPS=EPS, evict=prefix_cache.evict_units)
        exec(compile("\n".join(_write(kind.cost, shape)), "<leap>", "exec"), namespace)
        made = namespace["loop"]
        code.loops[key] = made
    return made


def _write(cost: ir.Expr, shape: Shape) -> Iterator[str]:
    yield "def loop(k, m, st, cohort, pool, t, e, until, most, n, ones, ens, others):"
    yield from _indent(1, _begin(shape))
    yield "    while done < most and e < until:"
    yield from _indent(
        2, _iteration(_CONTEXT.sub(r"\1", expression_text(cost)).replace("m.Kvb", "kv").replace("k.now", "e"), shape)
    )
    if "Now" not in context_of(cost):
        yield from _indent(2, _stretch(shape))
    yield from _indent(1, _finish(shape))


def _indent(depth: int, lines: Iterator[str]) -> Iterator[str]:
    pad = "    " * depth
    return (pad + line for line in lines)


def _begin(shape: Shape) -> Iterator[str]:
    yield "done = 0; c = 0.0; fn = float(n)"
    yield "Ntok, Ndec, Npre, Nres, Kvp, Attn = m.Ntok, m.Ndec, m.Npre, m.Nres, m.Kvp, m.Attn"
    for group, letter, count in (("ones", "o", shape.ones), ("ens", "n", shape.ens), ("others", "x", shape.others)):
        for i in range(count):
            yield f"{letter}{i} = {group}[{i}].integral; top_{letter}{i} = 0.0"
    for i in range(shape.others):
        yield f"v{i} = others[{i}].value"
    yield "kv = cohort.kv"
    if shape.grows:
        yield "growth = cohort.growth; unit = int(cohort.unit); tick = cohort.tick + 1"
        yield "used = pool.used; cached = pool.cached; cap = pool.code.cap; block = pool.code.block"
        yield "iu = pool.mean_used.integral; ic = pool.mean_cached.integral; top_iu = top_ic = 0.0; gone = 0.0"
    if shape.warm:
        yield "gaps = st.gaps; total = gaps.total; lo, hi = gaps.span(); gn = 0; top = 0.0"
        yield "db = st.decode_batch.mean; ds = st.decode_step.mean; dn = st.decode_batch.n"


def _iteration(cost: str, shape: Shape) -> Iterator[str]:
    """One iteration ends and the next begins; leaves the loop where the plain path must decide."""
    if shape.grows:
        yield "g = growth.get(tick + 1)"
        yield "more = lost = 0.0"
        yield "if g is not None:"
        yield "    more = float(g * unit)"
        yield "    if used + more > cap: break"
        yield "    over = used + more + cached - cap - EPS"
        yield "    if over > 0 and cached > 0:"
        yield "        if not block: break"
        yield "        lost = -(-over // block) * block"
        yield "        if lost > cached: lost = cached"
        yield "    kv += more"
    yield f"c = {cost}"
    yield "if not c > 0:"
    if shape.grows:
        yield "    kv -= more"
    yield "    break"
    yield "d = e - t"
    if shape.ens:
        yield "nd = fn * d"
    for integral, addend in shape.signals():
        yield f"{integral} += {addend}"
    if shape.grows:
        yield "iu += used * d; ic += cached * d; tick += 1"
        yield "if g is not None:"
        yield "    del growth[tick]"
        yield "    growth[tick + unit] = growth.get(tick + unit, 0) + g"
        yield "    used += more"
        yield "    cached -= lost"
        yield "    gone += lost"
    if shape.warm:
        singly = iter(["total += d"] * shape.short)
        yield from _gaps("n", singly if shape.short else _jump("total", "d", "n", "top"))
        yield "dn += 1; db += (fn - db) / dn; ds += (c - ds) / dn"
    yield "t = e; e = t + c; done += 1"


def _gaps(times: str, add: Iterator[str]) -> Iterator[str]:
    """The gap ``d`` so many times; one in the bucket taken last needs no logarithm."""
    yield "if lo <= d <= hi:"
    yield f"    gn += {times}"
    yield from _indent(1, add)
    yield "else:"
    yield f"    gaps.take(total, gn); gaps.add_many(d, {times})"
    yield "    total = gaps.total; lo, hi = gaps.span(); gn = 0"


def _stretch(shape: Shape) -> Iterator[str]:
    """Takes many iterations of one cost at once.

    Until the next growth the cost stays, so the clock adds the same number again and again,
    and so does every integral. The clock must stay within its power of two, where its steps
    are all alike from the second on (``add_repeatedly`` says why).
    """
    yield "r = most - done"
    if shape.grows:
        yield "if tick + 1 in growth: r = 0"
        yield "elif growth:"
        yield "    still = min(growth) - tick - 1"
        yield "    if still < r: r = still"
    yield f"if r > {_LEAST_STRETCH} and e < until:"
    yield "    d = (e + c) - e"
    yield "    far = 2.0 ** frexp(e)[1]"
    yield "    if e - t == d and d > 0 and frexp(t)[1] == frexp(e)[1]:"
    yield "        fit = ((until if until < far else far) - e) / d - 2"
    yield "        if fit < r: r = int(fit) if fit > 0 else 0"
    yield f"        if r > {_LEAST_STRETCH}:"
    yield from _indent(3, _take(shape))


def _take(shape: Shape) -> Iterator[str]:
    if shape.ens:
        yield "nd = fn * d"
    for integral, addend in shape.signals():
        yield from _jump(integral, addend, "r", f"top_{integral}")
    if shape.grows:
        yield from _jump("iu", "used * d", "r", "top_iu")
        yield from _jump("ic", "cached * d", "r", "top_ic")
        yield "tick += r"
    if shape.warm:
        yield from _gaps("n * r", _jump("total", "d", "n * r", "top"))
        yield "for dn in range(dn + 1, dn + r + 1):"
        yield "    db += (fn - db) / dn; ds += (c - ds) / dn"
    yield "t += r * d; e = t + c; done += r"


def _jump(total: str, addend: str, times: str, top: str) -> Iterator[str]:
    """``add_repeatedly`` written out; ``top`` is the power of two above the sum as last known, 0 for unknown."""
    yield f"a = {addend}; f = {total} + a; j = f + ({times} - 1) * ((f + a) - f)"
    yield f"if j < {top}: {total} = j"
    yield "else:"
    yield f"    {total} = add_repeatedly({total}, a, {times})"
    yield f"    {top} = 2.0 ** frexp({total})[1] if {total} > 0 else 0.0"


def _finish(shape: Shape) -> Iterator[str]:
    for group, letter, count in (("ones", "o", shape.ones), ("ens", "n", shape.ens), ("others", "x", shape.others)):
        for i in range(count):
            yield f"{group}[{i}].integral = {letter}{i}"
    yield "cohort.kv = kv"
    if shape.grows:
        yield "if done:"
        yield "    pool.used = used"
        yield "    for average, integral, value in ((pool.mean_used, iu, used), (pool.mean_cached, ic, cached)):"
        yield "        average.integral = integral; average.last = t; average.value = value"
        yield "    if gone: evict(k, pool, gone)"
    if shape.warm:
        yield "gaps.take(total, gn)"
        yield "st.decode_batch.mean = db; st.decode_step.mean = ds; st.decode_batch.n = st.decode_step.n = dn"
    yield "return done, t, e, c"
