"""Run by the reference's own Python: answers JSON lines about IRs; knows the reference and nothing of ours.

A request is ``{"do": "load" | "run", "ir": TEXT, "folder": FOLDER or null}`` or
``{"do": "compile", "text": TEXT, "horizon": H}``, one a line; so is an answer. ``load`` answers
``{"ok": true}`` or ``{"error": ...}``, ``compile`` ``{"ir": IR}`` or ``{"error": ...}``, ``run`` a
whole result or ``{"error": ...}``, where an error is ``{"kind": "validation" | "runtime" | "panic", "message": ...}``.
Infinities and nan are the texts "inf", "-inf" and "nan", here as in a recorded case.
"""

import json
import math
import os
import sys
from typing import Any

import pyserq  # type: ignore[import-not-found]  # in the reference's own environment alone


def plain(value: Any) -> Any:
    """A float as JSON can carry it."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def samples(observed: Any) -> dict[str, Any]:
    """An observation's samples with their times, sessions and turns."""
    return {
        "samples": [plain(value) for value in observed.samples],
        "times": [plain(value) for value in observed.times],
        "sessions": list(observed.sessions),
        "turns": list(observed.turns),
    }


def result(run: Any) -> dict[str, Any]:
    """The whole result of a run."""
    report = json.loads(run.json())
    report.pop("serq_version", None)
    gauges = {name: ([plain(t) for t in g.times], [plain(v) for v in g.values]) for name, g in run.gauges.items()}
    return {
        "report": report,
        "observes": {name: samples(observed) for name, observed in run.observes.items()},
        "client": {name: samples(observed) for name, observed in run.client.items()},
        "gauges": {name: {"times": times, "values": values} for name, (times, values) in gauges.items()},
    }


def failure(kind: str, error: BaseException) -> dict[str, Any]:
    """An error as an answer; a panic inside the reference is none of its judgements."""
    if not isinstance(error, Exception):
        kind = "panic"
    return {"error": {"kind": kind, "message": str(error)}}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What the reference makes of one request."""
    if request["do"] == "compile":
        try:
            return {"ir": json.loads(pyserq.compile(source=request["text"], horizon=request["horizon"]).to_json())}
        except BaseException as error:
            return failure("validation", error)
    try:
        program = pyserq.Program.from_json(request["ir"])
    except BaseException as error:
        return failure("validation", error)
    if request["do"] == "load":
        return {"ok": True}
    if request.get("folder"):
        os.chdir(request["folder"])
    try:
        return result(pyserq.run(program))
    except BaseException as error:
        return failure("runtime", error)


def main() -> None:
    """Answers until the input ends."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
