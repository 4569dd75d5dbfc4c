"""Run in a process of its own: one headless run of an IR, timed; prints one JSON line.

``python runner.py ours|plain|recorded|reference IR`` with the Python that has the engine asked for. Knows
both faces and nothing else, so that neither engine's process carries the other's imports.
"""

import json
import resource
import sys
import time


def ours(path, plain=False, recorded=False):
    """One run of this project's engine, without its short cuts or with every decision kept: seconds, the report."""
    from engine.simulation import Simulation
    from grammar.ir_json import from_json

    with open(path, encoding="utf-8") as file:
        program = from_json(json.load(file))
    start = time.perf_counter()
    simulation = Simulation(program, plain=plain)
    if recorded:
        simulation.listen([])
    simulation.run()
    seconds = time.perf_counter() - start
    return seconds, simulation.report()


def plain(path):
    """The engine without its short cuts."""
    return ours(path, plain=True)


def recorded(path):
    """The engine with every decision kept."""
    return ours(path, recorded=True)


def reference(path):
    """One run of the reference: seconds, the report."""
    import pyserq

    with open(path, encoding="utf-8") as file:
        program = pyserq.Program.from_json(file.read())
    start = time.perf_counter()
    run = pyserq.run(program)
    seconds = time.perf_counter() - start
    return seconds, json.loads(run.json())


def peak():
    """The most memory this process has held, in bytes."""
    try:
        # getrusage would count what the parent held when it forked, too.
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main():
    """Times one run and prints what came of it."""
    seconds, report = {"ours": ours, "plain": plain, "recorded": recorded, "reference": reference}[sys.argv[1]](sys.argv[2])
    figures = {
        "seconds": seconds,
        "iterations": sum(stage["iterations"] for stage in report["stages"]),
        "events": report["events"],
        "peak": peak(),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
