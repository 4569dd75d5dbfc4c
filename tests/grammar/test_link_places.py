"""Where the linker says the statements of a program stand in its text."""

from __future__ import annotations

from grammar import ir
from grammar.link import Linked, Settings, link
from grammar.source import Source

ENGINE = """
fn main() {
  device gpu { kv cap 40; }
  engine llm on gpu {
    reqs cap 1; tokens cap 8;
    request (p) {
      set before = p;
      at admission { known = max(before, computed + 1); }
      observe seen = known;
      prefill (known) growing kv;
    }
    schedule {
      advance running;
      branch (running.preempted == 0) { admit waiting taking reqs (1), kv (known); } else { advance running by (remaining); }
    }
    execute (1 + batch.tokens);
  }
  pool kv on gpu { }
  pool reqs on llm { }
  workload { arrive batch(1); turn { set n = 3; } session { turn; turn; } }
  server {
    llm (n);
    observe done = now;
  }
}
"""


def linked(text: str) -> Linked:
    return link(Source("test", text), Settings(10.0))


def shown(text: str, place: ir.Place) -> str:
    """The text of a place that stands on one line."""
    assert place.line == place.end_line
    return text.split("\n")[place.line - 1][place.column - 1 : place.end_column - 1]


def places_of(text: str, block: int) -> list[str]:
    result = linked(text)
    return [shown(text, result.places.statements[block, i]) for i in range(len(result.program.blocks[block]))]


def test_the_statements_of_a_request_stand_where_the_request_writes_them_and_its_hold_at_the_call() -> None:
    # Each `turn;` has the server's statements after it: before the admission, the hold, and what follows the call.
    once = ["turn;", "set before = p;", "llm (n);", "observe done = now;"]
    session = places_of(ENGINE, 2)
    assert session[:-1] == [*once, *once]


def test_the_body_of_a_request_s_hold_begins_with_the_bindings_it_reads() -> None:
    body = ["known = max(before, computed + 1);", "observe seen = known;", "prefill (known) growing kv;"]
    assert places_of(ENGINE, 3) == body


def test_the_second_turn_s_statements_stand_where_the_first_s_do() -> None:
    assert places_of(ENGINE, 4) == places_of(ENGINE, 3)


def test_a_session_without_an_end_ends_at_its_closing_brace() -> None:
    end = linked(ENGINE).places.statements[2, 8]
    line = ENGINE.split("\n")[end.line - 1]
    assert line[: end.column] == "  workload { arrive batch(1); turn { set n = 3; } session { turn; turn; }"


def test_a_schedule_s_statements_have_a_path_through_its_branches() -> None:
    schedule = linked(ENGINE).places.schedule
    assert {path: shown(ENGINE, place).split(" ")[0] for (_, path), place in schedule.items()} == {
        (0,): "advance",
        (1,): "branch",
        (1, 0, 0): "admit",
        (1, 1, 0): "advance",
    }


def test_the_default_procedure_stands_where_its_two_statements_are_written() -> None:
    text = ENGINE.replace(
        "branch (running.preempted == 0) { admit waiting", "admit waiting while (running.preempted == 0)"
    ).replace("; } else { advance running by (remaining); }", ";")
    schedule = linked(text).places.schedule
    assert shown(text, schedule[0, (0,)]) == "advance running;"
    assert shown(text, schedule[0, (1,)]).startswith("admit waiting while (running.preempted == 0) taking reqs (1)")


def test_the_budget_and_the_time_of_an_iteration_have_places() -> None:
    places = linked(ENGINE).places
    assert shown(ENGINE, places.tokens_cap[0]) == "tokens cap 8;"
    assert shown(ENGINE, places.execute[0]) == "execute (1 + batch.tokens);"


def test_a_statement_of_a_definition_stands_in_the_definition() -> None:
    text = "def timed(x) { run s (cost(s, x)); }\nfn main() { stage s : fifo; workload { arrive batch(1); } server { timed(2); } }"
    result = linked(text)
    assert shown(text, result.places.statements[2, 1]) == "run s (cost(s, x));"


def test_a_statement_of_an_entry_stands_in_the_entry() -> None:
    text = (
        "fn main() { queue q : prefill { pool kv { cap 9; } serve fifo; prefill (p) { run (cost(q, p)); } }\n"
        "workload { arrive batch(1); turn { set n = 3; } } server { q.prefill (n); } }"
    )
    assert places_of(text, 2)[1] == "run (cost(q, p));"


def test_every_part_of_a_transfer_stands_at_the_transfer() -> None:
    transfer = "transfer (n) from a to b (n);"
    text = (
        "fn main() { pool a { cap 9; } pool b { cap 9; } stage link : ps(1); workload { arrive batch(1); turn { set n = 3; } }\n"
        "server { hold a (cost(a, n)) { run link (cost(link, 1)); } lease a (inf) hold b (cost(b, n)) { " + transfer + " } } }"
    )
    # The run over the link, the load and the release (L7.32).
    assert places_of(text, 4) == [transfer] * 3
