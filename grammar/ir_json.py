"""The kernel IR as JSON, both ways: the public face of ``ir_read`` and ``ir_write``."""

from __future__ import annotations

from grammar.ir_node import InvalidIR
from grammar.ir_older import CannotSay
from grammar.ir_read import from_json
from grammar.ir_write import to_json

__all__ = ["CannotSay", "InvalidIR", "from_json", "to_json"]
