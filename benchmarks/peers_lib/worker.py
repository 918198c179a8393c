"""A system's own process: it stays on one core, trains or parses as its task says, and writes down what that took.

The task is a JSON object in the only argument; its `do` names the function. This file and those of the peers use the
standard library alone (and the peer), since the peer's interpreter may have nothing else.
"""

import json
import os
import re
import resource
import sys
import time
from pathlib import Path

LEAST_ROUNDS, MOST_ROUNDS = 3, 200
THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB", "RAYON")


def environment() -> dict:
    """Variables that keep numerical libraries from starting threads; they are read when a library is loaded."""
    return {f"{name}_NUM_THREADS": "1" for name in THREADS}


def stay_on_one_core() -> None:
    """The last one of those allowed; threads and processes started from here stay there too."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def cpu_seconds() -> float:
    """Of this process with all its threads, and of processes that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def peak_mb() -> float:
    """The largest resident memory of this process, or of one that it started if that was larger."""
    own = int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))[1])
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024


def rounds(function, seconds: float, prepare=tuple) -> list:
    """CPU seconds of each call of function(prepare()), the preparation left out, until they add up to `seconds`."""
    taken = []
    while len(taken) < LEAST_ROUNDS or (sum(taken) < seconds and len(taken) < MOST_ROUNDS):
        given = prepare()
        start = time.process_time()
        function(given)
        taken.append(time.process_time() - start)
    return taken


def size_of(path) -> int:
    """Bytes of a file, or of all files in a folder."""
    path = Path(path)
    return sum(file.stat().st_size for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())


def work(**functions) -> None:
    """Does the task: train(task) -> facts, parse(task) -> {"words": ..., "parse": rounds, "files": rounds}."""
    task = json.loads(sys.argv[1])
    stay_on_one_core()
    load, start = os.getloadavg()[0], cpu_seconds()
    found = functions[task["do"]](task)
    found = {"cpu_seconds": cpu_seconds() - start, "peak_mb": peak_mb(), "load": load, **found}
    Path(task["result"]).write_text(json.dumps(found), encoding="utf-8")
