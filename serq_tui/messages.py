"""What panes and workers tell the screen: facts in the past tense, requests in the imperative; they carry values, never widgets."""

from __future__ import annotations

from pathlib import Path

from textual.message import Message

from engine.snapshot import Who
from engine.targets import Target
from serq_tui.answers import Answer, Question
from serq_tui.arrangement import Layout
from serq_tui.controller import Controller
from serq_tui.figures import Plots
from serq_tui.marks import Mark
from serq_tui.moves import Arrival, Move
from serq_tui.problems import Problem


class ToggleBreakpoint(Message):
    """Set or clear a breakpoint on what is focused; None where nothing there can have one."""

    def __init__(self, mark: Mark | None) -> None:
        super().__init__()
        self.mark = mark


class OpenDetail(Message):
    """Open a request; None where the cursor stands on none."""

    def __init__(self, who: Who | None) -> None:
        super().__init__()
        self.who = who


class Selected(Message):
    """The cursor was put on a request."""

    def __init__(self, who: Who) -> None:
        super().__init__()
        self.who = who


class Arrived(Message):
    """A move ended."""

    def __init__(self, arrival: Arrival, move: Move) -> None:
        super().__init__()
        self.arrival = arrival
        self.move = move


class Progressed(Message):
    """A move is under way and has come so far, in words."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class Reloaded(Message):
    """Another run was brought to where the old one stood; ``said`` is what it is."""

    def __init__(self, controller: Controller, arrival: Arrival, said: str) -> None:
        super().__init__()
        self.controller = controller
        self.arrival = arrival
        self.said = said


class RunWritten(Message):
    """A run was written to a file or a folder; without a path it was not, and ``words`` say why."""

    def __init__(self, path: Path | None, words: str) -> None:
        super().__init__()
        self.path = path
        self.words = words


class ChangeFailed(Message):
    """What was changed gives no program; what was typed is kept."""

    def __init__(self, texts: dict[str, str], words: str) -> None:
        super().__init__()
        self.texts = texts
        self.words = words


class LoadFailed(Message):
    """A file is no program."""

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self.problem = problem


class Answered(Message):
    """A question was looked into; None where that was interrupted."""

    def __init__(self, question: Question, answer: Answer | None) -> None:
        super().__init__()
        self.question = question
        self.answer = answer


class AskAgain(Message):
    """Ask another question in place of the one on screen."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question


class Travel(Message):
    """Go to a time of the program's clock, in seconds; a later one in its place."""

    def __init__(self, clock: float) -> None:
        super().__init__()
        self.clock = clock


class Dragged(Message):
    """A pane's rule was dragged by some lines."""

    def __init__(self, name: str, lines: int) -> None:
        super().__init__()
        self.name = name
        self.lines = lines


class LayoutChanged(Message):
    """A person arranged the panes anew."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout = layout


class GoToLastChange(Message):
    """Go back to where a value last changed; empty where there is none."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class Plotted(Message):
    """What is to be plotted was found."""

    def __init__(self, plots: Plots) -> None:
        super().__init__()
        self.plots = plots


class FollowLine(Message):
    """Go to the moment a line names."""

    def __init__(self, target: Target) -> None:
        super().__init__()
        self.target = target


class TellStory(Message):
    """Tell the story of a request."""

    def __init__(self, who: Who) -> None:
        super().__init__()
        self.who = who
