"""Conditions over a run that is looked at: what they read, and what is said where they cannot."""

from __future__ import annotations

import pytest

from grammar import ir
from grammar.conditions import Condition, Known, known_of, parse_condition
from grammar.diagnostics import Diagnostic, ProgramError
from grammar.link import Linked, link
from grammar.settings import Settings
from grammar.source import Source, Span

TEXT = """\
def half(x) { x / 2 }
fn main() {
  let most = 320;
  pool seats[2] { cap 4; }
  device gpu { kv cap most; }
  engine vllm on gpu {
    reqs cap 8;
    tokens cap 64;
    state just = 0;
    request (prompt, output) { prefill (prompt) growing kv; decode (output) growing kv; }
    schedule {
      advance running;
      admit waiting taking reqs (1), kv (prompt);
      set just = waiting.admitted > 0;
    }
    execute (0.02);
  }
  pool reqs on vllm { queue fifo; }
  pool kv on gpu { block 16; }
  stage cpu : fifo;
  workload { arrive closed(8); turn { set n = 40; } }
  server { run cpu (cost(cpu, 1)); vllm (n, 16); }
}
"""


@pytest.fixture(scope="module")
def linked() -> Linked:
    return link(Source("model.sq", TEXT), Settings(horizon=None))


def pool(linked: Linked, name: str) -> int:
    return next(i for i, p in enumerate(linked.program.pools) if p.name == name)


def engine(linked: Linked) -> int:
    return next(i for i, s in enumerate(linked.program.stages) if isinstance(s.kind, ir.Step))


def read(linked: Linked, text: str, known: Known | None = None) -> Condition:
    return parse_condition(text, linked.program, known or linked.known, engine(linked))


def refused(linked: Linked, text: str, known: Known | None = None) -> Diagnostic:
    with pytest.raises(ProgramError) as error:
        read(linked, text, known)
    return error.value.diagnostics[0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("running.count", "Nres"),
        ("running.decoding", "Ndec"),
        ("running.kv_decode", "Kvb"),
        ("running.kv_prefill", "Kvp"),
        ("batch.tokens", "Ntok"),
        ("batch.prefilled", "Npre"),
        ("served", "Served"),
    ],
)
def test_the_values_of_an_engine_are_its_context_variables(linked: Linked, text: str, name: str) -> None:
    assert read(linked, text) == Condition(ir.Ctx(name), of_engine=True)


def test_the_clock_and_the_arrivals_are_of_no_engine(linked: Linked) -> None:
    assert read(linked, "now") == Condition(ir.Ctx("Now"), of_engine=False)
    assert read(linked, "arrived") == Condition(ir.Ctx("Arrived"), of_engine=False)


def test_waiting_count_adds_the_queues_the_engine_admits(linked: Linked) -> None:
    reqs = ir.PoolArg(ir.Ref(pool(linked, "reqs")))
    assert read(linked, "waiting.count") == Condition(ir.Call("Queued", (reqs,)), of_engine=True)


def test_pools_members_registers_and_stages_are_read_as_in_a_gauge(linked: Linked) -> None:
    seats = ir.Ref(pool(linked, "seats"), 2, ir.Num(1.0))
    assert read(linked, "used(seats[1])").expr == ir.Call("Used", (ir.PoolArg(seats),))
    assert read(linked, "just").expr == ir.Reg(0)
    assert isinstance(read(linked, "busy(cpu)").expr, ir.Call)


def test_constants_and_definitions_of_the_program_stand_for_themselves(linked: Linked) -> None:
    assert read(linked, "most").expr == ir.Num(320.0)
    assert read(linked, "half(running.count)").expr == ir.Binary("Div", ir.Ctx("Nres"), ir.Num(2.0))


def test_an_ir_has_the_same_names_but_for_constants_and_definitions(linked: Linked) -> None:
    bare = known_of(linked.program)
    for text in ("running.count > 8 && used(kv) > 0.9 * 160", "holders(seats[0])", "just", "queue(cpu)", "blocksize(kv)"):
        assert read(linked, text, bare) == read(linked, text)
    assert refused(linked, "most", bare).message == "nothing is called `most`"


@pytest.mark.parametrize(
    ("text", "column", "end", "suggestion"),
    [
        ("used(kx) > 3", 6, 8, "did you mean `kv`?"),
        ("3 < runing.count", 5, 17, "did you mean `running.count`?"),
        ("running.cuont", 9, 14, "did you mean `count`?"),
        ("usd(kv)", 1, 4, "did you mean `used`?"),
        ("jusst == 1", 1, 6, "did you mean `just`?"),
        ("nothing_like_it", 1, 16, None),
    ],
)
def test_a_misspelt_name_is_pointed_at_and_the_nearest_named(
    linked: Linked, text: str, column: int, end: int, suggestion: str | None
) -> None:
    found = refused(linked, text)
    assert found.span == Span(1, column, 1, end)
    assert found.suggestion == suggestion


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("used(kv) >", "E105", "expected an expression"),
        ("used(kv) = 3", "E105", "expected"),
        ("n > 3", "E602", "no one session to ask"),
        ("~exp(1) > 3", "E603", "cannot stand here"),
        ("running.preempted", "E606", "exists only while an iteration is formed"),
        ("budget_left(vllm)", "E610", "plans an iteration"),
        ("cachedin(kv)", "E611", "no session"),
        ("used(seats)", "E505", "one of its members is named"),
        ("used(seats[2])", "E506", "names no member"),
        ("kv", "E504", "is a pool and no number"),
        ("waited", "E601", "exists only in"),
    ],
)
def test_what_no_condition_reads_is_refused_with_its_reason(linked: Linked, text: str, code: str, words: str) -> None:
    found = refused(linked, text)
    assert found.id == code
    assert words in found.message


def test_a_program_without_an_engine_has_no_engine_values(linked: Linked) -> None:
    with pytest.raises(ProgramError) as error:
        parse_condition("running.count", linked.program, linked.known, None)
    assert error.value.diagnostics[0].message == "`running.count` is of an engine, and this program has none"
    assert parse_condition("used(kv)", linked.program, linked.known, None).of_engine is False


def test_what_is_declared_in_the_program_is_told_by_its_line(linked: Linked) -> None:
    (note,) = refused(linked, "used(kx)").notes
    assert note.span is None
    assert note.message == "the pool `kv` is declared here, in line 19 of the program"


def test_reading_a_condition_leaves_the_program_as_it_was(linked: Linked) -> None:
    told = len(linked.known.model.findings.errors)
    refused(linked, "used(kx)")
    assert len(linked.known.model.findings.errors) == told
    assert read(linked, "half(used(kv))") == read(linked, "half(used(kv))")
