"""Whether an IR is a program: its form, then every static rule, in one order; knows no text and no run."""

from __future__ import annotations

from grammar import ir
from grammar.ir_node import InvalidIR
from grammar.ir_read import from_json
from grammar.validate_costs import check_costs
from grammar.validate_deployment import check_deployment
from grammar.validate_moments import check_moments
from grammar.validate_positions import positions
from grammar.validate_session import check_session
from grammar.validate_structure import check_structure
from grammar.validate_tokens import check_tokens

WHOLE_TOKENS = 14  # the version from which tokens are whole and every stage is used

__all__ = ["InvalidIR", "check", "read_program"]


def read_program(data: object) -> ir.Program:
    """Reads an IR of version 12, 13 or 14 and checks every static rule of its version.

    Args:
        data: the parsed JSON.

    Raises:
        InvalidIR: for the first node that has another form or breaks a rule, which it names.
    """
    program = from_json(data)
    version = data["version"] if isinstance(data, dict) else WHOLE_TOKENS
    check(program, version)
    return program


def check(program: ir.Program, version: int = WHOLE_TOKENS) -> None:
    """Checks every static rule of a version of the IR.

    Later checks rely on earlier ones: no check looks up an index that was not found in range.

    Args:
        program: the program.
        version: 12, 13 or 14; before 14 tokens may be fractions and a stage may be unused.

    Raises:
        InvalidIR: for the first node that breaks a rule.
    """
    check_structure(program)
    places = list(positions(program))
    check_moments(program, places)
    check_costs(program, places)
    check_deployment(program, every_stage_used=version >= WHOLE_TOKENS)
    check_session(program)
    if version >= WHOLE_TOKENS:
        check_tokens(program)
