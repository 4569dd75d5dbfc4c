"""The wrong lines ``tests.mutations`` tries: where, what, against which rule, and who should notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """One wrong line.

    Attributes:
        file: in ``engine``.
        rule: what the line enacts.
        original: a piece of the line that stands in the file once.
        mutated: what takes its place.
        tests: files, from ``tests/engine`` on, or tests in them (``file::name``), one of which must fail.
    """

    file: str
    rule: str
    original: str
    mutated: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        short = " ".join(self.original.split())
        return f"{self.rule} {self.file}: {short} -> {' '.join(self.mutated.split())}"


def _in(file: str, *rows: tuple[str, str, str, str]) -> list[Mutation]:
    """Mutations of one file: (rule, original, mutated, tests separated by blanks)."""
    return [Mutation(file, rule, original, mutated, tuple(tests.split())) for rule, original, mutated, tests in rows]


MUTATIONS: tuple[Mutation, ...] = (
    *_in(
        "admission.py",
        ("R4.1", "need <= pool.code.cap + EPS", "need <= pool.code.cap", "test_pools.py"),
        ("R4.2", "rounded = up(pool.code, units)", "rounded = units", "test_pools.py"),
        ("R4.4", "if not pool.code.reserve_held:", "if pool.code.reserve_held:", "test_pools.py"),
        ("R4.4", "positive(held.reserved - held.alloc)", "held.reserved", "test_pools.py"),
        ("R4.4", "and held is not without:", ":", "test_pools.py test_properties.py test_growth.py"),
        ("R4.5", "queue.insert(0, session)", "queue.append(session)", "test_preemption.py"),
        ("R4.6", "need = 0.0 if take.units_move else pending.units[i]", "need = pending.units[i]", "test_pools.py"),
        ("R4.6", "if up(state.code, need) > state.code.cap:", "if need > state.code.cap:", "test_pools.py"),
        ("R4.7", "pool.code.keys is None or head.pending.resumed", "pool.code.keys is None", "test_preemption.py"),
        ("R4.7", "best is None or rank < best", "best is None or rank <= best", "test_pools.py"),
        ("R4.9", "best = max(best, own)", "best = own", "test_prefix_cache.py"),
        ("R4.9", "k.pools[pending.pools[0]].wait.add(waited)", "k.pools[pending.pools[-1]].wait.add(waited)", "test_pools.py"),
        (
            "R4.9",
            "HeldPool(index, rounded, own, up(",
            "HeldPool(index, rounded, 0.0, up(",
            "test_prefix_cache.py",
        ),
        ("R4.10", "elif code.cache is not None:", "elif True:", "test_prefix_cache.py"),
        ("R6.12", "    k.planning = None\n    _admit(", "    _admit(", "test_iteration.py"),
    ),
    *_in(
        "growth.py",
        (
            "R4.16",
            "need = target - held.alloc",
            "need = units",
            "test_growth.py",
        ),
        ("R4.16", "if loser is session:", "if False:", "test_procedures.py test_schedule.py"),
        (
            "R4.17",
            "if not (session.status == IN_STAGE and session.where in pool.code.engines):",
            "if not (session.where in pool.code.engines):",
            "test_growth.py",
        ),
        ("R4.17", "elif holdings.innermost(session, index) is None:", "elif False:", "test_growth.py"),
        (
            "R4.17",
            "candidates.sort(key=lambda session: session.adm)",
            "candidates.sort(key=lambda session: -session.adm)",
            "test_growth.py",
        ),
        ("R4.17", "total_order(x) for x in values], -place,", "total_order(x) for x in values], place,", "test_growth.py"),
        ("R4.17", "m.Admission = float(place)", "m.Admission = session.adm", "test_growth.py"),
        (
            "R4.18",
            "computed <= victim.preempted_at[index] + EPS",
            "computed < victim.preempted_at[index] - EPS",
            "test_preemption.py",
        ),
        ("R4.18", "and not victim.stuck:", ":", "test_preemption.py"),
        ("R4.18", "victim.attrs[k.code.slots.computed] = computed", "pass", "test_preemption.py"),
        ("R4.18", "    if index in victim.preempted_at", "    if False and index in victim.preempted_at", "test_preemption.py"),
        (
            "R6.31",
            "victim.meter = (turn, time, stage, decoded, True)",
            "victim.meter = (turn, time, stage, decoded, False)",
            "test_client.py",
        ),
        (
            "R4.27",
            "held.alloc, held.pos, hold.code",
            "held.alloc, holdings.computed_of(hold, held), hold.code",
            "test_preemption.py",
        ),
        ("R4.15", "at_head=not pool.code.tail", "at_head=True", "test_preemption.py"),
        (
            "R4.19",
            "session.status = IN_STAGE\n            session.where =",
            "make_ready(k, session)\n            session.where =",
            "test_worked_examples.py",
        ),
        (
            "R2.6",
            "            retry_growers(k, pool)\n        if pool.queue:\n            admission.admit_waiting(k, pool)",
            "            admission.admit_waiting(k, pool)\n            retry_growers(k, pool)",
            "test_growth.py",
        ),
    ),
    *_in(
        "holdings.py",
        ("R6.3", "grown_by(job).pos += tokens", "pass", "test_iteration_end.py test_worked_examples.py"),
        ("R1.10", "job.hold.grown = True", "pass", "test_prefix_cache.py"),
        ("R1.10", "return held.pos if hold.grown else held.alloc", "return held.pos", "test_prefix_cache.py"),
        ("R4.26", "min(want, computed), place)", "want, place)", "test_prefix_cache.py"),
        ("R4.24", "if held.pool == hold.lease_pool:", "if hold.lease_pool >= 0:", "test_leases.py"),
        ("R4.24", "t = positive(seconds(k, session, k.moment))", "t = seconds(k, session, k.moment)", "test_leases.py"),
        ("R4.25", "session.attrs = lease.attrs", "pass", "test_legs.py"),
        ("R3.17", "            pool.holders[i] = parent", "            pass", "test_legs.py"),
        ("R3.8", "session.preempted_at.pop(pool, None)", "pass", "test_preemption.py"),
        (
            "R3.8",
            "def release(k: State, session: Session, pool: int) -> None:",
            "def release(k: State, session: Session, pool: int) -> None:\n    session.leases.reverse()",
            "test_legs.py",
        ),
    ),
    *_in(
        "prefix_cache.py",
        ("R4.9", "min(whole, down(pool.code, reuse))", "min(whole, reuse)", "test_prefix_cache.py"),
        (
            "R4.9",
            "Entry(excess, entry.released, entry.number,",
            "Entry(excess, k.now, k.next_release,",
            "test_prefix_cache.py test_eviction.py",
        ),
        ("R4.9", "        pool.cached += excess\n", "", "test_prefix_cache.py"),
        (
            "R4.20",
            "_insert(pool, (1, k.next_dead), dead)",
            "_insert(pool, key, dead)",
            "test_prefix_cache.py test_worked_examples.py",
        ),
        ("R4.26", "size = down(pool.code, units)", "size = units", "test_prefix_cache.py"),
        ("R4.26", "        pool.cached -= old.size\n", "", "test_prefix_cache.py"),
        ("R4.28", "limit = code.cap + EPS", "limit = code.cap + 1.0 + EPS", "test_eviction.py"),
        ("R4.29", "removed = min(block, entry.size) if block else entry.size", "removed = entry.size", "test_eviction.py"),
        ("R4.29", "for f in keys), entry.number, key)", "for f in keys), -entry.number, key)", "test_eviction.py"),
        ("R4.31", "m.Age = k.now - entry.released", "m.Age = entry.released", "test_eviction.py"),
        ("R4.31", "return session if session is not None else entry", "return entry", "test_eviction.py"),
        (
            "R4.32",
            "subject = _context(k, key, entry, removed)",
            "subject = _context(k, key, entry, entry.size)",
            "test_eviction.py",
        ),
        ("R4.32", "make_room(k, tier, 0.0)", "make_room(k, tier, removed)", "test_eviction.py"),
        (
            "R4.33",
            "key=lambda item: item[1].place)",
            "key=lambda item: item[1].number)",
            "test_prefix_cache.py test_eviction.py test_workload.py",
        ),
        ("R4.33", "        place = old.place\n", "        place = take_place(pool)\n", "test_eviction.py"),
    ),
    *_in("places.py", ("R4.33", "return pool.free_places.pop()", "return pool.free_places.pop(0)", "test_eviction.py")),
    *_in(
        "shared_prefixes.py",
        (
            "R4.8",
            "min(piece.size, own - at)\n    return total",
            "piece.size\n    return total",
            "../oracle/test_found_of_chains.py",
        ),
    ),
    *_in(
        "stages.py",
        ("R5.2", "job = st.queue.pop(0)", "job = st.queue.pop()", "test_stages.py"),
        ("R5.4", "job.work = st.virtual + job.work", "job.work = job.work", "test_stages.py"),
        ("R5.5", "st.virtual = greater(st.virtual, job.work)", "pass", "test_stages.py"),
        ("R5.6", "st.rate = phi / n if n else 0.0", "st.rate = phi if n else 0.0", "test_stages.py"),
        ("R6.1", "if other.session.adm > session.adm:", "if other.session.adm < session.adm:", "test_iteration.py"),
        (
            "R7.15",
            "est.gap = keep * est.gap + _SMOOTHING * gap if est.gaps else gap",
            "est.gap = keep * est.gap + _SMOOTHING * gap",
            "test_queries.py",
        ),
        ("R5.12", "            st.active -= 1\n            _fill(k, st)", "            st.active -= 1", "test_preemption.py"),
        ("R2.9", 'if job is None or (kind == "ps" and epoch != st.epoch):', "if job is None:", "test_stages.py"),
        ("R3.10", "if work <= 0:", "if work < 0:", "test_stages.py"),
        ("R5.2", "while st.active < st.code.servers and", "while st.active <= st.code.servers and", "test_stages.py"),
        ("R5.4", "    st.last = k.now\n", "", "test_stages.py"),
        ("R5.6", "(total_order(job.work), job.id))", "(total_order(job.work), -job.id))", "test_stages.py"),
        ("R5.6", "n = len(st.jobs) - st.latent", "n = len(st.jobs)", "test_native_latencies.py"),
        (
            "R5.11",
            "wait, service = started - job.enqueued, k.now - started",
            "wait, service = started - job.enqueued, k.now - job.enqueued",
            "test_stages.py",
        ),
        ("R9.4", "    if k.warm:\n        st.completed", "    if True:\n        st.completed", "test_report.py test_stages.py"),
        ("R5.12", "            st.queue.remove(job)", "            pass", "test_stages.py test_preemption.py"),
        ("R5.12", "    st.latent -= job.latent\n", "", "test_native_latencies.py"),
        (
            "R5.12",
            "            st.iteration.batch = [other for other in st.iteration.batch if other is not job]",
            "            pass",
            "test_preemption.py test_iteration_end.py",
        ),
        ("R5.3", 'if st.code.kind != "fifo" or job.work <= 0:', "if True:", "test_native_latencies.py"),
    ),
    *_in(
        "flows.py",
        ("R5.10", "share = positive(least)", "share = positive(least) / 2", "test_flows.py"),
        ("R5.10", "left[stage] -= share", "pass", "test_flows.py"),
        ("R5.10", "for maxmin in (True, False):", "for maxmin in (True,):", "test_flows.py"),
        ("R5.10", "job.work = positive(job.work - job.rate * dt)", "job.work = positive(job.work - dt)", "test_flows.py"),
        ("R2.9", "if job is None or epoch != k.flows_epoch:", "if job is None:", "test_flows.py"),
        ("R5.9", "    k.flows[number] = job\n    k.flows_touched.update(stages)\n", "    k.flows[number] = job\n", "test_flows.py"),
        ("R5.10", "if best is None or when < best:", "if best is None or when > best:", "test_flows.py"),
        ("R5.10", "if number not in reached and not job.latent:", "if number not in reached:", "test_native_latencies.py"),
        ("R5.10", "    return len(st.jobs) - st.latent", "    return len(st.jobs)", "test_native_latencies.py"),
        (
            "R5.11",
            "    for stage in job.stages:\n        measure(",
            "    for stage in job.stages[:1]:\n        measure(",
            "test_flows.py",
        ),
        ("R5.12", "    k.flows_touched.update(job.stages)\n\n\ndef finish", "\n\ndef finish", "test_flows.py"),
    ),
    *_in(
        "plan.py",
        (
            "R6.5",
            "return chunk if 0.0 < chunk < job.work else job.work",
            "return chunk if chunk < job.work else job.work",
            "test_iteration.py",
        ),
        ("R7.12", "return positive(budget - want)", "return budget - want", "test_queries.py test_iteration.py"),
        ("R6.2", "            if held.pool == pool:", "            if True:", "test_iteration_end.py"),
        (
            "R6.2",
            "        if job.decode:\n            decodes += 1",
            "        if True:\n            decodes += 1",
            "test_iteration.py",
        ),
        ("R6.2", "    for i in step.queues:", "    for i in step.queues[:1]:", "test_iteration.py test_pools.py test_schedule.py"),
        ("R6.5", "return job.work if job.work < 1.0 else 1.0", "return 1.0", "test_iteration.py test_iteration_end.py"),
        (
            "R6.23",
            "        if job.decode:\n            decode += memory_of",
            "        if not job.decode:\n            decode += memory_of",
            "test_iteration_end.py",
        ),
        (
            "R7.12",
            "    for job in single:\n        want += wanted(job, chunk)",
            "    for job in single:\n        want += job.work",
            "test_queries.py test_iteration.py",
        ),
    ),
    *_in(
        "batch.py",
        (
            "R6.6",
            "if step.granule and not job.decode and tokens < job.work:",
            "if step.granule and not job.decode:",
            "test_iteration.py",
        ),
        ("R6.6", "tokens / step.granule // 1.0 * step.granule if", "tokens if", "test_iteration.py"),
        (
            "R6.6",
            "need = position + tokens - held.alloc",
            "need = position - held.alloc",
            "test_iteration_end.py test_worked_examples.py",
        ),
        ("R6.6", "a.left += job.given", "pass", "test_worked_examples.py test_schedule.py"),
        ("R6.6", "tokens * (position + tokens / 2.0)", "tokens * (position + tokens)", "test_iteration_end.py"),
        ("R6.7", "job.served = marks\n        outcome = give(", "outcome = give(", "test_iteration.py test_schedule.py"),
        ("R6.10", "m.Decoding = 1.0 if job.decode else 0.0", "m.Decoding = 0.0 if job.decode else 1.0", "test_iteration.py"),
        ("R6.11", "if st.version != version or (keys and not still):", "if st.version != version:", "test_iteration.py"),
        ("R6.15", "set_aside.add(job.id)", "job.served = marks", "test_schedule.py"),
    ),
    *_in(
        "procedures.py",
        (
            "R6.8",
            "if a.left > 0 and k.attempt_preempted == 0 and not a.refused:",
            "if a.left > 0 and not a.refused:",
            "test_iteration.py",
        ),
        ("R6.8", "k.attempt_preempted == 0 and not a.refused:", "k.attempt_preempted == 0:", "test_iteration.py"),
        ("R6.9", "if resident_prefill:\n                continue", "if False:\n                continue", "test_procedures.py"),
        ("R6.9", "outcome = give(k, st, a, job, a.budget)", "outcome = give(k, st, a, job, a.left)", "test_procedures.py"),
        ("R6.9", "        a.batch = [chosen]\n", "", "test_procedures.py"),
        ("R6.9", "if not admit_one(k, st, a.budget):", "if not admit_one(k, st, a.left):", "test_procedures.py"),
        (
            "R6.12",
            "        return admitted\n    return False",
            "        if admitted:\n            return True\n    return False",
            "test_iteration.py",
        ),
        ("R6.16", "a.admitted += 1\n        while True:", "while True:", "test_schedule.py"),
        ("R6.16", "job.id not in before and job.served", "job.served", "test_schedule.py"),
        ("R6.16", "if outcome in (STOPPED, REFUSED):", "if outcome == REFUSED:", "test_schedule.py"),
        (
            "R6.17",
            "run_body(k, st, a, code.then if holds else code.orelse)",
            "run_body(k, st, a, code.orelse if holds else code.then)",
            "test_schedule.py",
        ),
        ("R6.18", "m.Preempted = float(k.attempt_preempted)", "m.Preempted = 0.0", "test_schedule.py"),
    ),
    *_in(
        "iteration.py",
        ("R6.3", "if step.body is not None and not a.admitted:", "if step.body is not None:", "test_schedule.py"),
        ("R6.3", "        k.registers = a.registers\n", "", "test_schedule.py test_properties.py"),
        ("R6.3", "st.idle_with_work = bool(st.residents) or plan", "st.idle_with_work = plan", "test_iteration.py"),
        ("R6.4", "if not batch and not preempted and not members:", "if not batch and not members:", "test_procedures.py"),
        ("R6.23", "m.Npre = prefilled\n    m.Attn", "m.Npre = tokens\n    m.Attn", "test_iteration_end.py"),
        ("R6.23", "attention += job.attention", "pass", "test_iteration_end.py"),
        ("R6.3", "            job.given = 0.0\n    k.forming", "            pass\n    k.forming", "test_snapshot.py"),
        (
            "R9.7",
            "st.mixed.set(now, 1.0 if decodes and prefills else 0.0)",
            "st.mixed.set(now, 1.0 if decodes or prefills else 0.0)",
            "test_report.py",
        ),
        (
            "R6.19",
            "if job.work <= EPS:\n            done.append(job)",
            "if job.work <= 1.0:\n            done.append(job)",
            "test_iteration.py",
        ),
        (
            "R6.31",
            "time if job.decode or decoded or (preempted and stage == st.code.index)",
            "time if job.decode or decoded or preempted",
            "test_client.py",
        ),
        ("R6.31", "if turn != session.attrs[k.code.slots.turn]:", "if False:", "test_client.py"),
        ("R9.19", "m.Served = st.served", "m.Served = st.served + m.Ntok", "test_claims.py"),
    ),
    *_in("events.py", ("R2.3", "self.time() <= moment", "self.time() < moment", "test_kernel.py")),
    *_in(
        "kernel.py",
        ("R2.6", "pending = k.queue.due(k.now)", "pending = False", "test_kernel.py"),
        ("R9.16", "k.queue.time() > k.now", "k.queue.time() >= k.now", "test_report.py"),
        ("R2.3", "k.arrived >= k.arrivals_wanted and k.live == 0", "k.arrived >= k.arrivals_wanted", "test_kernel.py"),
        (
            "R2.6",
            "        if not k.ready:\n            return",
            "        return",
            "test_growth.py test_pools.py",
        ),
        ("R2.6", "(st.residents or plan.awaited(k, step))", "st.residents", "test_iteration.py"),
        ("R2.6", "step is not None and st.iteration is None and", "step is not None and", "test_iteration.py"),
        ("R2.6", "        if st.changed:\n", "        if False:\n", "test_stages.py"),
        (
            "measured",
            "if ticked_queues.admit(k, pool, _come_to_rest) or lease_preemption.tick(k, pool):",
            "if lease_preemption.tick(k, pool) or ticked_queues.admit(k, pool, _come_to_rest):",
            "../oracle/test_found_of_instants.py",
        ),
        (
            "measured",
            "    for index in k.code.ticked:",
            "    for index in reversed(k.code.ticked):",
            "../oracle/test_found_of_instants.py",
        ),
        (
            "R9.3",
            '(st.active if st.code.kind == "fifo" else n - st.latent)',
            "n",
            "test_report.py test_stages.py test_native_latencies.py",
        ),
        ("R9.3", "rates / st.code.fixed", "rates", "test_flows.py test_report.py"),
        (
            "R9.4",
            "for average in k.averages():\n        average.reset(now)",
            "for average in k.averages():\n        pass",
            "test_worked_examples.py",
        ),
    ),
    *_in(
        "sessions.py",
        ("R2.8", "_MOST_READIES: Final = 1000", "_MOST_READIES: Final = 1001", "test_failures.py"),
        ("R3.1", "session.attrs[k.code.slots.computed] = 0.0", "pass", "test_sessions.py"),
        ("R3.12", "frame[1] -= 1", "pass", "test_sessions.py"),
        ("R3.9", "hold.grown = True", "pass", "test_prefix_cache.py"),
        ("R3.13", "if x < y:\n            return True", "if not x >= y:\n            return True", "test_sessions.py"),
        (
            "R3.1",
            "    growth.retry_everything(k)\n\n\ndef _statement",
            "    pass\n\n\ndef _statement",
            "test_sessions.py test_pools.py",
        ),
        (
            "R3.6",
            "        left = max(left, up(pool.code, held.pos))",
            "        pass",
            "test_sessions.py test_leases.py test_growth.py",
        ),
        (
            "R3.6",
            "        held.reserved -= given",
            "        pass",
            "../oracle/test_found_in_pools.py ../oracle/test_found.py test_pools.py",
        ),
        (
            "R3.6",
            "        held.computed = min(held.computed, held.alloc)",
            "        pass",
            "test_leases.py ../oracle/test_found.py",
        ),
        (
            "R3.6",
            "    growth.retry_growers(k, pool)\n    growth.retry_everything(k)\n\n\ndef _choose",
            "    growth.retry_everything(k)\n\n\ndef _choose",
            "../oracle/test_found_in_pools.py",
        ),
        (
            "R3.9",
            "held.pos + units > held.alloc + EPS:",
            "held.pos + units > held.alloc - EPS:",
            "test_prefix_cache.py test_failures.py",
        ),
        ("R3.10", "if isinstance(code, RunCode) or (", "if (", "test_sessions.py"),
        ("R3.13", "if not (value >= 0 and value == value // 1.0):", "if not value >= 0:", "test_failures.py test_sessions.py"),
        (
            "R3.15",
            "elif session.legs:  # a join",
            "else:",
            "test_legs.py",
        ),
    ),
    *_in(
        "steady.py",
        ("R9.8", "st.gaps.add_many(gap, len(cohort.members))", "st.gaps.add_many(gap, 1)", "test_properties.py"),
        ("R6.8", "a.left = budget - steady", "a.left = budget", "test_properties.py"),
        ("R4.1", "pool.used + need + more > pool.code.cap", "pool.used > pool.code.cap", "test_worked_examples.py"),
        ("R6.21", "need = growing * cohort.unit", "need = growing", "test_disturbances.py test_properties.py"),
        ("R6.21", "            cohort.kv += need\n", "", "test_disturbances.py test_properties.py test_timeline.py"),
        (
            "R6.21",
            "units += up(k.pools[cohort.pool].code, held.alloc + more) - held.alloc",
            "pass",
            "test_disturbances.py test_properties.py",
        ),
        ("R9.18", "    cohort.last_end = k.now\n", "", "test_disturbances.py test_properties.py"),
        ("R9.8", "    if not out_of_step:\n        return True", "    return True", "test_disturbances.py test_properties.py"),
        (
            "R6.15",
            "            member.job.served = st.marks",
            "            pass",
            "test_disturbances.py test_properties.py test_schedule.py",
        ),
        ("R6.8", "            a.refused = True", "            pass", "test_disturbances.py test_properties.py"),
    ),
    *_in(
        "calendar.py",
        ("R6.20", "job.work -= ended", "job.work -= ended + 1", "test_timeline.py"),
        (
            "R6.21",
            "first = cohort.tick + int(held.alloc - held.pos) + 1",
            "first = cohort.tick + int(held.alloc - held.pos)",
            "test_disturbances.py test_properties.py",
        ),
        (
            "R6.21",
            "held.alloc += ((cohort.granted - first) // int(cohort.unit) + 1) * cohort.unit",
            "held.alloc += ((cohort.granted - first) // int(cohort.unit)) * cohort.unit",
            "test_disturbances.py test_properties.py",
        ),
        ("R6.21", "after = tick + int(cohort.unit)", "after = tick + 1", "test_disturbances.py test_properties.py"),
        ("R6.2", "    cohort.kv -= held.alloc\n", "", "test_disturbances.py test_properties.py"),
        ("R9.8", "if time != now or not decoded", "if not decoded", "test_disturbances.py test_properties.py"),
        (
            "R1.1",
            "(1.0 <= job.work < _WHOLE) or job.work % 1.0:",
            "(1.0 <= job.work < _WHOLE):",
            "test_disturbances.py test_properties.py",
        ),
        (
            "R6.10",
            "whole.sort(key=lambda job: job.decode != (order == DECODES_FIRST))",
            "whole.sort(key=lambda job: job.decode == (order == DECODES_FIRST))",
            "test_disturbances.py test_properties.py",
        ),
        ("R9.22", "session.client.after += ended", "pass", "test_clone.py"),
        (
            "R6.21",
            "held.pos += cohort.served - member.since",
            "held.pos += cohort.tick - member.since",
            "test_timeline.py",
        ),
    ),
)
