"""Statements in a row that run as one function, beside the same statements one by one (R3.1)."""

from __future__ import annotations

from dataclasses import replace

from engine.simulation import Simulation
from grammar import ir
from tests.engine.programs import TURN, Model, assign, call, client, now, repeat, run


def run_as_by_statements(program: ir.Program) -> Simulation:
    """The program run, after it was seen to end as it does statement by statement."""
    fast, plain = Simulation(program), Simulation(program, plain=True)
    fast.run()
    plain.run()
    assert fast.result() == plain.result()
    assert replace(fast.snapshot(), stage=None) == replace(plain.snapshot(), stage=None)
    assert fast.failure == plain.failure
    return fast


def test_what_fails_in_a_row_is_the_statement_that_does_and_those_before_it_are_done() -> None:
    """R10.4: the third statement asks for member 3 of two."""
    m = Model()
    mem = m.pool("mem", 1, members=2)
    x, y = m.size("x"), m.value("y")
    m.session(assign(x, 3), m.observe("seen", x + 1), assign(y, call("Used", mem[x])), assign(x, 7))
    simulation = run_as_by_statements(m.build())
    assert simulation.failure is not None
    assert simulation.failure.statement == (2, 2)
    assert simulation.result()["observes"]["seen"]["samples"] == [4]
    assert simulation.state.sessions[0].attrs[x.slot] == 3


def test_a_row_of_the_turn_block_fails_at_its_statement() -> None:
    m = Model()
    mem = m.pool("mem", 1, members=2)
    x = m.size("x")
    m.turn(assign(x, 1), assign(x, 2), assign(x, call("Used", mem[x])))
    m.session(TURN)
    failure = run_as_by_statements(m.build()).failure
    assert failure is not None
    assert failure.statement == (1, 2)


def test_a_response_ends_at_the_clients_own_statement_within_a_row() -> None:
    """R9.21: the turn opens at 1 and the server answers at 3; what the server observes in the same row comes before."""
    m = Model()
    dl = m.delay()
    x = m.value("x")
    m.session(run(dl, 1), TURN, run(dl, 2), assign(x, now), m.observe("seen", x), client(assign(x, 9)), run(dl, 4))
    simulation = run_as_by_statements(m.build())
    assert simulation.result()["client"]["response"]["samples"] == [2]
    assert simulation.result()["client"]["response"]["times"] == [3]


def test_no_statement_of_a_turn_block_ends_the_response_that_it_opens() -> None:
    """R9.21: the response is over at the session's end, 2 later."""
    m = Model()
    dl = m.delay()
    x = m.value("x")
    m.turn(assign(x, 2), assign(x, x + 0))
    m.session(TURN, run(dl, x))
    assert run_as_by_statements(m.build()).result()["client"]["response"]["samples"] == [2]


def test_a_row_may_be_longer_than_what_is_compiled_at_once() -> None:
    m = Model()
    x = m.size("x")
    m.session(*([assign(x, x + 1)] * 150), m.observe("x", x))
    assert run_as_by_statements(m.build()).result()["observes"]["x"]["samples"] == [150]


def test_an_execution_that_lasts_too_long_stops_within_a_row() -> None:
    """R10.1: two statements and 249 999 passes of four rounds (guard, row of two, end), a guard and one statement are a million."""
    m = Model()
    k, x = m.value("k"), m.value("x")
    m.session(assign(k, 0), assign(x, 0), repeat(k < 300_000, [assign(k, k + 1), assign(x, k)]))
    simulation = run_as_by_statements(m.build())
    assert simulation.failure is not None
    attrs = simulation.state.sessions[0].attrs
    assert (attrs[k.slot], attrs[x.slot]) == (250_000, 249_999)
