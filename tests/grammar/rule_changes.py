"""Single changes of one rich IR, in words, and which of them the reference still loads; checks nothing.

The words say what the changed program does. ``LOADED`` was measured on pyserq 0.1.6.
"""

from __future__ import annotations

from typing import Any

from tests.grammar.rich_ir import (
    COST,
    FIFO,
    HIDDEN,
    HOST,
    KV,
    KV2,
    LINK0,
    LINK1,
    LLM,
    LLM2,
    OUTPUT,
    PLAIN,
    PROMPT,
    SEATS,
    SEATS2,
    TIER,
    VALUE,
    Change,
    add_pool,
    add_stage,
    attr,
    binary,
    block,
    call,
    ctx,
    draw,
    floor,
    hold,
    insert,
    num,
    of,
    of_pool,
    of_pools,
    of_stage,
    of_stages,
    pool,
    put,
    ref,
    remove,
    request,
    run,
    stage,
    step,
)

FLOW = ("blocks", 5, 1, "Run")
BIG = ("blocks", 2, 3, "Hold")
SMALL = ("blocks", 2, 4, "Hold")
CLAUSE = ("stages", LLM2, "kind", "Step", "request")


def setting(path: tuple[str | int, ...], value: Any) -> Change:
    """Puts a value at a path."""
    return lambda d: put(d, path, value)


def before_all(statement: Any, side: str = "Server") -> Change:
    """Puts a statement after the turn of the session."""
    return lambda d: insert(d, 2, 1, statement, side)


def observing(x: Any, side: str = "Server") -> Change:
    """Observes an expression after the turn."""
    return before_all({"Observe": [0, x]}, side)


def arriving(arrival: Any) -> Change:
    """Other arrivals."""
    return lambda d: d.update(arrival=arrival)


def array_hold(index: Any, *inside: Any, units: float = 1.0, after: Any = None, **more: Any) -> Change:
    """A hold of a member of an array of two pools (7 and 8) of 10 and 11 units."""

    def change(d: Any) -> None:
        add_pool(d, cap=10.0, index=0)
        add_pool(d, cap=11.0, index=1)
        body = block(d, run(), *inside)
        if after is not None:
            insert(d, 2, 1, after)
        insert(d, 2, 1, hold(7, body, pools=[[ref(7, 2, index), of_pool(7, num(units), 2), None]], **more))

    return change


def growing(index: Any) -> Any:
    """A grow of a member of that array."""
    return {"Grow": [ref(7, 2, index), of_pool(7, num(1.0), 2)]}


def looping(kind: str, *statements: Any) -> Change:
    """A loop, or a while, over statements."""

    def change(d: Any) -> None:
        body = block(d, *statements)
        insert(d, 2, 1, {"Loop": body} if kind == "Loop" else {"While": [attr(6), body]})

    return change


def branching(kind: str, then: list[Any], orelse: list[Any]) -> Change:
    """A loop over a branch."""

    def change(d: Any) -> None:
        arms = [block(d, *then), block(d, *orelse)]
        looping(kind, {"Branch": [attr(6), *arms]})(d)

    return change


def leg(*statements: Any) -> Change:
    """Another leg."""
    return lambda d: insert(d, 2, 7, {"Fork": block(d, *statements)})


def another_flow(share: str, base: int = LINK0, also: int = LINK1) -> Change:
    """A second run over two stages."""
    bases = sorted([base, also])
    return before_all(run(base, of_stages(bases, num(1.0)), also=[ref(also)], share=share))


def two_fabrics(d: Any) -> None:
    """Two links of their own, shared in another way."""
    a, b = add_stage(d, {"Ps": num(1.0)}), add_stage(d, {"Ps": num(1.0)})
    another_flow("Bottleneck", a, b)(d)


def joined_fabrics(d: Any) -> None:
    """The same, and a run that connects both fabrics."""
    two_fabrics(d)
    another_flow("MaxMin", LINK1, len(d["stages"]) - 1)(d)


def schedule(*statements: Any) -> Change:
    """Another schedule of the engine."""
    return lambda d: step(d).update(iteration=list(statements))


def chunked(granule: Any, chunk: Any) -> Change:
    """A granule and a chunk."""
    return lambda d: step(d).update(granule=granule, chunk=chunk)


def option(at: int, **options: Any) -> Change:
    """Other options of a pool."""
    return lambda d: d["pools"][at].update(options)


def new_pool(units: Any, **more: Any) -> Change:
    """A hold of a pool of its own, with these options of the hold."""

    def change(d: Any) -> None:
        options = dict(more)
        at = add_pool(d, **options.pop("options", {}))
        for name in ("cache", "reuse"):
            if name in options:
                options[name] = of_pool(at, options[name])
        inside = [make(at) for make in options.pop("inside", ())]
        insert(d, 2, 1, hold(at, block(d, run(), *inside), of_pool(at, units), **options))

    return change


def workload_stage(*rest: Any) -> Change:
    """A stage that the workload alone runs on, and statements after it."""

    def change(d: Any) -> None:
        at = add_stage(d)
        for statement, side in rest:
            insert(d, 2, 1, statement(at), side)
        insert(d, 2, 1, run(at), "Workload")

    return change


SET_COST = {"Set": [COST, of_pool(PLAIN, num(1.0))]}
READ_COST = {"Observe": [0, attr(COST)]}
HALF = num(0.5)


def cost_only(*statements: Any) -> Change:
    """The cost is set by other statements than the usual one."""

    def change(d: Any) -> None:
        remove(d, 2, 2)
        for statement in reversed(statements):
            insert(d, 2, 1, statement(d) if callable(statement) else statement)

    return change


def worked(x: Any) -> Change:
    """The engine prefills so many tokens."""
    return setting(("blocks", 3, 0, "Run", "work"), of_stage(LLM, x))


CHANGES: dict[str, Change] = {
    # ---------------------------------------------------------------- settings and names
    "the warm-up ends at the horizon": lambda d: d.update(warmup=50.0),
    "a batch is counted off": lambda d: d.update(arrivals=3),
    "Poisson arrivals are counted off": lambda d: d.update(arrival={"Poisson": 1.0}, arrivals=3),
    "Poisson arrivals are counted off at none": lambda d: d.update(arrival={"Poisson": 1.0}, arrivals=0),
    "a batch of a million": arriving({"Batch": 1_000_000}),
    "a batch of one more": arriving({"Batch": 1_000_001}),
    "no explicit session": arriving({"Sessions": []}),
    "an explicit size": arriving({"Sessions": [{"attrs": [[PROMPT, 1.0]]}]}),
    "an explicit serial number": arriving({"Sessions": [{"attrs": [[1, 1.0]]}]}),
    "an explicit value": arriving({"Sessions": [{"attrs": [[VALUE, 1.0]]}]}),
    "an explicit value in a turn": arriving({"Sessions": [{"attrs": [], "turns": [[[VALUE, 1.0]]]}]}),
    "a constant gap below 0": arriving({"Renewal": num(-1.0)}),
    "a gap that may fall below 0": arriving({"Renewal": binary("Sub", num(1.0), draw("Exp", num(1.0)))}),
    "a slot of another type": setting(("slot_think",), COST),
    "cached is a size": setting(("attr_types", 0), "Size"),
    "a hidden attribute that nothing reads": lambda d: d.update(hidden=[HIDDEN, 3]),
    "hidden twice": lambda d: d.update(hidden=[HIDDEN, HIDDEN]),
    "a joint cost in another order": lambda d: put(
        d, ("attr_types", COST), {"Cost": {"Joint": [{"Stage": {"base": 1, "count": 1}}, {"Pool": {"base": 1, "count": 1}}]}}
    ),
    "two attributes of one name": setting(("attrs", OUTPUT), "prompt"),
    "two observations of one name": setting(("observes", 2), "done"),
    "two claims of one name": setting(("claims", 1, "name"), "c1"),
    "a claim and a gauge of one name": setting(("claims", 1, "name"), "g"),
    "a gauge and an observation of one name": setting(("gauges", 0, "name"), "done"),
    "a register of an engine without a schedule": lambda d: d["registers"].append({"name": "s", "stage": LLM2, "init": 0.0}),
    # ------------------------------------------------------------------- blocks and sides
    "a block nothing reaches": lambda d: block(d, run()),
    "a block nothing reaches grows nothing": lambda d: block(d, {"Grow": [ref(PLAIN), of_pool(PLAIN, num(1.0))]}),
    "a block nothing reaches observes what there is not": lambda d: block(d, {"Observe": [99, num(1.0)]}),
    "the session without an end": lambda d: remove(d, 2, 15),
    "the workload ends the session": setting(("sides", 2, 15), "Workload"),
    "the server turns": setting(("sides", 2, 0), "Server"),
    "the server sets what is cached": before_all({"Set": [0, num(1.0)]}),
    "the server sets a size": before_all({"Set": [PROMPT, num(1.0)]}),
    "the server chooses into a size": before_all({"Choose": {"var": PROMPT, "count": num(2.0), "key": [num(1.0)]}}),
    "the workload chooses into a size": before_all({"Choose": {"var": PROMPT, "count": num(2.0), "key": [num(1.0)]}}, "Workload"),
    "the workload sets a value": before_all({"Set": [VALUE, num(1.0)]}, "Workload"),
    "the workload sets a size": before_all({"Set": [PROMPT, num(1.0)]}, "Workload"),
    "the workload sets the serial number": before_all({"Set": [1, num(1.0)]}, "Workload"),
    "the workload runs on a stage of the server": before_all(run(), "Workload"),
    "the workload runs on a stage of its own": workload_stage(),
    "both run on one stage": workload_stage((run, "Server")),
    "the server asks a stage of the workload": workload_stage((lambda at: {"Set": [VALUE, call("Queue", stage(at))]}, "Server")),
    "the workload observes a cost of the server's": observing(of_stage(FIFO, num(1.0)), "Workload"),
    "the workload observes a cost of a pool that is only spilled to": observing(of_pool(TIER, num(1.0)), "Workload"),
    "the workload observes a cost of what a request takes": observing(of_pool(SEATS2, num(1.0)), "Workload"),
    "a workload statement in a branch of the server": lambda d: insert(
        d, 2, 1, {"Branch": [num(1.0), block(d, {"Observe": [0, num(1.0)]}, side="Workload"), block(d)]}
    ),
    "a turn in a branch of the workload": lambda d: insert(
        d, 2, 1, {"Branch": [num(1.0), block(d, "Turn", side="Workload"), block(d)]}, "Workload"
    ),
    "two joins without a fork": lambda d: remove(d, 2, 7),
    # ---------------------------------------------------------------------------- costs
    "a cost times a number": observing(binary("Mul", of_pool(PLAIN, num(1.0)), num(2.0))),
    "a cost and a number": observing(binary("Add", of_pool(PLAIN, num(1.0)), num(2.0))),
    "a number over a cost": observing(binary("Div", num(2.0), of_pool(PLAIN, num(1.0)))),
    "two costs of one resource compared": observing(binary("Lt", of_pool(PLAIN, num(1.0)), of_pool(PLAIN, num(2.0)))),
    "two costs of two resources compared": observing(binary("Lt", of_pool(PLAIN, num(1.0)), of_pool(TIER, num(2.0)))),
    "the floor of a cost": observing(floor(of_pool(PLAIN, num(1.0)))),
    "the root of a cost": observing(call("Sqrt", of(of_pool(PLAIN, num(1.0))))),
    "the lesser of a cost and a number": observing(call("Min", of(of_pool(PLAIN, num(1.0))), of(num(1.0)))),
    "a cost as a condition": observing({"Cond": [of_pool(PLAIN, num(1.0)), num(1.0), num(2.0)]}),
    "a cost in one arm": observing({"Cond": [num(1.0), of_pool(PLAIN, num(1.0)), num(2.0)]}),
    "a draw of a cost": observing(draw("Exp", of_pool(PLAIN, num(1.0)))),
    "a cost of a cost": observing(of_pool(PLAIN, of_pool(PLAIN, num(1.0)))),
    "the time of an iteration is a cost": lambda d: step(d).update(cost=of_stage(LLM, num(1.0))),
    "a latency is a cost": setting((*FLOW, "latency"), of_stage(LINK0, num(1.0))),
    "a count of choices is a cost": setting(("blocks", 2, 10, "Choose", "count"), of_pool(PLAIN, num(1.0))),
    "an input is a cost": setting(("blocks", 2, 6, "Request", "input"), of_pool(PLAIN, num(1.0))),
    "a suspend key is a cost": setting(("pools", PLAIN, "preempt", "Leases", "suspend", 0), of_pool(PLAIN, num(1.0))),
    "a leases key is a cost": setting(("pools", PLAIN, "preempt", "Leases", "keys", 0), of_pool(PLAIN, num(1.0))),
    "work of a flow is a cost of one stage": setting((*FLOW, "work"), of_stage(LINK0, num(1.0))),
    "a cost is read before it is set": lambda d: insert(d, 2, 2, READ_COST),
    "a cost is read after it is set": lambda d: insert(d, 2, 3, READ_COST),
    "a cost is set in both arms and read": cost_only(
        lambda d: {"Branch": [attr(6), block(d, SET_COST), block(d, SET_COST)]}, READ_COST
    ),
    "a cost is set in one arm and read": cost_only(lambda d: {"Branch": [attr(6), block(d, SET_COST), block(d)]}, READ_COST),
    "a cost is set in one arm, the other ends, and read": cost_only(
        lambda d: {"Branch": [attr(6), block(d, SET_COST), block(d, "End")]}, READ_COST
    ),
    "a cost is set in a hold and read": cost_only(lambda d: hold(PLAIN, block(d, SET_COST, run())), READ_COST),
    "a cost is set in a leg and read": cost_only(lambda d: {"Fork": block(d, SET_COST)}, READ_COST),
    "a cost is set in a while and read": cost_only(lambda d: {"While": [attr(6), block(d, SET_COST, run())]}, READ_COST),
    # ---------------------------------------------------------------------------- holds
    "a hold of a member past the array": array_hold(num(2.0)),
    "a hold of half a member": array_hold(HALF),
    "a hold of a member by an attribute, grown": array_hold(attr(VALUE), growing(attr(VALUE))),
    "a hold of a member by another attribute, grown": array_hold(attr(VALUE), growing(attr(PROMPT))),
    "a hold of a member by the clock": array_hold(ctx("Now")),
    "a hold of a member by the clock, grown": array_hold(ctx("Now"), growing(ctx("Now"))),
    "a hold of member 0, grown without an index": array_hold(num(0.0), growing(None)),
    "a hold whose body sets what its index reads": array_hold(attr(VALUE), {"Set": [VALUE, num(1.0)]}),
    "a hold whose body chooses what its index reads": array_hold(
        attr(VALUE), {"Choose": {"var": VALUE, "count": num(2.0), "key": [num(1.0)]}}
    ),
    "a hold by cached with another hold inside": lambda d: array_hold(attr(0), hold(PLAIN, block(d, run())))(d),
    "a hold by a hidden attribute": array_hold(attr(HIDDEN)),
    "a hold of 10.5 of 10 or 11": array_hold(attr(VALUE), units=10.5),
    "a hold of 11.5 of 10 or 11": array_hold(attr(VALUE), units=11.5),
    "a hold of 10.5 of 10": array_hold(num(0.0), units=10.5),
    "a release outside": array_hold(attr(VALUE), after={"Release": ref(7, 2, attr(VALUE))}),
    "a release of a lease": array_hold(
        attr(VALUE), after={"Release": ref(7, 2, attr(VALUE))}, lease=[ref(7, 2, attr(VALUE)), num(1.0)]
    ),
    "a release of another's lease": array_hold(
        attr(VALUE), after={"Release": ref(7, 2, attr(PROMPT))}, lease=[ref(7, 2, attr(VALUE)), num(1.0)]
    ),
    "a grow of a lease": array_hold(attr(VALUE), after=growing(attr(VALUE)), lease=[ref(7, 2, attr(VALUE)), num(1.0)]),
    "a load of a lease": array_hold(
        attr(VALUE),
        after={"Load": [ref(7, 2, attr(VALUE)), of_pool(7, num(1.0), 2)]},
        lease=[ref(7, 2, attr(VALUE)), num(1.0)],
    ),
    "a drop anywhere": before_all({"Drop": ref(HOST)}),
    "a lease written another way than the hold": setting((*SMALL, "lease", 0), ref(PLAIN, 1, num(0.0))),
    "a lease of less than nothing": setting((*SMALL, "lease", 1), num(-1.0)),
    "a cache of less than nothing": setting((*BIG, "cache"), of_pools([KV, SEATS], num(-1.0))),
    "a reserve of less than nothing": setting((*BIG, "pools", 1, 2), of_pool(KV, num(-1.0))),
    "a reserve that never fits": setting((*BIG, "pools", 1, 2), of_pool(KV, num(65.0))),
    "units that never fit once rounded": lambda d: (
        put(d, ("pools", KV, "cap"), 62.0),
        put(d, (*BIG, "pools", 1, 1), of_pool(KV, num(60.0))),
    ),
    "units that never fit in either arm": setting(
        (*SMALL, "pools", 0, 1), of_pool(PLAIN, {"Cond": [attr(6), num(11.0), num(12.0)]})
    ),
    "a hold of no pool": setting((*BIG, "pools"), []),
    "reuse without cache": setting((*BIG, "cache"), None),
    "a fork where the hold may be preempted": lambda d: insert(d, 3, 0, {"Fork": block(d, run())}),
    "a fork in another hold": lambda d: insert(d, 4, 0, {"Fork": block(d, run())}),
    "a leg grows the hold around it": lambda d: insert(
        d, 4, 0, {"Fork": block(d, {"Grow": [ref(PLAIN), of_pool(PLAIN, num(1.0))]})}
    ),
    "growing outside the hold": before_all(
        {"Run": {"stage": ref(LLM), "mode": "Prefill", "work": of_stage(LLM, attr(PROMPT)), "growing": ref(KV)}}
    ),
    "growing the seats": setting(("blocks", 3, 0, "Run", "growing"), ref(SEATS)),
    "an index by the clock in a hold that may be preempted": lambda d: (
        array_hold(ctx("Now"))(d),
        option(8, preempt={"By": {"keys": [num(1.0)]}})(d),
    ),
    "an index by the clock in a hold whose leases may be taken": lambda d: (
        array_hold(ctx("Now"), lease=[ref(7, 2, ctx("Now")), num(1.0)])(d),
        option(7, preempt={"Leases": {"keys": [num(1.0)]}})(d),
    ),
    "work below 0": setting(("blocks", 4, 0, "Run", "work"), of_stage(FIFO, binary("Sub", num(1.0), num(2.0)))),
    "work that is no number": setting(("blocks", 4, 0, "Run", "work"), of_stage(FIFO, binary("Div", num(0.0), num(0.0)))),
    "work drawn below 0": setting(("blocks", 4, 0, "Run", "work"), of_stage(FIFO, draw("Det", num(-1.0)))),
    "endless work": setting(("blocks", 4, 0, "Run", "work"), of_stage(FIFO, num("inf"))),
    # ------------------------------------------------------------------------- prefixes
    "a chain of one key": new_pool(num(4.0), options={"block": 4.0}, cache=num(4.0), prefix=[[num(1.0), num(4.0)]]),
    "a chain without a cache": new_pool(num(4.0), options={"block": 4.0}, prefix=[[num(1.0), num(4.0)]]),
    "a chain in a pool that spills": new_pool(
        num(4.0),
        options={"block": 4.0, "spill": {"to": TIER, "via": FIFO, "work": num(1.0), "when": num(1.0)}},
        cache=num(4.0),
        prefix=[[num(1.0), num(4.0)]],
    ),
    "a chain keyed by what is cached": new_pool(num(4.0), options={"block": 4.0}, cache=num(4.0), prefix=[[attr(0), num(4.0)]]),
    "a chain keyed by the clock": new_pool(num(4.0), options={"block": 4.0}, cache=num(4.0), prefix=[[ctx("Now"), num(4.0)]]),
    "a chain keyed by a cost that is not set": new_pool(
        num(4.0), options={"block": 4.0}, cache=num(4.0), prefix=[[of_pool(KV, num(1.0)), num(4.0)]]
    ),
    "a request's chain of nothing": setting((*CLAUSE, "prefix"), []),
    # -------------------------------------------------------------------- loops and legs
    "a loop over a run": looping("Loop", run()),
    "a loop over a run of nothing": looping("Loop", run(FIFO, of_stage(FIFO, num(0.0)))),
    "a loop over a run of nothing after a latency": looping("Loop", run(FIFO, of_stage(FIFO, num(0.0)), latency=num(1.0))),
    "a loop over a request": looping("Loop", request()),
    "a loop over an end": looping("Loop", "End"),
    "a loop over an observation": looping("Loop", {"Observe": [0, num(1.0)]}),
    "a loop over a run or an end": branching("Loop", [run()], ["End"]),
    "a loop over a run or nothing": branching("Loop", [run()], []),
    "a loop over a while": lambda d: looping("Loop", {"While": [attr(6), block(d, run())]})(d),
    "a loop over a loop": lambda d: looping("Loop", {"Loop": block(d, run())})(d),
    "a loop over an empty hold": lambda d: looping("Loop", hold(PLAIN, block(d)))(d),
    "a loop over a fork and a join": lambda d: looping("Loop", {"Fork": block(d, run())}, "Join")(d),
    "a while over nothing": looping("While"),
    "a while as long as 2": setting(("blocks", 2, 12, "While", 0), num(2.0)),
    "a while as long as 1 + 1": setting(("blocks", 2, 12, "While", 0), binary("Add", num(1.0), num(1.0))),
    "a branch on 2": setting(("blocks", 2, 11, "Branch", 0), num(2.0)),
    "a leg that ends": leg("End"),
    "a leg that ends in a branch": lambda d: leg({"Branch": [attr(6), block(d, "End"), block(d)]})(d),
    "a leg that joins": leg("Join"),
    "a leg that forks": lambda d: leg({"Fork": block(d, run())})(d),
    "a leg that requests": leg(request()),
    "a leg that loops for ever": lambda d: leg({"Loop": block(d, run())})(d),
    # ---------------------------------------------------------------------------- flows
    "a flow to a fifo": lambda d: (
        put(d, (*FLOW, "also"), [ref(FIFO)]),
        put(d, (*FLOW, "work"), of_stages([FIFO, LINK0], num(1.0))),
    ),
    "a flow over a sum of numbers": setting(("stages", LINK1, "kind"), {"Ps": binary("Add", num(1.0), num(1.0))}),
    "a flow over endless capacity": setting(("stages", LINK1, "kind"), {"Ps": num("inf")}),
    "a flow over no capacity": setting(("stages", LINK1, "kind"), {"Ps": num(0.0)}),
    "a single run on a shared stage": before_all(run(LINK0)),
    "a single run with a policy": before_all(run(LINK0, share="MaxMin")),
    "another policy on the same fabric": another_flow("Bottleneck"),
    "another policy on another fabric": two_fabrics,
    "another policy on a fabric that is connected": joined_fabrics,
    "a flow posted by its third stage": setting((*FLOW, "poster"), 2),
    "a latency below 0": setting((*FLOW, "latency"), num(-1.0)),
    "a plain run on an array with an engine": before_all(
        {"Run": {"stage": ref(LLM, 2, attr(VALUE)), "mode": "Plain", "work": of_stage(LLM, num(1.0), 2), "growing": None}}
    ),
    "a run on an array of a fifo and a ps": before_all(
        {"Run": {"stage": ref(FIFO, 2, attr(VALUE)), "mode": "Plain", "work": of_stage(FIFO, num(1.0), 2), "growing": None}}
    ),
    # -------------------------------------------------------------------------- engines
    "a schedule of nothing": schedule(),
    "a schedule that acts in both arms": schedule({"Branch": [num(1.0), [{"Serve": {}}], [{"Admit": {}}]]}),
    "a schedule that sets another's register": lambda d: step(d, LLM2).update(iteration=[{"Set": [0, num(1.0)]}, {"Serve": {}}]),
    "an engine reads another's register": lambda d: step(d, LLM2).update(cost={"Reg": 0}),
    "a preempt key reads the register of the engine that does not admit": setting(
        ("pools", KV, "preempt", "By", "keys", 0), {"Reg": 0}
    ),
    "a preempt key reads the register of the engine that admits": lambda d: (
        put(d, ("pools", KV, "admit_via"), LLM),
        put(d, ("pools", KV, "preempt", "By", "keys", 0), {"Reg": 0}),
    ),
    "a granule of a sum": lambda d: step(d).update(granule=binary("Add", num(1.0), num(1.0))),
    "a granule above the chunk": chunked(num(4.0), num(2.0)),
    "a granule above a sum of the chunk": chunked(num(4.0), binary("Add", num(1.0), num(1.0))),
    "a granule above the least chunk": chunked(num(4.0), call("Max", of(num(1.0)), of(ctx("Nres")))),
    "a granule below the least chunk": chunked(num(4.0), call("Max", of(num(5.0)), of(ctx("Nres")))),
    "an endless granule with a chunk": chunked(num("inf"), num(4.0)),
    "an endless granule with an endless chunk": chunked(num("inf"), num("inf")),
    "exclusive prefill with a granule": lambda d: step(d, LLM2).update(serve="ExclusivePrefill", granule=num(4.0)),
    "exclusive prefill": lambda d: step(d, LLM2).update(serve="ExclusivePrefill"),
    "a stage only a spill runs on": lambda d: d["pools"][KV]["spill"].update(via=add_stage(d)),
    "a stage only a gauge reads": lambda d: put(d, ("gauges", 0, "expr"), call("Queue", stage(add_stage(d)))),
    "a gauge of a member by a sum": lambda d: (
        array_hold(num(0.0))(d),
        put(d, ("gauges", 0, "expr"), call("Used", pool(7, 2, binary("Sub", num(1.0), num(1.0))))),
    ),
    "a gauge of a member": lambda d: (array_hold(num(0.0))(d), put(d, ("gauges", 0, "expr"), call("Used", pool(7, 2, num(1.0))))),
    "the budget left of a fifo in an array": setting(("blocks", 2, 1, "Set", 1), call("BudgetLeft", stage(LINK1, 2, attr(VALUE)))),
    "a claim of another engine reads the register": lambda d: (
        put(d, ("claims", 0, "kind"), {"EveryIteration": LLM2}),
        put(d, ("claims", 0, "expr"), {"Reg": 0}),
    ),
    # ---------------------------------------------------------------------------- pools
    "eviction without a key": option(KV, evict={"By": []}),
    "preemption without a key": option(KV, preempt={"By": {"keys": []}}),
    "leases taken at ticks of nothing": option(PLAIN, preempt={"Leases": {"keys": [num(1.0)], "every": 0.0}}),
    "leases taken at ticks beside held reserves": option(PLAIN, reserve_held=True),
    "leases taken at once beside held reserves": option(PLAIN, reserve_held=True, preempt={"Leases": {"keys": [num(1.0)]}}),
    "a spill to itself": lambda d: d["pools"][KV]["spill"].update(to=KV),
    "a spill over an engine": lambda d: d["pools"][KV]["spill"].update(via=LLM),
    "a queue at ticks": option(PLAIN, queue_every=1.0),
    # ----------------------------------------------------------- requests and connectors
    "a request takes a pool twice": lambda d: step(d, LLM2)["request"]["pools"].append([ref(KV2), num(1.0), None]),
    "a request takes less than nothing": setting((*CLAUSE, "pools", 0, 1), num(-1.0)),
    "a request takes no pool and loads": setting((*CLAUSE, "pools"), []),
    "a request generates nothing": setting(("blocks", 2, 6, "Request", "output"), num(0.0)),
    "a request of nothing": setting(("blocks", 2, 6, "Request", "input"), num(0.0)),
    "a request records into a size": setting((*CLAUSE, "records", "last_reused"), HIDDEN),
    "a request goes to an engine without a clause": before_all(
        {"Request": {"stage": ref(LLM), "input": attr(PROMPT), "output": attr(OUTPUT)}}
    ),
    "a connector's block turns": lambda d: insert(d, 6, 0, "Turn", "Workload"),
    "a connector's block releases a lease": lambda d: insert(d, 6, 0, {"Release": ref(PLAIN)}),
    "a connector's block releases what nobody leases": lambda d: insert(d, 6, 0, {"Release": ref(SEATS2)}),
    "a connector's block with a source releases anything": lambda d: (
        step(d, LLM2)["connector"].update({"from": VALUE}),
        insert(d, 6, 0, {"Release": ref(SEATS2)}),
    ),
    "a connector's block forks": lambda d: insert(d, 6, 0, {"Fork": block(d, run())}),
    "a connector loads less than nothing": lambda d: step(d, LLM2)["connector"].update(load=[num(-1.0), 6]),
    # --------------------------------------------------------------------- whole tokens
    "half a token": worked(HALF),
    "two halves of a token": worked(binary("Add", HALF, HALF)),
    "a quotient of tokens": worked(binary("Div", attr(PROMPT), num(1.0))),
    "a square of tokens": worked(binary("Pow", attr(PROMPT), num(2.0))),
    "tokens by a seldom chance": worked(draw("Bernoulli", HALF)),
    "tokens by a draw": worked(draw("Uniform", num(1.0), num(1.0))),
    "tokens by the trace's seconds": worked(attr(5)),
    "tokens by the trace's forced": worked(attr(7)),
    "tokens by when a request was admitted": worked(attr(17)),
    "tokens by what a request reused": worked(attr(19)),
    "tokens by when a load was done": worked(attr(16)),
    "tokens by a value that is half one": lambda d: (put(d, ("blocks", 2, 1, "Set", 1), HALF), worked(attr(VALUE))(d)),
    "tokens by the floor of the clock": lambda d: (
        put(d, ("blocks", 2, 1, "Set", 1), ctx("Now")),
        worked(floor(attr(VALUE)))(d),
    ),
    "tokens by what is used of a pool of fractions": lambda d: (
        new_pool(HALF)(d),
        worked(call("Used", pool(7)))(d),
    ),
    "tokens by what is used of the seats": worked(call("Used", pool(SEATS))),
    "tokens by unfinished work": worked(call("Work", stage(LLM))),
    "an explicit session brings half a token": arriving({"Sessions": [{"attrs": [[PROMPT, 2.5]]}]}),
    "a pool of fractions": new_pool(HALF),
    "a pool of fractions with a cache": new_pool(HALF, cache=num(1.0)),
    "a pool of fractions with a reuse": new_pool(HALF, reuse=num(1.0)),
    "a pool of fractions with a load": new_pool(HALF, inside=[lambda at: {"Load": [ref(at), of_pool(at, num(1.0))]}]),
    "a pool of fractions that is leased": lambda d: (
        new_pool(HALF)(d),
        put(d, ("blocks", 2, 1, "Hold", "lease"), [ref(7), num(1.0)]),
    ),
    "a fraction of a block": new_pool(num(1.0), options={"block": 2.5}),
    "a reserve of half a token": setting((*BIG, "pools", 1, 2), of_pool(KV, num(9.5))),
    "a budget of half a token": lambda d: step(d).update(budget=num(8.5)),
    "a budget by the memory held": lambda d: step(d).update(budget=ctx("Kvb")),
    "a budget by a register": lambda d: step(d).update(budget={"Reg": 0}),
    "a budget by a register of half one": lambda d: (step(d).update(budget={"Reg": 0}), put(d, ("registers", 0, "init"), 0.5)),
}

LOADED: frozenset[str] = frozenset(
    {
        "Poisson arrivals are counted off",
        "a batch of a million",
        "no explicit session",
        "an explicit size",
        "an explicit serial number",
        "a gap that may fall below 0",
        "a hidden attribute that nothing reads",
        "two attributes of one name",
        "two observations of one name",
        "a claim and a gauge of one name",
        "a block nothing reaches",
        "a block nothing reaches grows nothing",
        "the session without an end",
        "the workload ends the session",
        "the server sets what is cached",
        "the workload chooses into a size",
        "the workload sets a size",
        "the workload runs on a stage of its own",
        "the server asks a stage of the workload",
        "the workload observes a cost of a pool that is only spilled to",
        "a turn in a branch of the workload",
        "a cost times a number",
        "two costs of one resource compared",
        "the floor of a cost",
        "an input is a cost",
        "a suspend key is a cost",
        "a cost is read after it is set",
        "a cost is set in both arms and read",
        "a cost is set in a hold and read",
        "a hold of a member by an attribute, grown",
        "a hold of a member by the clock",
        "a hold by a hidden attribute",
        "a hold of 10.5 of 10 or 11",
        "a release of a lease",
        "a grow of a lease",
        "a drop anywhere",
        "a lease of less than nothing",
        "a cache of less than nothing",
        "a reserve of less than nothing",
        "units that never fit in either arm",
        "reuse without cache",
        "a fork in another hold",
        "a leg grows the hold around it",
        "growing the seats",
        "an index by the clock in a hold whose leases may be taken",
        "work drawn below 0",
        "endless work",
        "a chain of one key",
        "a chain without a cache",
        "a chain keyed by a cost that is not set",
        "a request's chain of nothing",
        "a loop over a run",
        "a loop over a run of nothing after a latency",
        "a loop over a request",
        "a loop over an end",
        "a loop over a run or an end",
        "a loop over a loop",
        "a while as long as 1 + 1",
        "a branch on 2",
        "a leg that requests",
        "a leg that loops for ever",
        "a flow over endless capacity",
        "a single run on a shared stage",
        "another policy on another fabric",
        "a run on an array of a fifo and a ps",
        "a schedule that acts in both arms",
        "a preempt key reads the register of the engine that admits",
        "a granule below the least chunk",
        "an endless granule with an endless chunk",
        "exclusive prefill",
        "a stage only a spill runs on",
        "a gauge of a member",
        "eviction without a key",
        "leases taken at once beside held reserves",
        "a spill to itself",
        "a spill over an engine",
        "a queue at ticks",
        "a request takes less than nothing",
        "a request of nothing",
        "a request records into a size",
        "a request goes to an engine without a clause",
        "a connector's block turns",
        "a connector's block releases a lease",
        "a connector's block with a source releases anything",
        "a connector loads less than nothing",
        "tokens by a seldom chance",
        "tokens by the trace's forced",
        "tokens by what a request reused",
        "tokens by the floor of the clock",
        "tokens by what is used of the seats",
        "a pool of fractions",
        "a pool of fractions that is leased",
        "a reserve of half a token",
        "a budget by the memory held",
        "a budget by a register",
    }
)
"""The changes after which pyserq 0.1.6 still loads the IR."""
