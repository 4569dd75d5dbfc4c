"""A program loaded and ready to be walked through; knows no screen."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from engine.grid import Columns
from engine.simulation import Simulation
from engine.storytelling import Stories
from engine.timeline import Timeline
from engine.waste import Accounts
from grammar.declaring import dataclass
from serq_tui.comparing import Beside
from serq_tui.loading import LoadedProgram, load_program
from serq_tui.options import RunOptions
from serq_tui.source_state import ProgramText

#: What stands for the text of a program that was opened from its IR.
NO_TEXT = "// opened from an IR, which has no text:\n// the panes show everything but the lit line"


@dataclass(frozen=True, slots=True)
class Debuggee:
    """A program with its timeline.

    Attributes:
        options: what it was loaded with, for loading it again.
        beside: another run of it to compare with, None without one.
        accounts: its waste, as far as it was asked for.
        stories: those of its requests, as far as they were asked for.
        columns: those of its grid that were asked for last.
    """

    path: Path
    options: RunOptions
    loaded: LoadedProgram
    text: ProgramText
    timeline: Timeline
    beside: Beside | None = None
    accounts: Accounts = field(default_factory=Accounts)
    stories: Stories = field(default_factory=Stories)
    columns: Columns = field(default_factory=Columns)

    @classmethod
    def load(cls, path: Path, options: RunOptions) -> Debuggee:
        """Read a program and stand at its first moment.

        Raises:
            OSError: the file cannot be read.
            ProgramError: the text is no program.
            InvalidIR: the IR is none.
            WrongOptions: inputs for an IR, which has none.
        """
        loaded = load_program(path, options)
        program = loaded.program
        registers = tuple(register.name for register in program.registers)
        claims = tuple(claim.name for claim in program.claims)
        shown = loaded.source.text if loaded.source else NO_TEXT
        text = ProgramText.of(path.name, shown, loaded.places, registers, claims, loaded.warnings)
        return cls(path, options, loaded, text, Timeline(Simulation(program)))
