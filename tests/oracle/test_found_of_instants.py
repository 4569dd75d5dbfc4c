"""What random programs found about the order of what happens at one instant.

Every expected number was measured on pyserq 0.1.6; where that is installed, it is asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from grammar import ir
from grammar.ir_json import to_json
from tests.engine.programs import INF, JOIN, TURN, Model, assign, branch, call, fork, grow, hold, node, now, run, serial
from tests.oracle.finding import Found, observed
from tests.oracle.judging import ours
from tests.oracle.reference import Reference


def refused_by_a_leg() -> ir.Program:
    """A closed population: session 0 is to go on when a leg of it is refused, and session 2 comes in its place and slot.

    A session forks a leg, runs no work and goes on; who goes on first of the two is observed.
    """
    model = Model()
    pool, wait, asked = model.pool("p", 1), model.delay(), model.size("asked")
    model.init(assign(asked, 2))
    leg = [branch(serial.equals(0), [hold((pool, asked))], [model.observe("leg", serial), model.observe("order", 10 + serial)])]
    model.session(fork(leg), run(wait, 0), model.observe("order", serial), run(wait, 1000), JOIN)
    model.arrive(ir.Closed(2))
    return model.build(1)


def ticking(*, leases_first: bool) -> Callable[[], ir.Program]:
    """At 1 leases of one pool may be taken, and the queue of another lets in who leases 6 of the first until 1.25.

    Beside the 6 of a lease that lasts these are past the capacity of 10. The lease that lasts is the one to take.
    """

    def program() -> ir.Program:
        model = Model()
        names = ["kv", "gate"] if leases_first else ["gate", "kv"]
        pools = {name: model.pool(name, 10) for name in names}
        kv, gate, wait = pools["kv"], pools["gate"], model.delay()
        model._pools[kv.base] = replace(model._pools[kv.base], preempt=ir.Leases((node(serial),), 1.0, None))
        model._pools[gate.base] = replace(model._pools[gate.base], queue_every=1.0)
        lasting = [hold((kv, 6), lease=(kv, INF)), run(wait, 1.5), model.observe("has", call("Allocated", kv))]
        brief = [hold((kv, 3), lease=(kv, 0.25)), grow(kv, 3), model.observe("used", call("Used", kv)), run(wait, 3)]
        model.session(TURN, branch(serial.equals(0), lasting, [hold((gate, 1), body=brief)]))
        model.batch(2)
        return model.build(5)

    return program


def coming_back() -> ir.Program:
    """A pool of 10 whose queue and whose leases have ticks: from 1.5 to 1.9 a growth needs what a lease of 6 has.

    At 2 the lease could come back, and a hold of 6 is waiting.
    """
    model = Model()
    pool, wait = model.pool("p", 10), model.delay()
    policy = ir.Leases((node(0),), 1.0, (node(0),))
    model._pools[pool.base] = replace(model._pools[pool.base], preempt=policy, queue_every=1.0)
    leasing = [hold((pool, 6), lease=(pool, INF)), run(wait, 1.25), model.observe("has", call("Allocated", pool)), run(wait, 8)]
    growing = [hold((pool, 4), body=[run(wait, 0.5), grow(pool, 2), run(wait, 0.4)])]
    waiting = [run(wait, 1.25), hold((pool, 6), body=[model.observe("at", now), run(wait, 1.5)])]
    model.session(TURN, branch(serial.equals(0), leasing, [branch(serial.equals(1), growing, waiting)]))
    model.batch(3)
    return model.build(8)


FOUND: dict[str, Found] = {
    # Session 1 as any: its leg (11) and then itself. Session 2 goes on where 0 was to, and itself before its leg.
    "who comes in place of a session that was to go on does so": Found(
        refused_by_a_leg, {"leg": [1.0, 2.0], "order": [11.0, 1.0, 2.0, 12.0]}
    ),
    "leases of an earlier pool come and go before a later queue is looked at": Found(
        ticking(leases_first=True), {"has": [6.0], "used": [12.0]}
    ),
    "at a tick a pool's queue is looked at before its leases come back": Found(coming_back, {"has": [0.0], "at": [2.0]}),
    "leases of a later pool come and go after an earlier queue is looked at": Found(
        ticking(leases_first=False), {"has": [0.0], "used": [12.0]}
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_of_instants_holds(name: str) -> None:
    found = FOUND[name]
    assert observed(ours(to_json(found.program(), 14))) == found.observed


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_of_instants_was_measured(name: str, reference: Reference) -> None:
    found = FOUND[name]
    assert observed(reference.run(to_json(found.program(), 14))) == found.observed
