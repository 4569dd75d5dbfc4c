"""Every accepted program of the text corpus gives the IR recorded of the reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.ir_json import to_json
from tests.cases import Case, cases
from tests.comparing import first_difference
from tests.running import load_case


@pytest.mark.tally("corpus/ok, IR")
@pytest.mark.parametrize("case", cases("corpus_ok"), ids=str)
def test_a_text_gives_the_recorded_ir(case: Case, tmp_path: Path) -> None:
    ir = to_json(load_case(case, tmp_path).program, 13)
    if ir.get("trace"):
        # The recorded IR has the name alone, ours the path that opens from here.
        ir["trace"] = Path(ir["trace"]).name
    assert first_difference(case.data["ir"], ir) is None
