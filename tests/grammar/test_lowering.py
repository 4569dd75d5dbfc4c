"""What single constructs lower to (L11): the expected IR is written out from the rules by hand."""

from __future__ import annotations

import math

import pytest

from grammar import ir
from grammar.link import Settings, link
from grammar.source import Source


def program(text: str, settings: Settings | None = None) -> ir.Program:
    return link(Source("test", text), settings or Settings(10.0)).program


def server(statements: str, items: str = "", above: str = "") -> ir.Program:
    """The program with these statements in its server; `p` is pool 0, `s` stage 0, `n` attribute 9."""
    return program(
        f"{above} fn main() {{ pool p {{ cap 9; block 3; }} stage s : delay; {items} "
        f"workload {{ arrive batch(1); turn {{ set n = 3; }} }} server {{ {statements} }} }}"
    )


def value(expression: str, items: str = "", above: str = "") -> ir.Expr:
    """The IR of an expression observed in the server."""
    observed = server(f"run s (cost(s, 1)); observe x = {expression};", items, above).blocks[2][2]
    assert isinstance(observed, ir.Observe)
    return observed.expr


def engine(schedule: str, items: str = "", above: str = "") -> ir.Step:
    text = f"""
    {above} fn main() {{
      device gpu {{ kv cap 40; }}
      engine e on gpu {{ reqs cap 4; tokens cap 8; {items} schedule {{ {schedule} }} execute (1); }}
      pool kv on gpu {{ }}
      pool reqs on e {{ }}
      workload {{ arrive batch(1); }}
      server {{ hold reqs (cost(reqs, 1)) {{ run e prefill (cost(e, 1)); }} }}
    }}
    """
    kind = program(text).stages[0].kind
    assert isinstance(kind, ir.Step)
    return kind


N = ir.Attr(9)
PREEMPTED = ir.Ctx("Preempted")
RESIDENTS = ir.Ctx("Nres")

# ------------------------------------------------------------------ expressions


def test_a_constant_in_an_expression_is_a_number_and_the_expression_is_not_folded() -> None:
    # L3.13: `B * 2` with `let B = 3` is `Mul(3, 2)`.
    assert value("B * 2", above="let B = 3;") == ir.Binary("Mul", ir.Num(3.0), ir.Num(2.0))


def test_a_power_binds_tighter_than_a_minus_and_to_the_right() -> None:
    # L2.2: `-n ^ 2 ^ 3` is `-(n ^ (2 ^ 3))`.
    power = ir.Binary("Pow", N, ir.Binary("Pow", ir.Num(2.0), ir.Num(3.0)))
    assert value("-n ^ 2 ^ 3") == ir.Unary("Neg", power)


def test_a_floor_to_a_step_is_written_out() -> None:
    # L11.8: `floor(x, s)` is `Mul(Floor(Div(x, s)), s)`.
    step = ir.Num(4.0)
    assert value("floor(n, 4)") == ir.Binary("Mul", ir.Call("Floor", (ir.Binary("Div", N, step),)), step)


def test_an_aggregate_folds_its_terms_to_the_left() -> None:
    # L9.5: j = 0, 1, 2 added left to right.
    terms = [ir.Binary("Mul", ir.Num(float(j)), N) for j in range(3)]
    assert value("sum j in 3 (j * n)") == ir.Binary("Add", ir.Binary("Add", terms[0], terms[1]), terms[2])


def test_an_aggregate_of_one_term_is_that_term() -> None:
    assert value("max j in 1 (j + n)") == ir.Binary("Add", ir.Num(0.0), N)


def test_a_block_size_is_the_number() -> None:
    assert value("blocksize(p)") == ir.Num(3.0)


def test_a_list_of_resources_makes_one_joint_cost_pools_first() -> None:
    # L7.10: by kind, pools then stages, and by base; order and repetition do not matter.
    joint = ir.Joint((ir.PoolTarget(0, 1), ir.StageTarget(0, 1)))
    assert value("cost(s, p, s, n)") == ir.Cost(joint, N)


def test_a_constant_index_is_folded_and_a_computed_one_is_not() -> None:
    family = "pool f[3] { cap 1; } let k = 1;"
    assert value("used(f[k + 1])", family) == ir.Call("Used", (ir.PoolArg(ir.Ref(1, 3, ir.Num(2.0))),))
    assert value("used(f[n])", family) == ir.Call("Used", (ir.PoolArg(ir.Ref(1, 3, N)),))


def test_branch_with_is_a_draw() -> None:
    guard = server("branch with (0.5) { run s (cost(s, 1)); } run s (cost(s, 1));").blocks[2][1]
    assert guard == ir.Branch(ir.Sample("Bernoulli", (ir.Num(0.5),)), 3, 4)


# ------------------------------------------------------------------ constants and inputs


def test_everything_but_a_let_and_a_size_reads_the_last_let_of_a_name() -> None:
    # L3.12: the fifo reads the last `a`, the family size the one above it.
    made = server("run f[0] (cost(f, 1));", items="let a = 2; pool q[a] { } stage f[a] : fifo(a); let a = 3;")
    assert [pool.index for pool in made.pools[1:]] == [0, 1]
    assert [stage.kind for stage in made.stages[1:]] == [ir.Fifo(3), ir.Fifo(3)]


def test_only_the_arm_taken_of_a_constant_s_condition_is_evaluated() -> None:
    # Measured on the reference: `1 ? 2 : zz` links, `0 && zz` does not.
    assert value("a", above="let a = 1 ? 2 : zz;") == ir.Num(2.0)


def test_an_input_has_the_host_s_value_or_its_default() -> None:
    text = (
        'use "std/args"; fn main() { let base = 2; let w = args.number("work", base * 3); stage s : delay; '
        "workload { arrive batch(1); } server { run s (cost(s, w)); } }"
    )
    for given, used in (({}, 6.0), ({"work": 4}, 4.0), ({"work": "base + 0.5"}, 2.5), ({"work": "inf"}, math.inf)):
        result = link(Source("test", text), Settings(10.0, sets=given))
        assert result.inputs == (("work", 6.0, used),)
        run = result.program.blocks[2][1]
        assert isinstance(run, ir.Run)
        assert run.work == ir.Cost(ir.StageTarget(0, 1), ir.Num(used))


def test_a_definition_s_body_is_replaced_by_the_host_and_keeps_its_parameters() -> None:
    text = "def f(x) { x } " + (
        "fn main() { stage s : delay; workload { arrive batch(1); turn { set n = f(2); } } server { run s (cost(s, 1)); } }"
    )
    assert program(text, Settings(10.0, defs={"f": "x + 1"})).blocks[1] == (ir.Set(9, ir.Binary("Add", ir.Num(2.0), ir.Num(1.0))),)


# ------------------------------------------------------------------ blocks, slots, observations


def test_blocks_are_numbered_when_reached_the_first_arm_with_all_in_it_before_the_second() -> None:
    made = server("branch (n > 1) { branch (n > 2) { set a = 1; } else { set b = 1; } } else { set c = 1; } run s (cost(s, 1));")
    assert made.blocks[2][1] == ir.Branch(ir.Binary("Gt", N, ir.Num(1.0)), 3, 6)
    assert made.blocks[3] == (ir.Branch(ir.Binary("Gt", N, ir.Num(2.0)), 4, 5),)
    assert made.attrs[9:] == ("n", "a", "b", "c")


def test_observations_are_numbered_by_their_first_occurrence() -> None:
    made = server("observe late = 1; observe early = 2; observe late = 3; run s (cost(s, 1));")
    assert made.observes == ("late", "early")
    assert made.blocks[2][3] == ir.Observe(0, ir.Num(3.0))


def test_the_server_s_statements_stand_after_every_turn_and_are_its_side() -> None:
    text = (
        "fn main() { stage s : delay; workload { arrive batch(1); session { turn; turn; end; } } "
        "server { branch (1) { run s (cost(s, 1)); } } }"
    )
    made = program(text)
    assert [type(s) for s in made.blocks[2]] == [ir.Turn, ir.Branch, ir.Turn, ir.Branch, ir.End]
    assert made.sides[2] == ("Workload", "Server", "Workload", "Server", "Workload")
    assert made.sides[3] == ("Server",)
    assert len(made.blocks) == 3 + 2 * 2


def test_a_program_without_workload_and_server_links() -> None:
    made = program("fn main() { pool p { cap 3; } }")
    assert made.blocks == ((), (), ())
    assert made.arrival is None


# ------------------------------------------------------------------ types


def test_attributes_are_sizes_values_or_costs_by_who_assigns_them_what() -> None:
    made = server("Cost job = { p: n, s: 2 }; Cost extra = cost(s, 1); set later = job.s + extra; set plain = 1; run s (later);")
    stage, pool = ir.StageTarget(0, 1), ir.PoolTarget(0, 1)
    assert dict(zip(made.attrs[9:], made.attr_types[9:], strict=True)) == {
        "n": "Size",
        "job.p": pool,
        "job.s": stage,
        "extra": stage,
        "later": stage,
        "plain": "Value",
    }
    # L7.9: `cached` and `computed` are values, the other built-in ones sizes.
    assert made.attr_types[:9] == ("Value", *["Size"] * 7, "Value")


# ------------------------------------------------------------------ pools and stages


def test_a_spill_of_a_family_goes_to_its_first_member() -> None:
    # Measured on the reference: a spill names its tier without an index.
    made = server("run s (cost(s, 1));", items="pool top { spill low via s (1) when (size > 2); } pool low[2] { }")
    assert made.pools[1].spill == ir.Spill(2, 0, ir.Num(1.0), ir.Binary("Gt", ir.Ctx("Size"), ir.Num(2.0)))


def test_who_admits_a_pool_and_whose_memory_it_is_follow_what_it_is_on() -> None:
    # L4.3: on the engine, on ENGINE.DEVICE, on the device.
    text = """
    fn main() {
      device a { ka cap 5; } engine ea on a { reqs cap 2; tokens cap 8; schedule { advance running; } execute (1); }
      device b { kb cap 6; } pool kb on b { } engine eb on b { tokens cap 8; schedule { advance running; } execute (1); }
      pool ka on ea.a { } pool reqs on ea { }
      workload { arrive batch(1); } server { run ea prefill (cost(ea, 1)); run eb prefill (cost(eb, 1)); }
    }
    """
    made = program(text)
    assert [(p.name, p.cap, p.admit_via) for p in made.pools] == [("kb", 6.0, None), ("ka", 5.0, 0), ("reqs", 2.0, 0)]
    assert [s.kind.memory for s in made.stages if isinstance(s.kind, ir.Step)] == [1, 0]


# ------------------------------------------------------------------ schedules


@pytest.mark.parametrize(
    "gate", ["running.preempted == 0", "0 == running.preempted", "!running.preempted", "(running.preempted) == (0)"]
)
def test_any_spelling_of_nothing_was_preempted_is_the_default_procedure(gate: str) -> None:
    step = engine(f"advance running; admit waiting while ({gate});")
    assert (step.serve, step.iteration) == (ir.By(), None)


def test_another_spelling_is_written_out() -> None:
    step = engine("advance running; admit waiting while (running.preempted < 1);")
    assert step.iteration == (ir.Serve(), ir.Admit(None, ir.Binary("Lt", PREEMPTED, ir.Num(1.0))))


def test_one_predicate_on_both_statements_keeps_the_order_beside_the_body() -> None:
    # L5.15, 2: the gate is written `Not(Preempted)` whichever spelling it had.
    step = engine("advance running only (decoding) decode first; admit waiting only (decoding) while (0 == running.preempted);")
    only = ir.Ctx("Decoding")
    assert step.serve == ir.By((ir.Cond(only, ir.Num(0.0), ir.Num(1.0)),))
    assert step.iteration == (ir.Serve(only), ir.Admit(only, ir.Unary("Not", PREEMPTED)))


def test_an_order_in_a_written_out_body_stands_with_its_statement() -> None:
    step = engine("advance running admission; admit waiting;")
    assert step.serve == ir.By()
    assert step.iteration == (ir.Serve(None, ()), ir.Admit())


def test_exclusive_prefill_has_no_order() -> None:
    step = engine("exclusive prefill; admit waiting while (running.preempted == 0);")
    assert (step.serve, step.iteration) == (None, None)


@pytest.mark.parametrize(
    ("cap", "chunk"),
    [
        # L11.12: `inf` is 0; L5.12: a constant outcome folds, `max(k, e)` does not, a constant condition vanishes.
        ("inf", ir.Num(0.0)),
        ("1 + k", ir.Num(3.0)),
        ("k > 5 ? 4 : 2 * k", ir.Num(4.0)),
        ("max(1 + 1, running.count)", ir.Call("Max", (ir.Binary("Add", ir.Num(1.0), ir.Num(1.0)), RESIDENTS))),
        ("running.count > 1 ? k : inf", ir.Cond(ir.Binary("Gt", RESIDENTS, ir.Num(1.0)), ir.Num(2.0), ir.Num(0.0))),
    ],
)
def test_the_cap_on_a_run_is_lowered_outcome_by_outcome(cap: str, chunk: ir.Expr) -> None:
    assert engine(f"advance running each at most ({cap});", above="let k = 2;").chunk == chunk


@pytest.mark.parametrize(
    ("cap", "chunk"),
    [
        # L5.20: without a queue the count is the number 0, and what is constant then folds (measured on the reference).
        ("waiting.count + 2", ir.Num(2.0)),
        ("max(1, waiting.count)", ir.Num(1.0)),
        ("waiting.count > 0 ? 3 : inf", ir.Num(0.0)),
        ("max(1, waiting.count + running.count)", ir.Call("Max", (ir.Num(1.0), ir.Binary("Add", ir.Num(0.0), RESIDENTS)))),
    ],
)
def test_the_waiting_of_an_engine_without_a_queue_are_none_in_a_cap(cap: str, chunk: ir.Expr) -> None:
    text = f"""
    fn main() {{
      device gpu {{ }}
      engine e on gpu {{ tokens cap 8; schedule {{ advance running each at most ({cap}); }} execute (1); }}
      workload {{ arrive batch(1); }}
      server {{ run e prefill (cost(e, 1)); }}
    }}
    """
    kind = program(text).stages[0].kind
    assert isinstance(kind, ir.Step)
    assert kind.chunk == chunk


def test_the_queues_of_an_engine_are_added_in_the_order_of_their_pools() -> None:
    text = """
    fn main() {
      device g { } engine e on g { a cap 1; lane[2] cap 1; tokens cap waiting.count; schedule { advance running; } execute (1); }
      pool lane on e { } pool a on e { }
      workload { arrive batch(1); } server { run e prefill (cost(e, 1)); }
    }
    """

    def queued(ref: ir.Ref) -> ir.Call:
        return ir.Call("Queued", (ir.PoolArg(ref),))

    lanes = [queued(ir.Ref(0, 2, ir.Num(0.0))), queued(ir.Ref(0, 2, ir.Num(1.0)))]
    kind = program(text).stages[0].kind
    assert isinstance(kind, ir.Step)
    assert kind.budget == ir.Binary("Add", ir.Binary("Add", lanes[0], lanes[1]), queued(ir.Ref(2, 1)))


# ------------------------------------------------------------------ holds and calls


def test_bindings_are_put_into_the_header_and_set_in_the_body_where_it_reads_them() -> None:
    made = server(
        "hold p (cost(p, x)) reserve (cost(p, y)) at admission (x = n, y = x + 1) { observe seen = y; run s (cost(s, 1)); }"
    )
    pool = ir.PoolTarget(0, 1)
    plus = ir.Binary("Add", N, ir.Num(1.0))
    assert made.blocks[2][1] == ir.Hold((ir.Take(ir.Ref(0), ir.Cost(pool, N), ir.Cost(pool, plus)),), 3)
    # `x` is read by the header alone and leaves nothing in the body.
    assert made.blocks[3][:2] == (ir.Set(10, plus), ir.Observe(0, ir.Attr(10)))


def test_what_a_queue_s_entry_sets_is_named_with_the_queue() -> None:
    text = """
    fn main() {
      queue q[2] : prefill {
        pool kv { cap 9; } serve fifo;
        prefill (kv) {
          set n = kv; Cost job = { kv: 1, q: n }; mark got;
          hold kv (job.kv) { run (job.q); observe member = self; }
        }
      }
      workload { arrive batch(1); turn { set n = 3; } }
      server { q[n - 2].prefill (n + 1); observe mine = q.n; observe at = q.got; }
    }
    """
    made = program(text)
    # L8.5: a parameter may bear a pool's name; where a pool is named it stays the pool.
    assert made.attrs[9:] == ("n", "q.n", "q.job.kv", "q.job.q", "q.got")
    index = ir.Binary("Sub", N, ir.Num(2.0))
    assert made.blocks[2][1] == ir.Set(10, ir.Binary("Add", N, ir.Num(1.0)))
    assert made.blocks[2][5] == ir.Hold((ir.Take(ir.Ref(0, 2, index), ir.Attr(11)),), 3)
    assert made.blocks[3] == (ir.Run(ir.Ref(0, 2, index), "Plain", ir.Attr(12)), ir.Observe(0, index))


def test_the_session_s_tool_gets_a_delay_stage_after_all_others() -> None:
    text = (
        "fn main() { workload { arrive batch(1); session { turn; tool (3); } } "
        "server { run late (cost(late, 1)); } stage late : fifo; }"
    )
    made = program(text)
    assert [(s.name, s.kind) for s in made.stages] == [("late", ir.Fifo(1)), ("tool", ir.Ps(ir.Ctx("N")))]


def test_a_run_over_several_stages_carries_the_program_s_share() -> None:
    made = server("run a, b (cost(a, b, n));", items="stage a : ps(1); stage b : ps(2); share bottleneck;")
    run = made.blocks[2][1]
    assert isinstance(run, ir.Run)
    assert (run.also, run.share) == ((ir.Ref(2),), "Bottleneck")


def test_a_draw_and_the_settings_reach_the_program() -> None:
    made = program(
        'fn main() { stage s : delay; workload { arrive renewal(~exp(2)); trace "t.csv"; } server { run s (cost(s, new)); } }',
        Settings(50.0, 5.0, 7, 20, "other.csv"),
    )
    assert (made.horizon, made.warmup, made.seed, made.arrivals, made.trace) == (50.0, 5.0, 7, 20, "other.csv")
    assert made.arrival == ir.Renewal(ir.Sample("Exp", (ir.Num(2.0),)))


def test_without_a_horizon_a_program_has_none() -> None:
    assert program("fn main() { }", Settings(None)).horizon == math.inf
