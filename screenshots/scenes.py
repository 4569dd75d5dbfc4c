"""The pictures of the README and the docs, as data: which program, which size, which keys."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "serq_tui" / "examples"

BROKEN = """\
fn main() {
  device gpu { kv cap 640; }
  engine vllm on gpu {
    tokens cap 64;
    schedule { advance runing; admit waiting while (running.preempted == 0); }
    execute (0.02)
  }
}
"""


@dataclass(frozen=True)
class Scene:
    """One picture.

    Attributes:
        name: the file's name without its suffix.
        program: an example's name, or a text; None for the chooser.
        keys: what is pressed, in Textual's names; a text in quotes is typed.
        size: columns and lines.
    """

    name: str
    program: str | None
    keys: tuple[str, ...] = ()
    size: tuple[int, int] = (120, 40)
    theme: str = "serq-dark"


SCENES = (
    Scene("debugger", "preemption.sq", ("c",)),
    Scene("narrow", "preemption.sq", ("c",), size=(80, 24)),
    Scene("wide", "chat.sq", ("c",), size=(180, 50)),
    Scene("request", "chat.sq", ("c", "3", "enter")),
    Scene("idle", "latched.sq", ("p", "c")),
    Scene("registers", "tgi.sq", ("g", "'iteration 12'", "enter"), size=(110, 34)),
    Scene("goto", "preemption.sq", ("c", "g", "'vlm 12'", "enter"), size=(100, 30)),
    Scene("help", "preemption.sq", ("question_mark",), size=(120, 44)),
    Scene("errors", BROKEN, size=(100, 24)),
    Scene("chooser", None, size=(100, 24)),
    Scene("why", "preemption.sq", ("c", "s", "3", "w")),
    Scene("story", "preemption.sq", ("c", "c", "c", "c", "c", "c", "3", "enter", "enter")),
    Scene("grid", "preemption.sq", ("c", "c", "c", "c", "c", "c", "v")),
    Scene("log", "preemption.sq", ("c", "l")),
    Scene("decision", "preemption.sq", ("c", "b", "S", "S", "S", "S", "S")),
    Scene(
        "watches",
        "preemption.sq",
        (
            *("c", "s", "space", "x", "j", "j", "j", "a", "'waiting.count >= 2'", "enter", "o"),
            *("tab", "a", "'used(kv)'", "enter", "a", "'running.count'", "enter"),
            *("a", "'queued(reqs) / holders(reqs)'", "enter"),
        ),
        size=(120, 30),
    ),
    Scene("condition", "preemption.sq", ("c", "x", "a", "'running.count > 8 && used(kx) > 300'", "enter"), size=(100, 26)),
    Scene("export", "preemption.sq", ("c", "e"), size=(100, 26)),
    Scene("compare", "preemption.sq", ("c", "u", "tab", "tab", "tab", "tab", "'640'", "enter", "d")),
    Scene("report", "preemption.sq", ("c", "c", "c", "c", "c", "c", "o")),
    Scene("plots", "preemption.sq", (*("c",) * 8, "O"), size=(160, 48)),
    Scene("light", "preemption.sq", ("c",), theme="serq-light"),
    Scene("mono", "preemption.sq", ("c", "s", "s", "s"), theme="serq-mono"),
    Scene(
        "case-thrash",
        "cases/thrash.sq",
        (
            "c",
            "w",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-never-finishes",
        "cases/never_finishes.sq",
        (
            "c",
            "w",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-prefill-first",
        "cases/prefill_first.sq",
        (
            "c",
            "b",
            "2",
            "enter",
            "enter",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-long-prefill",
        "cases/long_prefill.sq",
        (
            "c",
            "b",
            "2",
            "enter",
            "enter",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-giant-prompt",
        "cases/giant_prompt.sq",
        (
            "s",
            "s",
            "s",
            "w",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-cold-starves",
        "cases/cold_starves.sq",
        (
            "s",
            "s",
            "s",
            "w",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-evicted-prefix",
        "cases/evicted_prefix.sq",
        (
            "c",
            "b",
            "2",
            "enter",
            "enter",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-seats",
        "cases/seats.sq",
        (
            "s",
            "s",
            "s",
            "w",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-latched-gate",
        "cases/latched_gate.sq",
        (
            "p",
            "c",
            "w",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-bold-admission",
        "cases/bold_admission.sq",
        (
            "c",
            "c",
            "c",
            "c",
            "v",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-reserve-everything",
        "cases/reserve_everything.sq",
        (
            "s",
            "s",
            "s",
            "w",
        ),
        size=(110, 30),
    ),
    Scene(
        "case-retry-hits",
        "cases/retry_hits.sq",
        (
            "c",
            "w",
        ),
        size=(110, 30),
    ),
)
