"""What a person types after ``:``, read into an order with its value; carries none out and knows no screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from engine.breakpoints import Breakpoint
from engine.conditions import Value
from engine.targets import Target
from grammar.declaring import dataclass
from grammar.names import nearest
from serq_tui.changes import Setting, key_of, setting_named
from serq_tui.controller import Controller
from serq_tui.exports.choices import KINDS, Kind
from serq_tui.keymap import Action, actions
from serq_tui.stop_texts import completed


class NoSuchOrder(ValueError):
    """A text that orders nothing, in one sentence for whoever typed it."""


@dataclass(frozen=True, slots=True)
class GoTo:
    """Go to a moment."""

    target: Target


@dataclass(frozen=True, slots=True)
class StopOn:
    """Stop on something, or where ``clear`` no longer."""

    on: tuple[Breakpoint, ...]
    clear: bool = False


@dataclass(frozen=True, slots=True)
class Watch:
    """Keep a value in view."""

    value: Value


@dataclass(frozen=True, slots=True)
class Rerun:
    """Run again with other settings, by ``kind name``."""

    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WearTheme:
    """Draw in other colours."""

    name: str


@dataclass(frozen=True, slots=True)
class TellStoryOf:
    """Tell the story of a request by its number."""

    serial: int


@dataclass(frozen=True, slots=True)
class NameMoment:
    """Give this moment a name."""

    name: str


@dataclass(frozen=True, slots=True)
class LookAt:
    """Look at an engine, None for all of them."""

    engine: int | None


@dataclass(frozen=True, slots=True)
class Find:
    """Search the focused pane."""

    text: str


@dataclass(frozen=True, slots=True)
class Export:
    """Take something along, in a file of that name; None makes a name."""

    kind: Kind
    path: Path | None


@dataclass(frozen=True, slots=True)
class Do:
    """Do what an action does."""

    action: Action


Order = GoTo | StopOn | Watch | Rerun | WearTheme | TellStoryOf | NameMoment | LookAt | Find | Export | Do


@dataclass(frozen=True, slots=True)
class Verb:
    """A command that takes something; ``takes`` shows what."""

    name: str
    takes: str
    help: str


VERBS: tuple[Verb, ...] = (
    Verb("goto", "MOMENT", "Go to an iteration, @position, t=time or bookmark; a moment alone does too."),
    Verb("break", "WHAT", "Stop on an event, a line, a request or a condition, such as preemption kv or running.count > 8."),
    Verb("clear", "WHAT", "Stop on it no longer."),
    Verb("watch", "VALUE", "Keep a value in view, such as used(kv)."),
    Verb("set", "NAME=VALUE …", "Change seed, horizon, inputs or constants and run again to the same iteration."),
    Verb("request", "NUMBER", "Tell the story of a request."),
    Verb("bookmark", "NAME", "Give this moment a name."),
    Verb("engine", "NAME", "Look at one engine, or at all."),
    Verb("find", "TEXT", "Search the focused pane; n and N go to the next and the previous hit."),
    Verb("export", "WHAT FILE", "Write screen, trace, tables, report, moment or capsule; without FILE the name is made."),
    Verb("theme", "NAME", "Draw in other colours."),
)

ALL = "all"


class Orders:
    """Reads orders about a run.

    Args:
        controller: of the run.
        settings: what of it can be changed.
        themes: names of the themes.
    """

    def __init__(self, controller: Controller, settings: tuple[Setting, ...], themes: tuple[str, ...]) -> None:
        self._controller = controller
        self._settings = settings
        self._themes = themes
        self._engines = {engine.name: engine.stage for engine in controller.moment.now.engines}
        self._actions = {action.id: action for action in actions("debugger")}
        self._read: dict[str, Callable[[str], Order]] = {
            "goto": lambda text: GoTo(controller.target_named(text)),
            "break": lambda text: StopOn(controller.attention.stop_named(text)),
            "clear": lambda text: StopOn(controller.attention.stop_named(text), clear=True),
            "watch": lambda text: Watch(controller.attention.value_named(text)),
            "set": self._set,
            "request": _request,
            "bookmark": lambda text: NameMoment(controller.attention.bookmark_name(text)),
            "engine": self._engine,
            "find": Find,
            "export": _export,
            "theme": self._theme,
        }

    def read(self, text: str) -> Order:
        """The order a text gives. A command may be shortened to what no other begins with.

        Raises:
            ValueError: it gives none, in one sentence.
        """
        name, _, rest = text.strip().removeprefix(":").partition(" ")
        rest = rest.strip()
        if not name:
            raise NoSuchOrder("nothing is typed yet")
        verb = self._verb(name)
        if verb is None:
            return self._moment_or_nothing(text.strip().removeprefix(":"), name)
        if verb in self._read:
            if not rest and verb == "export":
                # What to write can be chosen from a list, which the key opens too.
                return Do(self._actions[verb])
            if not rest:
                raise NoSuchOrder(f"{verb} {next(v.takes for v in VERBS if v.name == verb)}: what is missing")
            return self._read[verb](rest)
        if rest:
            raise NoSuchOrder(f"{verb} takes nothing")
        return Do(self._actions[verb])

    def complete(self, text: str) -> str | None:
        """What a text being typed may become."""
        name, space, rest = text.partition(" ")
        if not space:
            return next((full for full in self.names() if full.startswith(name) and full != name), None) if name else None
        verb = self._verb(name)
        more = self._completed(verb, rest) if verb is not None else None
        return f"{name} {more}" if more is not None else None

    def names(self) -> tuple[str, ...]:
        """Every command."""
        return tuple(dict.fromkeys((*(verb.name for verb in VERBS), *self._actions)))

    def _verb(self, name: str) -> str | None:
        """A command by its name or its beginning; of several that begin so the ones that take something win."""
        names = self.names()
        if name in names:
            return name
        begin = [full for full in names if full.startswith(name)]
        taking = [full for full in begin if full in self._read]
        return begin[0] if len(begin) == 1 else taking[0] if len(taking) == 1 else None

    def _moment_or_nothing(self, text: str, name: str) -> Order:
        try:
            return GoTo(self._controller.target_named(text))
        except ValueError:
            begin = [full for full in self.names() if full.startswith(name)]
            if begin:
                raise NoSuchOrder(f"{name} is the beginning of {', '.join(begin)}") from None
            near = nearest(name, self.names())
            raise NoSuchOrder(f"there is no command {name}" + (f"; did you mean {near}?" if near else "")) from None

    def _completed(self, verb: str, rest: str) -> str | None:
        stopping = self._controller.attention.stopping
        if verb in ("break", "clear"):
            return completed(rest, stopping.stops, stopping.values)
        if verb == "watch":
            return completed(rest, stopping.values, stopping.values)
        before, _, last = rest.rpartition(" ")
        found = next((one for one in self._candidates(verb) if one.startswith(last) and one != last), None)
        return f"{before} {found}".strip() if found is not None else None

    def _candidates(self, verb: str) -> tuple[str, ...]:
        match verb:
            case "goto":
                return tuple(mark.name for mark in self._controller.lens.bookmarks)
            case "set":
                return tuple(f"{setting.name}=" for setting in self._settings)
            case "theme":
                return self._themes
            case "export":
                return tuple(KINDS)
            case "engine":
                return (*self._engines, ALL)
            case _:
                return ()

    # ----------------------------------------------------------------- what the verbs take

    def _set(self, text: str) -> Rerun:
        texts: dict[str, str] = {}
        for part in _pairs(text):
            name, sign, value = (piece.strip() for piece in part.partition("="))
            if not sign or not name or not value:
                raise NoSuchOrder(f"{part!r} is not NAME=VALUE")
            texts[key_of(setting_named(self._settings, name))] = value
        return Rerun(texts)

    def _theme(self, text: str) -> WearTheme:
        if text not in self._themes:
            near = nearest(text, self._themes)
            raise NoSuchOrder(
                f"there is no theme {text}; " + (f"did you mean {near}?" if near else f"there are {', '.join(self._themes)}")
            )
        return WearTheme(text)

    def _engine(self, text: str) -> LookAt:
        if text == ALL:
            return LookAt(None)
        if text not in self._engines:
            near = nearest(text, (*self._engines, ALL))
            raise NoSuchOrder(f"there is no engine {text}" + (f"; did you mean {near}?" if near else ""))
        return LookAt(self._engines[text])


def request_number(text: str) -> int:
    """The number of a request, typed with or without its ``r``.

    Raises:
        NoSuchOrder: it is none.
    """
    number = text.strip().removeprefix("r")
    if not number.isdecimal():
        raise NoSuchOrder(f"{text.strip()!r} is no request: it is a number, such as 7")
    return int(number)


def _request(text: str) -> TellStoryOf:
    return TellStoryOf(request_number(text))


def _export(text: str) -> Export:
    kind, _, path = text.partition(" ")
    if kind not in KINDS:
        near = nearest(kind, KINDS)
        raise NoSuchOrder(f"there is no export {kind}; " + (f"did you mean {near}?" if near else f"there are {', '.join(KINDS)}"))
    return Export(KINDS[kind], Path(path.strip()).expanduser() if path.strip() else None)


def _pairs(text: str) -> list[str]:
    """``a=1 b=2 + 3`` as its pairs: a word with a sign of its own begins one."""
    parts: list[str] = []
    for word in text.split():
        name, sign, rest = word.partition("=")
        begins = sign and name.replace("_", "a").replace(":", "0").isalnum() and not rest.startswith("=")
        if begins or not parts:
            parts.append(word)
        else:
            parts[-1] += f" {word}"
    return parts
