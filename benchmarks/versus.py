"""Two builds in turns: python benchmarks/versus.py MODEL FOLDER FOLDER --on dev.conllu [--turns 50] [--rounds 5]

Every folder is a source folder with its compiled modules. Each build parses --on again and again in a process of its
own, on one core, a few rounds at a time, so that what else the machine does slows both. Printed: millions of words a
second of CPU, best and median, and the median of the ratios to the first folder. One build may be 7 % slower in one
place than in another: compare copies (`cp -a`) that lie side by side. Two kernels of one build: `. . --kernel avx2
avx2-code`.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

WORKER = "--worker"


def work(model: str, on: str, kernel: str, scores: bool) -> None:
    """Prints the number of words, then for every line that asks for so many rounds the seconds they took."""
    from speed import read

    from parser.pipeline import Parser
    from parser.search.session import Session

    parser = Parser.load(model)
    fast = type(parser.sentence_parser)(parser.assembly.system, parser.compiled, kernel)
    corpus = read(on, parser, fast)[1]
    session = Session(fast, parser.clusters)
    session.parse_corpus(corpus, scores=scores)
    print(corpus.n_words, flush=True)
    for line in sys.stdin:
        start = time.process_time()
        for _ in range(int(line)):
            session.parse_corpus(corpus, scores=scores)
        print(time.process_time() - start, flush=True)


def start(folder: str, arguments: list[str]) -> subprocess.Popen:
    command = [sys.executable, "-P", os.path.abspath(__file__), WORKER, *arguments]
    paths = os.pathsep.join([os.path.abspath(folder), os.path.dirname(os.path.abspath(__file__))])
    return subprocess.Popen(
        command, env=os.environ | {"PYTHONPATH": paths}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def timed(process: subprocess.Popen, rounds: int) -> float:
    process.stdin.write(f"{rounds}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model")
    options.add_argument("folders", nargs="+")
    options.add_argument("--on", required=True)
    options.add_argument("--turns", type=int, default=50)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--kernel", nargs="+", default=[""], help="of all folders, or of each")
    options.add_argument("--scores", action="store_true", help="with probabilities")
    given = options.parse_args()
    kernels = given.kernel * len(given.folders) if len(given.kernel) == 1 else given.kernel
    if len(kernels) != len(given.folders):
        options.error(f"{len(kernels)} kernels for {len(given.folders)} folders")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    builds = [
        start(folder, [os.path.abspath(given.model), os.path.abspath(given.on), kernel, "scores" * given.scores])
        for folder, kernel in zip(given.folders, kernels, strict=True)
    ]
    n_words = {int(build.stdout.readline()) for build in builds}.pop()
    words = n_words * given.rounds / 1e6
    times = [[timed(build, given.rounds) for build in builds] for _ in range(given.turns)]
    for build in builds:
        build.communicate()
    for i, (folder, kernel) in enumerate(zip(given.folders, kernels, strict=True)):
        own = [turn[i] for turn in times]
        ratio = statistics.median(turn[0] / turn[i] for turn in times)
        name = f"{folder} {kernel}".rstrip()
        print(f"{name}: best {words / min(own):.2f}, median {words / statistics.median(own):.2f}, ratio {ratio:.3f}")


if __name__ == "__main__":
    if sys.argv[1:2] == [WORKER]:
        work(*sys.argv[2:5], bool(sys.argv[5]))
    else:
        main()
