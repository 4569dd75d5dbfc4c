"""What a run amounts to: the report, and the samples behind it (R9); changes nothing.

The report of a moment is the report of a run that ends there.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from engine import admission, gauges
from engine.constants import GROWING
from engine.failure import ProgramFailure
from engine.names import name
from engine.rounding import up
from engine.statistics import RunningMean, confidence, ninety_ninth

if TYPE_CHECKING:
    from engine.history import History
    from engine.pool_state import PoolState
    from engine.stage_state import StageState
    from engine.state import State

VERSION = "0.1.0"
"""What a report says of the program that wrote it."""

_KINDS = {"EveryIteration": "every_iteration", "SomeIteration": "some_iteration", "AtEnd": "at_end"}


def report(k: State, end: float) -> dict[str, Any]:
    """The report of a finished run, field by field as the reference's (R9.1).

    Args:
        k: the state after the run's last event, gauges read once more.
        end: the final clock, in seconds.
    """
    program = k.code.program
    result: dict[str, Any] = {
        "serq_version": f"serq-tui {VERSION}",
        "horizon": k.horizon,
        "end": end,
        "warmup": k.warmup,
        "seed": k.seed,
        "events": k.events,
        "arrivals": k.arrived,
        "ended": k.ended,
        "turns": k.turns,
        "mean_live": k.mean_live.mean(end),
        "observes": {title: _observation(_warm(h)) for title, h in zip(program.observes, k.observed, strict=True)},
        "client": {title: _observation([value for _, value, _, _ in h.all()]) for title, h in k.client.items()},
        "gauges": {
            gauge.name: gauges.summary(history.all(), k.warmup, end)
            for gauge, history in zip(program.gauges, k.gauges, strict=True)
        },
    }
    if program.claims:
        result["claims"] = _claims(k, end)
    result["stages"] = [_stage(k, st, end) for st in k.stages]
    over = _over_cap(k)
    result["pools"] = [_pool(k, pool, end, over.get(pool.code.index)) for pool in k.pools]
    finite: dict[str, Any] = _without_nonfinite(result)
    return finite


def samples(k: State) -> dict[str, Any]:
    """The samples, client samples and gauge points behind the report.

    Returns:
        ``observes`` and ``client`` with samples, times, sessions and turns; ``gauges`` with
        times and values. Infinities and NaN are the strings ``inf``, ``-inf`` and ``nan``.
    """
    program = k.code.program
    return {
        "observes": {
            title: _columns([sample[:4] for sample in history.all() if sample[4]])
            for title, history in zip(program.observes, k.observed, strict=True)
        },
        "client": {title: _columns(history.all()) for title, history in k.client.items()},
        "gauges": {
            gauge.name: {"times": [point[0] for point in history.all()], "values": [_text(point[1]) for point in history.all()]}
            for gauge, history in zip(program.gauges, k.gauges, strict=True)
        },
    }


def _columns(rows: list[tuple[float, float, int, int]]) -> dict[str, Any]:
    return {
        "samples": [_text(value) for _, value, _, _ in rows],
        "times": [time for time, _, _, _ in rows],
        "sessions": [serial for _, _, serial, _ in rows],
        "turns": [turn for _, _, _, turn in rows],
    }


def _text(x: float) -> float | str:
    if isfinite(x):
        return x
    return "nan" if x != x else "inf" if x > 0 else "-inf"


def _warm(history: History) -> list[float]:
    return [sample[1] for sample in history.all() if sample[4]]


def _observation(values: list[float]) -> dict[str, Any]:
    """R9.10: the figures of an observation."""
    running = RunningMean()
    for value in values:
        running.add(value)
    return {
        "count": len(values),
        "mean": running.result(),
        "ci": confidence(values),
        "cv2": running.cv2(),
        "p99": ninety_ninth(values),
    }


def _stage(k: State, st: StageState, end: float) -> dict[str, Any]:
    """R9.6 to R9.8."""
    span = end - k.warmup
    step = st.code.step is not None
    return {
        "name": st.code.name,
        "index": st.code.label,
        "mean_number": st.mean_number.mean(end),
        "utilization": st.mean_busy.mean(end),
        "completed": st.completed,
        "throughput": st.completed / span if span > 0 else None,
        "mean_wait": st.wait.result(),
        "mean_service": st.service.result(),
        "iterations": st.iterations,
        "prefill_only": st.prefill_only.mean(end) if step else 0,
        "decode_only": st.decode_only.mean(end) if step else 0,
        "mixed": st.mixed.mean(end) if step else 0,
        "mean_decodes": st.mean_decodes.mean(end) if step else 0,
        "mean_decode_batch": st.decode_batch.result(),
        "mean_decode_step": st.decode_step.result(),
        "mean_itl": st.gaps.mean(),
        "itl_p50": st.gaps.quantile(0.5),
        "itl_p99": st.gaps.quantile(0.99),
        "idle_with_work": st.idle_with_work,
    }


def _pool(k: State, pool: PoolState, end: float, over: dict[str, Any] | None) -> dict[str, Any]:
    """R9.9."""
    growing = [s for s in pool.growers if s.status == GROWING]
    return {
        "name": pool.code.name,
        "index": pool.code.label,
        "mean_used": pool.mean_used.mean(end),
        "mean_cached": pool.mean_cached.mean(end),
        "mean_queue": pool.mean_queue.mean(end),
        "mean_holders": pool.mean_holders.mean(end),
        "mean_wait": pool.wait.result(),
        "admissions": pool.admissions,
        "evicted_entries": pool.evicted_entries,
        "evicted_units": pool.evicted_units,
        "preemptions": pool.preemptions,
        "spills": pool.spills,
        "rejected": pool.rejected,
        "stuck": pool.stuck,
        "over_cap": over,
        "growing_at_end": len(growing),
        "growing_stalled": bool(growing) and _all_stalled(k, pool),
    }


def _all_stalled(k: State, pool: PoolState) -> bool:
    """R9.9: every session with a hold or a lease on the pool grows in it."""
    index = pool.code.index
    # Whoever has a lease set aside may give it up as a holder may its own (measured).
    aside = [s for s in k.slots if s is not None and any(lease.pool == index for lease in s.suspended)]
    return all(s.status == GROWING and s.where == index for s in (*pool.holders, *aside))


def _over_cap(k: State) -> dict[int, dict[str, Any]]:
    """R9.29: heads that ask more than a pool could ever give, by pool."""
    found: dict[int, dict[str, Any]] = {}
    for queue in k.pools:
        if not queue.queue:
            continue
        try:
            session = admission.select(k, queue)
            needs = admission.evaluate(k, session)
        except ProgramFailure:
            continue
        assert session.pending is not None
        for index, (_, need) in zip(session.pending.pools, needs, strict=True):
            pool = k.pools[index].code
            if up(pool, need) > pool.cap and index not in found:
                found[index] = {"queue": name(queue.code), "need": need}
    return found


def _claims(k: State, end: float) -> list[dict[str, Any]]:
    """R9.19: what became of the claims."""
    at_end = dict(k.code.end_claims)
    rows = []
    for i, (claim, state) in enumerate(zip(k.code.program.claims, k.claims, strict=True)):
        checked, failures, first, note = state.checked, state.failures, state.first, None
        if state.out_of_scope is not None:
            result = "out_of_scope"
            note = f"session {state.out_of_scope} fails `given`"
        elif claim.kind == "AtEnd":
            result = "not_evaluated"
            if k.live:
                note = f"{k.live} session{'' if k.live == 1 else 's'} live at the end"
            else:
                checked = 1
                result = "holds" if at_end[i](k, k.nobody, k.moment) != 0 else "fails"
                if result == "fails":
                    failures, first = 1, end
        elif claim.kind == "EveryIteration":
            result = "fails" if failures else "holds"
        else:
            result = "witnessed" if first is not None else "not_witnessed"
        rows.append(
            {
                "name": claim.name,
                "kind": _KINDS[claim.kind],
                "result": result,
                "checked": checked,
                "failures": failures,
                "first": first,
                "note": note,
            }
        )
    return rows


def _without_nonfinite(value: Any) -> Any:
    """R9.1: numbers that are not finite do not exist in a report."""
    if isinstance(value, dict):
        return {key: _without_nonfinite(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_without_nonfinite(v) for v in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
