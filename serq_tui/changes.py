"""What of a run can be changed from inside, read from what was typed into the options of another run; runs nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from grammar.declaring import dataclass
from serq_tui.format import INFINITE, number
from serq_tui.loading import LoadedProgram
from serq_tui.options import RunOptions

Kind = Literal["setting", "input", "constant"]

#: What stands for a number of arrivals that nobody gave.
NONE = "–"


class NoSuchChange(ValueError):
    """What was typed is no value, in one sentence for whoever typed it.

    Attributes:
        name: the setting it was typed for.
    """

    def __init__(self, name: str, words: str) -> None:
        super().__init__(words)
        self.name = name


@dataclass(frozen=True, slots=True)
class Setting:
    """Something a run is given: ``text`` as it stands now."""

    name: str
    kind: Kind
    text: str


def settings_of(loaded: LoadedProgram, options: RunOptions) -> tuple[Setting, ...]:
    """All that can be changed of a run: its settings, the inputs it declares, the constants of its text."""
    program = loaded.program
    arrivals = program.arrivals
    run = (
        Setting("seed", "setting", str(program.seed)),
        Setting("horizon", "setting", INFINITE if math.isinf(program.horizon) else _written(program.horizon)),
        Setting("warmup", "setting", _written(program.warmup)),
        Setting("arrivals", "setting", NONE if arrivals is None else str(arrivals)),
    )
    inputs = tuple(Setting(name, "input", _written(value)) for name, _, value in loaded.inputs)
    return (*run, *inputs, *_constants(loaded, options))


def _constants(loaded: LoadedProgram, options: RunOptions) -> tuple[Setting, ...]:
    if loaded.source is None:
        return ()
    from grammar.retouching import constants

    given = dict(options.lets)
    return tuple(Setting(c.name, "constant", given.get(c.name, c.text)) for c in constants(loaded.source))


def changed(options: RunOptions, settings: tuple[Setting, ...], texts: Mapping[str, str]) -> RunOptions:
    """The options of a run with other values.

    Args:
        options: those of the present run.
        settings: what can be changed, as it stands.
        texts: by ``kind name`` what was typed; what is missing stays.

    Raises:
        NoSuchChange: something typed is no value.
    """
    made: dict[str, Any] = {}
    sets, lets = dict(options.sets), dict(options.lets)
    for setting in settings:
        text = texts.get(key_of(setting), setting.text).strip()
        if text == setting.text:
            continue
        if not text:
            raise NoSuchChange(setting.name, f"{setting.name} needs a value")
        match setting.kind:
            case "setting":
                made[setting.name] = _read(setting.name, text)
            case "input":
                sets[setting.name] = text
            case "constant":
                lets[setting.name] = text
    return replace(options, sets=tuple(sets.items()), lets=tuple(lets.items()), **made)


def key_of(setting: Setting) -> str:
    """What tells a setting from an input or a constant of the same name."""
    return f"{setting.kind} {setting.name}"


def setting_named(settings: tuple[Setting, ...], name: str) -> Setting:
    """The setting of a name: of the run, else an input, else a constant.

    Raises:
        NoSuchChange: there is none.
    """
    from grammar.names import nearest

    found = next((setting for setting in settings if setting.name == name), None)
    if found is None:
        near = nearest(name, [setting.name for setting in settings])
        raise NoSuchChange(
            name, f"this program has no setting, input or constant {name}" + (f"; did you mean {near}?" if near else "")
        )
    return found


def differences(one: LoadedProgram, other: LoadedProgram, options: tuple[RunOptions, RunOptions]) -> tuple[str, str]:
    """What two runs of a program are told apart by, in words for each: ``seed 1`` and ``seed 2``."""
    first, second = settings_of(one, options[0]), settings_of(other, options[1])
    texts = {key_of(setting): setting.text for setting in second}
    apart = [(setting, texts[key_of(setting)]) for setting in first if texts.get(key_of(setting), setting.text) != setting.text]
    said = [(f"{setting.name} {setting.text}", f"{setting.name} {text}") for setting, text in apart]
    if one.source is not None and other.source is not None and not said and one.source.text != other.source.text:
        return "the text before", "the text as it is now"
    return (", ".join(pair[0] for pair in said), ", ".join(pair[1] for pair in said)) if said else ("before", "now")


def _read(name: str, text: str) -> float | int | None:
    if name == "seed":
        from grammar.settings import SEEDS

        if not text.isdecimal() or int(text) >= SEEDS:
            raise NoSuchChange(name, f"{text} is no seed: seeds are whole numbers from 0 to {SEEDS - 1}")
        return int(text)
    if name == "arrivals":
        if text != NONE and not text.isdecimal():
            raise NoSuchChange(name, f"{text} is no number of sessions; {NONE} lets the workload decide")
        return None if text == NONE else int(text)
    if name == "horizon" and text in (INFINITE, "inf"):
        return None
    try:
        seconds = float(text)
    except ValueError:
        raise NoSuchChange(name, f"{text!r} is no number of seconds") from None
    if not math.isfinite(seconds):
        raise NoSuchChange(name, f"{name} is a finite number of seconds")
    return seconds


def _written(value: float) -> str:
    """A number as it can be typed again."""
    return (
        number(value).replace("−", "-") if float(number(value).replace("−", "-").replace(INFINITE, "inf")) == value else repr(value)
    )
