"""Run in a process of its own: one thing done with an IR, timed; prints one JSON line.

``python runner.py WHAT IR`` with the Python that has the engine asked for. Knows both faces
and nothing else, so that neither engine's process carries the other's imports. Seconds are the
processor's: both engines run on one core and wait for nothing, so on an idle machine they are the
clock's, and on a busy one what else runs is not counted.
"""

import json
import random
import resource
import sys
import time

SEEKS = 300
"""Jumps and steps back whose times are taken: enough for a 99th percentile that three of them make."""


def simulation_of(path, **options):
    """Our engine at the start of a run, and how long building it took, in seconds."""
    from engine.simulation import Simulation
    from grammar.ir_json import from_json
    from serq_tui.cli import collect_rarely

    with open(path, encoding="utf-8") as file:
        program = from_json(json.load(file))
    collect_rarely()
    start = time.process_time()
    simulation = Simulation(program, **options)
    return simulation, time.process_time() - start


def ours(path, plain=False, recorded=False):
    """A run in one go."""
    simulation, seconds = simulation_of(path, plain=plain)
    start = time.process_time()
    if recorded:
        simulation.listen([])
    simulation.run()
    seconds += time.process_time() - start
    return {"seconds": seconds, **_did(simulation.report())}


def plain(path):
    """Every resident looked at in every iteration: what any program gets, whatever it reads."""
    return ours(path, plain=True)


def recorded(path):
    """Every decision kept."""
    return ours(path, recorded=True)


def checkpointed(path):
    """A run that can be travelled: checkpoints laid down and events noted as it goes."""
    from engine.timeline import Timeline

    simulation, seconds = simulation_of(path)
    start = time.process_time()
    timeline = Timeline(simulation)
    timeline.run_until([])
    seconds += time.process_time() - start
    return {"seconds": seconds, **_did(timeline.report()), "checkpoints": timeline.checkpoints}


def travelled(path):
    """Times of jumps about a run that has been seen to its end, in seconds each."""
    from engine.breakpoints import OnAdmission, OnCondition, OnIdle, OnPreemption
    from engine.conditions import Value
    from engine.targets import AtIteration
    from engine.timeline import Timeline
    from grammar import ir

    simulation, _ = simulation_of(path)
    timeline = Timeline(simulation)
    timeline.run_until([])
    engine = simulation.code.engines[0]
    last = timeline.simulation.state.stages[engine].iterations
    dice = random.Random(1)
    anywhere = [AtIteration(engine, dice.randint(1, last)) for _ in range(SEEKS)]

    def each(act, prepare=lambda _: None, n=SEEKS):
        times = []
        for i in range(n):
            prepare(i)
            start = time.process_time()
            act(i)
            times.append(time.process_time() - start)
        return times

    def go(i):
        timeline.seek(anywhere[i])

    def somewhere(i):
        timeline.seek(anywhere[-i - 1])
        timeline.snapshot()

    def seek(i):
        go(i)
        timeline.snapshot()

    def back(_):
        timeline.rewind(1, engine)
        timeline.snapshot()

    used = Value("used", ir.Call("Used", (ir.PoolArg(ir.Ref(0)),)), 0)
    running = Value("running", ir.Ctx("Nres"), engine)
    never = OnCondition(Value("never", ir.Binary("Gt", ir.Ctx("Nres"), ir.Num(1e9)), engine))
    found = {
        "seek": each(seek),
        "step back": each(back, somewhere),
        "back to a preemption": each(lambda _: timeline.reverse_until([OnPreemption()]), go, 60),
        "back to an admission": each(lambda _: timeline.reverse_until([OnAdmission()]), go, 60),
        "back to an idle state": each(lambda _: timeline.reverse_until([OnIdle()]), go, 60),
        "last change of a pool's level": each(lambda _: timeline.last_change(used), go, 60),
        "last change of a count": each(lambda _: timeline.last_change(running), go, 60),
    }
    hundred = min(100_000, last)
    timeline.seek(AtIteration(engine, hundred))
    start = time.process_time()
    timeline.reverse_until([never])
    found[f"a condition that never held, back over {hundred:,} iterations"] = [time.process_time() - start]
    return {"times": found, "checkpoints": timeline.checkpoints, "iterations": last}


def leapt(paths):
    """The share of iterations that lie in leaps, over many IRs."""
    inside = total = 0
    for path in paths:
        simulation, _ = simulation_of(path)
        while not simulation.finished:
            simulation.advance()
            inside += simulation.leap(1 << 40)
        total += sum(st.iterations for st in simulation.state.stages)
    return {"inside": inside, "iterations": total}


def reference(path):
    """One run of the reference."""
    import pyserq

    with open(path, encoding="utf-8") as file:
        program = pyserq.Program.from_json(file.read())
    start = time.process_time()
    run = pyserq.run(program)
    seconds = time.process_time() - start
    return {"seconds": seconds, **_did(json.loads(run.json()))}


def _did(report):
    return {"iterations": sum(stage["iterations"] for stage in report["stages"]), "events": report["events"]}


def peak():
    """The most memory this process has held, in bytes."""
    try:
        # getrusage would count what the parent held when it forked, too.
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


WAYS = {
    "ours": ours,
    "plain": plain,
    "recorded": recorded,
    "checkpointed": checkpointed,
    "travelled": travelled,
    "reference": reference,
}


def main():
    """Does one thing and prints what came of it."""
    what, *paths = sys.argv[1:]
    figures = leapt(paths) if what == "leapt" else WAYS[what](paths[0])
    print(json.dumps({**figures, "peak": peak()}))


if __name__ == "__main__":
    main()
