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
    Scene("light", "preemption.sq", ("c",), theme="serq-light"),
    Scene("mono", "preemption.sq", ("c", "s", "s", "s"), theme="serq-mono"),
)
