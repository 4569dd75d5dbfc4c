"""Rules that one program each shows, on both sides of the line: every verdict here was measured on the reference."""

from __future__ import annotations

import pytest

from tests.grammar.linking import errors

RUN = "run s (cost(s, 1));"
W = "workload { arrive batch(1); turn { set n = 3; } }"


def server(statements: str, above: str = "") -> str:
    return f"{above} fn main() {{ pool p {{ cap 9; }} stage s : delay; {W} server {{ {statements} }} }}"


def family(statements: str, option: str = "cap 9;", items: str = "") -> str:
    return (
        f"fn main() {{ pool p[2] {{ {option} }} {items} stage s : delay; workload {{ arrive batch(1); init {{ set i = 0; }} }} "
        f"server {{ {statements} }} }}"
    )


def request(items: str, taking: str = "taking reqs (1)", call: str = "e (n, 2);", params: str = "a, b", more: str = "") -> str:
    return f"""
    fn main() {{
      device gpu {{ kv cap 100; }}
      engine e on gpu {{
        reqs cap 4; tokens cap 8;
        request ({params}) {{ {items} }}
        schedule {{ advance running; admit waiting while (running.preempted == 0) {taking}; }}
        execute (1);
      }}
      pool kv on gpu {{ }} pool reqs on e {{ }} {more} {W}
      server {{ {call} }}
    }}
    """


def queue(entry: str, call: str = "q.prefill (n);") -> str:
    return (
        f"fn main() {{ queue q : prefill {{ pool kv {{ cap 9; }} serve fifo; {entry} }} stage s : delay; {W} server {{ {call} }} }}"
    )


def pair(body: str, lease: str = "kv") -> str:
    """A queue that leases and one whose entry takes the lease over, ``body`` in its hold of its own pool."""
    return f"""
    use "std/kvt";
    fn main() {{
      stage net : fifo; queue C : l2 {{ pool mem {{ cap 99; }} serve fifo; }}
      queue P : prefill {{
        pool kv {{ cap 64; }} serve fifo;
        prefill (p) {{ hold kv (cost(kv, p)) {{ run (cost(P, p)); }} cache (cost(kv, p)) lease {lease} (5); }}
      }}
      queue D : decode {{
        pool kv {{ cap 64; }} pool m {{ cap 9; }} serve fifo;
        decode (p) from P {{ hold kv (cost(kv, p)) {{ {body} run (cost(D, p)); }} }}
      }}
      {W}
      server {{ P.prefill (n); D.decode (n) from P; }}
    }}
    """


DEFINITIONS = {
    "f(x) { x } in itself": ("E403", server(RUN, "def f(x) { f(x) }")),
    "a later definition": ("E403", server(RUN, "def f(x) { g(x) } def g(x) { x }")),
    "an argument that draws, read twice": ("E411", server(f"set y = f(~exp(1)); {RUN}", "def f(a) { a + a }")),
    "an argument that draws, dropped": (None, server(f"set y = f(~exp(1)); {RUN}", "def f(a) { 1 }")),
    "an argument that names nothing, dropped": ("E504", server(f"set y = f(zz); {RUN}", "def f(a) { 1 }")),
    "a pool for a parameter nobody reads": (None, server(f"f(p); {RUN}", "def f(a) { set y = 1; }")),
    "a name the body chooses": ("E410", server(f"set x = 0; f(x); {RUN}", "def f(a) { choose x in 2 by (a, x); set y = a; }")),
    "a name that is only observed": ("E409", server(RUN, "def f(a) { observe a = 1; }")),
    "the clock for statements": ("E412", server(f"f(now); {RUN}", "def f(a) { set y = a; }")),
    "an attribute for statements": (None, server(f"f(serial); {RUN}", "def f(a) { set y = a; }")),
    "a stage for a parameter": (None, server("f(s);", "def f(a) { run a (cost(a, 1)); }")),
    "a pool called args": (None, server(RUN).replace("pool p", "pool args { } pool p")),
    "a pool called args beside std/args": ("E305", server(RUN, 'use "std/args";').replace("pool p", "pool args { } pool p")),
    "a definition called args beside std/args": ("E305", server(RUN, 'def args(x) { x } use "std/args";')),
    "a gauge called args beside std/args": (None, server(RUN, 'use "std/args";').replace("pool p", "gauge args = 1; pool p")),
    "an attribute called args beside std/args": (None, server(f"set args = 1; {RUN}", 'use "std/args";')),
    "a number for a parameter that names a stage": ("E502", server("f(3);", "def f(a) { run a (cost(s, 1)); }")),
    "a stage in parentheses for a parameter": ("E502", server("f((s));", "def f(a) { run a (cost(s, 1)); }")),
    "a pool in parentheses for a function": ("E508", server(f"set y = used((p)); {RUN}")),
    "a pool in parentheses for a parameter of a function": ("E508", server(f"set y = f((p)); {RUN}", "def f(a) { used(a) }")),
    "a parameter in parentheses for a function": ("E508", server(f"set y = f(p); {RUN}", "def f(a) { used((a)) }")),
    "a stage in parentheses in a cost": ("E1106", server("run s (cost((s), 1));")),
    "a parameter named as a built-in attribute": (None, server(f"set y = f(3); {RUN}", "def f(cached) { cached }")),
    "a parameter named as the clock": ("E408", server(RUN, "def f(now) { 1 }")),
    "a wrong use in a body nobody uses": (None, server(RUN, "def f(x) { x } def g(a) { f(a, 1) }")),
}

HOLDS = {
    "an index of the state, preempted": ("E1135", family(f"hold p[queue(s)] (cost(p, 1)) {{ {RUN} }}", "preempt lifo;")),
    "an index of the state, not preempted": (None, family(f"hold p[~det(1)] (cost(p, 1)) {{ {RUN} }}")),
    "preempted through another pool of the hold": (
        "E1135",
        family(f"hold p[queue(s)] (cost(p, 1)), z (cost(z, 1)) {{ {RUN} }}", items="pool z { preempt lifo; }"),
    ),
    "preempted through the hold around": (
        "E1135",
        family(f"hold z (cost(z, 1)) {{ hold p[queue(s)] (cost(p, 1)) {{ {RUN} }} }}", items="pool z { preempt lifo; }"),
    ),
    "an index of the state, read again inside": (
        "E1135",
        family("hold p[queue(s)] (cost(p, 1)) { grow p[queue(s)] (cost(p, 1)); }"),
    ),
    "an index of attributes": (
        None,
        family(f"hold p[max(i, 0)] (cost(p, 1)) {{ grow p[max(i, 0)] (cost(p, 1)); {RUN} }}", "preempt lifo;"),
    ),
    "an index its body chooses": ("E1110", family(f"set j = 0; hold p[j] (cost(p, 1)) {{ choose j in 2 by (j); {RUN} }}")),
    "an index a leg sets for itself": (None, family(f"set j = 0; hold p[j] (cost(p, 1)) {{ fork {{ set j = 1; }} join; {RUN} }}")),
    "a leg that grows the hold around it": (
        "E1109",
        server(f"hold p (cost(p, 1)) {{ fork {{ grow p (cost(p, 1)); {RUN} }} join; }}"),
    ),
    "a release of what some hold leases": (None, server(f"release p; hold p (cost(p, 1)) {{ {RUN} }} lease p (3)")),
    "`cached` without `cache`": ("E1111", server(f"hold p (cost(p, 1)) {{ observe h = cached; {RUN} }}")),
    "`cached` before the hold": (None, server(f"observe h = cached; hold p (cost(p, 1)) {{ {RUN} }}")),
    "`cached` in a leg": (None, server(f"hold p (cost(p, 1)) {{ fork {{ observe h = cached; }} join; {RUN} }}")),
    "`cached` in an inner header": (
        None,
        server(f"hold p (cost(p, 1)) {{ hold p (cost(p, cached)) {{ {RUN} }} }} cache (cost(p, 1))"),
    ),
    "`cached` after a nested hold": (
        "E1113",
        server(f"hold p (cost(p, 1)) {{ hold p (cost(p, 1)) {{ {RUN} }} observe h = cached; }} cache (cost(p, 1))"),
    ),
    "`cached` in the other arm": (
        None,
        server(
            f"hold p (cost(p, 1)) {{ branch (n > 2) {{ hold p (cost(p, 1)) {{ {RUN} }} }} else {{ observe h = cached; }} }} "
            "cache (cost(p, 1))"
        ),
    ),
    "`cached` on the next pass": (
        "E1113",
        server(
            f"hold p (cost(p, 1)) {{ while (n > 9) {{ observe h = cached; hold p (cost(p, 1)) {{ {RUN} }} }} {RUN} }} "
            "cache (cost(p, 1))"
        ),
    ),
    "a header of stale state": ("E1114", server(f"set f = free(p); hold p (cost(p, f)) {{ {RUN} }}")),
    "a header of the time": (None, server(f"set f = now; hold p (cost(p, f)) {{ {RUN} }}")),
    "a `cache` of stale state": ("E1114", server(f"set f = free(p); hold p (cost(p, 1)) {{ {RUN} }} cache (cost(p, f))")),
    "stale state set again": (None, server(f"set f = free(p); set f = 3; hold p (cost(p, f)) {{ {RUN} }}")),
    "stale state through a second name": (None, server(f"set f = free(p); set g = f; hold p (cost(p, g)) {{ {RUN} }}")),
    "stale state set in a branch": (None, server(f"branch (n > 1) {{ set f = free(p); }} hold p (cost(p, f)) {{ {RUN} }}")),
    "stale state into a branch": ("E1114", server(f"set f = free(p); branch (n > 1) {{ hold p (cost(p, f)) {{ {RUN} }} }}")),
    "stale state into a hold": (None, server(f"set f = free(p); hold p (cost(p, 1)) {{ hold p (cost(p, f)) {{ {RUN} }} }}")),
}


def scheduled(served: str, admitted: str = "") -> str:
    return f"""
    fn main() {{
      device gpu {{ kv cap 90; }} pool kv on gpu {{ }}
      engine e on gpu {{ tokens cap 8; schedule {{ advance running {served}; admit waiting {admitted}; }} execute (1); }}
      {W}
      server {{ hold kv (cost(kv, x)) at admission (x = n) {{ run e prefill (cost(e, x)); }} }}
    }}
    """


BINDINGS = {
    "an order of the schedule that reads a binding": (None, scheduled("by (x)")),
    "a predicate of the schedule that reads a binding": (None, scheduled("only (x > 1)")),
    # As measured on the reference: refused where the schedule is one of the two forms known as a whole (L5.15).
    "an order of the default procedure that reads a binding": ("E1027", scheduled("by (x)", "while (running.preempted == 0)")),
    "the second key of the default procedure": ("E1027", scheduled("by (n, -x)", "while (!running.preempted)")),
    "an order of the default procedure that reads a size": (None, scheduled("by (n)", "while (running.preempted == 0)")),
    "an order beside another gate that reads a binding": (None, scheduled("by (x)", "while (running.preempted < 1)")),
    "an order of the one-`only` form that reads a binding": (
        "E1027",
        scheduled("only (n > 1) by (x)", "only (n > 1) while (running.preempted == 0)"),
    ),
    "the predicate of the one-`only` form that reads a binding": (
        "E1027",
        scheduled("only (x > 1)", "only (x > 1) while (running.preempted == 0)"),
    ),
    "an order of two predicates that differ, reading a binding": (
        None,
        scheduled("only (n > 1) by (x)", "only (n > 2) while (running.preempted == 0)"),
    ),
    "an order of the schedule that reads a size": (None, scheduled("by (n)")),
    "a name bound in two holds": (
        None,
        server(
            f"hold p (cost(p, m)) at admission (m = n) {{ observe z = m; {RUN} }} "
            f"hold p (cost(p, m)) at admission (m = n) {{ observe y = m; {RUN} }}"
        ),
    ),
    "a name bound twice in one": ("E1009", server(f"hold p (cost(p, m)) at admission (m = n, m = 1) {{ {RUN} }}")),
    "a name the program sets": ("E1009", server(f"hold p (cost(p, n)) at admission (n = 1) {{ {RUN} }}")),
    "a name a constant has": ("E1009", server(f"hold p (cost(p, m)) at admission (m = n) {{ {RUN} }}", "let m = 3;")),
    "a binding of live state read inside": (
        "E1008",
        server(f"hold p (cost(p, m)) at admission (m = free(p)) {{ observe z = m; {RUN} }}"),
    ),
    "a binding that is a cost read inside": (
        "E1008",
        server(f"hold p (m) at admission (m = cost(p, n)) {{ observe z = m; {RUN} }}"),
    ),
    "a binding of `computed` read inside": (
        None,
        server(f"hold p (cost(p, m)) at admission (m = computed) {{ observe z = m; {RUN} }}"),
    ),
    "a binding read outside": (
        "E1027",
        server(f"hold p (cost(p, m)) at admission (m = n) {{ observe z = m; {RUN} }} observe y = m;"),
    ),
}


def dropping(cap: str = "8", key: str = "n", gate: str = "batch.tokens < 8", execute: str = "1", call: str = "n") -> str:
    """An engine whose clauses hand arguments to a definition and to a time resource that do not read them."""
    return f"""
    def drops(k) {{ 1 }}
    fn main() {{
      device gpu {{ kv cap 90; pass(t, u) = t; }} pool kv on gpu {{ }}
      engine e on gpu {{
        reqs cap 4; tokens cap {cap}; request (a) {{ prefill (3); }}
        schedule {{ advance running by ({key}); admit waiting while ({gate}) taking kv (3); }} execute ({execute});
      }}
      pool reqs on e {{ }}
      {W}
      server {{ e ({call}); }}
    }}
    """


# Arguments that nothing reads, as measured on the reference: their names have to be those of the clause all the same.
DROPPED = {
    "a value of the batch in `execute`": (None, dropping(execute="drops(batch.kv_decode)")),
    "no value of the batch in `execute`": ("E605", dropping(execute="drops(batch.need)")),
    "a value of the queues in `execute`": (None, dropping(execute="pass(batch.tokens, waiting.count)")),
    "no mark of the engine in `execute`": ("E1020", dropping(execute="pass(batch.tokens, e.count)")),
    "what `execute` does not read": ("E606", dropping(execute="drops(running.preempted)")),
    "the batch in `tokens cap`": ("E606", dropping(cap="8 * drops(batch.tokens)")),
    "the running requests in `tokens cap`": (None, dropping(cap="8 * drops(running.count)")),
    "the batch in an order": ("E606", dropping(key="drops(batch.tokens)")),
    "a bare name of the kernel in an order": ("E607", dropping(key="drops(tokens)")),
    "the batch in a gate": (None, dropping(gate="drops(batch.tokens)")),
    "what the batch will be in a gate": ("E606", dropping(gate="drops(batch.kv_decode)")),
    "the batch in the server": ("E604", server(f"set y = drops(batch.tokens); {RUN}", "def drops(k) { 1 }")),
    "a name nobody declares in a call": (None, dropping(call="missing")),
    "`self` in a call": ("E504", dropping(call="self")),
    "no mark of the engine in a call": ("E1020", dropping(call="e.count")),
}

REQUESTS = {
    "a session attribute": ("E1028", request("prefill (n);")),
    "a name nothing sets, never called": ("E504", request("prefill (zz);", call="run e prefill (cost(e, 1));")),
    "a name set below": (None, request("set q = k; set k = 1; prefill (a);")),
    "another engine's pool": ("E1032", request("prefill (a + used(pp));", more="pool pp { }")),
    "a name set on one path before the admission": (
        "E1025",
        request("branch (a > 1) { set c = 1; } at admission { } prefill (a);", "taking reqs (c)"),
    ),
    "a name set on both": (
        None,
        request("branch (a > 1) { set c = 1; } else { set c = 2; } at admission { } prefill (a);", "taking reqs (c)"),
    ),
    "a name only the body sets": ("E1025", request("at admission { } set c = 1; prefill (a);", "taking reqs (c)")),
    "an argument that is the clock": (None, request("prefill (a);", "taking reqs (a)", "e (now, 1);")),
    "an argument of the batch": ("E604", request("prefill (a);", call="e (batch.tokens, 2);")),
    "an argument that draws": ("E1019", request("prefill (a);", call="e (~exp(3), 2);")),
    "an own name read outside": ("E1027", request("set k = a; prefill (a);", call="e (n, 2); observe z = k;")),
    "an own mark read inside": ("E1020", request("mark m; observe z = e.m; prefill (a);")),
    "a pool it does not take": ("E1029", request("hold kv (cost(kv, a)) { prefill (a); }")),
    "a release of what it does not take": (None, request("prefill (a); release kv;", "taking reqs (1), kv (a)")),
    "an index of an aggregate named as a parameter": ("E511", request("prefill (sum a in 2 (a));")),
}

ENTRIES = {
    "a session attribute": ("E1304", queue("prefill (p) { run (cost(q, p + n)); }")),
    "a name nothing sets, never called": ("E504", queue("prefill (p) { run (cost(q, zz)); }", RUN)),
    "a statement of a session, never called": ("E1101", queue("prefill (p) { turn; }", RUN)),
    "the clock in a header": ("E1322", queue("prefill (p) { hold kv (cost(kv, p + now)) { run (cost(q, p)); } }")),
    "a parameter that is the clock in a header": (
        None,
        queue("prefill (p) { hold kv (cost(kv, p)) { run (cost(q, p)); } }", "q.prefill (now);"),
    ),
    "a local a hold's body sets": (
        None,
        queue("prefill (p) { hold kv (cost(kv, p)) { run (cost(q, p)); set a = 1; } hold kv (cost(kv, a)) { run (cost(q, p)); } }"),
    ),
    "a local its own body sets": ("E1025", queue("prefill (p) { hold kv (cost(kv, a)) { run (cost(q, p)); set a = 1; } }")),
    "a local of the session's name": (None, queue("prefill (p) { set n = p; run (cost(q, n)); }")),
    "an index on an own pool": ("E1316", queue("prefill (p) { hold kv[0] (cost(kv, p)) { run (cost(q, p)); } }")),
    # As measured on the reference: an entry takes from its own pools, by bare names, and from the lease it is handed.
    "a copy of what the entry is handed": (None, pair("transfer on net (p) from P to kv (p);")),
    "a copy from the other queue's pool": ("E1305", pair("transfer on net (p) from P.kv to kv (p);")),
    "what the entry is handed, dropped": (None, pair("drop P;")),
    "the other queue's pool, dropped": ("E1305", pair("drop P.kv;")),
    "the other queue's pool, released": ("E1305", pair("release P.kv;")),
    "a hold of what the entry is handed": (None, pair("hold P (cost(P, p)) { run (cost(D, p)); }")),
    "an own pool by its dotted name, released": ("E1316", pair("release D.kv;")),
    "an own pool by its dotted name, grown by a run": ("E1316", pair("run D (cost(D, p)) growing D.kv;")),
    "a load from a second tier": (None, pair("kvt.l2_load (C, kv, p, per_token = 1);")),
    "a load from a second tier into a dotted pool": ("E1316", pair("kvt.l2_load (C, D.kv, p, per_token = 1);")),
    "a second tier's own pool, dropped": ("E1305", pair("drop C.mem;")),
    "a lease of an own pool by its dotted name": ("E1316", pair("", lease="P.kv")),
    "the queue's pool held outside": (
        "E1317",
        queue("prefill (p) { run (cost(q, p)); }", "hold q.kv (cost(q.kv, 1)) { q.prefill (n); }"),
    ),
    "the queue's stage run outside": (None, queue("prefill (p) { run (cost(q, p)); }", "run q (cost(q, n));")),
    "an entry that calls itself": ("E1311", queue("prefill (p) { q.prefill (p); }")),
}

LOOPS = {
    "a loop of a `set`": ("E1116", server("loop { set y = 1; }")),
    "a loop of a run of 0": ("E1116", server("loop { run s (cost(s, 1 - 1)); }")),
    "a loop of a run that may be 0": (None, server("loop { run s (cost(s, 0 * n)); }")),
    "a loop of a hold of nothing": ("E1116", server("loop { hold p (cost(p, 1)) { } }")),
    "a loop of a leg": ("E1116", server(f"loop {{ fork {{ {RUN} }} join; }}")),
    "a loop of a loop": (None, server(f"loop {{ loop {{ {RUN} }} }}")),
    "a loop that ends on one arm and runs on the other": (None, server(f"loop {{ branch (n > 1) {{ {RUN} }} else {{ end; }} }}")),
    "a test of 1 + 1": (None, server(f"branch (1 + 1) {{ {RUN} }}")),
    "a test of 2": ("E1115", server(f"branch (2) {{ {RUN} }}")),
    "an amount of 1 - 2": ("E513", server("run s (cost(s, 1 - 2));")),
    "an amount that is no number": ("E307", server("run s (cost(s, 0 / 0));")),
    "a hold of more than there is": ("E713", server(f"hold p (cost(p, k * 4)) {{ {RUN} }}", "let k = 3;")),
    "a growth to more than there is": (None, server(f"hold p (cost(p, 4)) {{ grow p (cost(p, 9)); {RUN} }}")),
}

COSTS = {
    "a record that repeats a resource": ("E1131", server("Cost j = { p: 1, p: 2 }; " + RUN)),
    "a record declared again alike": (None, server("Cost j = { p: 1, s: 2 }; Cost j = { p: 1, s: 2 }; " + RUN)),
    "a record declared again in another order": ("E1131", server("Cost j = { p: 1, s: 2 }; Cost j = { s: 1, p: 2 }; " + RUN)),
    "a record of a field of itself": ("E1106", server("Cost j = { p: 1, s: j.s }; run s (j.s);")),
    "a record as a value": ("E504", server("Cost j = { p: 1, s: 2 }; observe x = j; " + RUN)),
    "a cost set on one path": ("E1108", server("branch (n > 1) { set c = cost(s, 1); } run s (c);")),
    "a `Cost` of a number": ("E1131", server("Cost j = n; " + RUN)),
    "a cost times a number": (None, server("run s (2 * cost(s, n) / 3);")),
    "a cost times a cost": ("E1132", server("run s (cost(s, 1) * cost(s, 2));")),
    "a choice of a request's size": ("E1103", server("choose n in 2 by (n); " + RUN)),
}

RULES = {
    f"{group}: {name}": rule
    for group, rules in {
        "definitions": DEFINITIONS,
        "holds": HOLDS,
        "bindings": BINDINGS,
        "dropped arguments": DROPPED,
        "requests": REQUESTS,
        "entries": ENTRIES,
        "loops and amounts": LOOPS,
        "costs": COSTS,
    }.items()
    for name, rule in rules.items()
}


@pytest.mark.parametrize(("code", "text"), RULES.values(), ids=RULES)
def test_a_program_links_or_has_the_one_error_of_its_rule(code: str | None, text: str) -> None:
    assert {found.id for found in errors(text)} == (set() if code is None else {code})
