"""Hidden attributes followed through a session (L7.34); what links and what not was measured on the reference, case by case."""

from __future__ import annotations

import pytest

from tests.grammar.linking import errors

HOLD = "hold p (cost(p, c)) { run s (cost(s, 1)); }"
RUN = "run s (cost(s, 1));"


def hidden(server: str, session: str = "turn;", turn: str = "set o = 3; set n = 2;", init: str = "") -> str:
    return (
        f"fn main() {{ pool p {{ cap 9; }} stage s : delay; workload {{ arrive batch(1); hidden o; init {{ set c = 0; {init} }} "
        f"turn {{ {turn} }} session {{ {session} }} }} server {{ {server} }} }}"
    )


LINKS = {
    "what was hidden is known to the session after its turn": hidden(HOLD, "turn; set c = o; turn;"),
    "with its answer the client knows everything": hidden("branch (x > 1) { } set x = o; run s (cost(s, 1));", "turn; turn;"),
    "the session decides by what it likes": hidden(RUN, "turn; branch (o > 1) { turn; }"),
    "a session adds up what it learnt": hidden(HOLD, "turn; while (turn_no < 3) { set c = c + o; turn; }"),
    "a run reveals what its work reads": hidden("run s (cost(s, o)); branch (o > 1) { }"),
    "and what that was set to": hidden("set x = o; run s (cost(s, x)); branch (o > 1) { }"),
    "a run inside a loop reveals for the rest of the pass": hidden("loop { run s (cost(s, o)); branch (o > 1) { end; } }"),
    "an operand is always read": hidden("run s (cost(s, max(o, 1))); branch (o > 1) { }"),
    "so is what a draw is made of": hidden("run s (cost(s, ~exp(o))); branch (o > 1) { }"),
    "work, `set`, `observe` and `cache` are free": hidden(
        "set x = o; observe y = x; hold p (cost(p, 1)) { run s (cost(s, o)); } cache (cost(p, o))"
    ),
}

REFUSED = {
    "a test": (hidden(f"branch (o > 1) {{ }} {RUN}"), "o"),
    "a choice": (hidden(f"choose j in o by (j); {RUN}"), "o"),
    "the amount of a load": (hidden(f"hold p (cost(p, 1)) {{ load p (cost(p, o)); {RUN} }}"), "cost(p, o)"),
    "how long a lease lasts": (hidden(f"hold p (cost(p, 1)) {{ {RUN} }} lease p (o)"), "o"),
    "what the session sets before a turn": (hidden(HOLD, "set c = o; turn;"), "cost(p, c)"),
    "what the session hides anew": (hidden(HOLD, "turn; set o = 4; set c = o; turn;"), "cost(p, c)"),
    "what `init` sets from it": (hidden(f"branch (x > 1) {{ }} {RUN}", init="set x = o;"), "x"),
    "what `turn` sets from it": (hidden(f"branch (x > 1) {{ }} {RUN}", turn="set o = 3; set x = o; set n = 1;"), "x"),
    "what a leg revealed": (hidden(f"fork {{ run s (cost(s, o)); }} join; branch (o > 1) {{ }} {RUN}"), "o"),
    "what a loop reveals that may not run": (hidden("while (n > 1) { run s (cost(s, o)); } branch (o > 1) { end; }"), "o"),
    "what one arm reveals": (hidden(f"branch (n > 1) {{ run s (cost(s, o)); }} branch (o > 1) {{ }} {RUN}"), "o"),
    "what a work reads now and then": (hidden("run s (cost(s, n > 1 ? o : 1)); branch (o > 1) { }"), "o"),
    "what came from it now and then": (hidden("set x = n > 1 ? o : 0; run s (cost(s, x)); branch (x > 1) { }"), "x"),
    "what an aggregate reads": (hidden("run s (cost(s, sum k in 2 (o))); branch (o > 1) { }"), "o"),
}


@pytest.mark.parametrize("text", LINKS.values(), ids=LINKS)
def test_a_hidden_attribute_may_be_used_where_nothing_is_decided_by_it(text: str) -> None:
    assert errors(text) == ()


@pytest.mark.parametrize(("text", "place"), REFUSED.values(), ids=REFUSED)
def test_nothing_is_decided_by_a_hidden_attribute_before_a_run_reveals_it(text: str, place: str) -> None:
    (found,) = errors(text)
    assert found.id == "E1125"
    assert found.span is not None
    assert text[found.span.column - 1 :].startswith(place)
    assert any("is hidden here" in note.message for note in found.notes)


def test_what_the_scheduler_reads_again_and_again_sees_no_hidden_attribute_at_all() -> None:
    # L7.33: another error than the flow rule's, for no run could reveal it in time.
    (found,) = errors(hidden("hold p (cost(p, o)) { run s (cost(s, 1)); }"))
    assert found.id == "E613"
