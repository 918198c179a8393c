"""Milliseconds of opening a model and of its first parses: python scripts/opening.py MODEL...

After Python's imports, in this process, with the file in the system's cache: wall time, and CPU time in parentheses.
"""

import argparse
import time
from collections.abc import Callable

from parser.pipeline import Parser


def timed(function: Callable) -> tuple[object, str]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = function()
    return found, f"{1e3 * (time.perf_counter() - wall):.1f} ({1e3 * (time.process_time() - cpu):.1f})"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("models", nargs="+", metavar="MODEL")
    print("| model | load | plan of the engine | first sentence | second sentence |\n|---|---|---|---|---|")
    for path in options.parse_args().models:
        parser, load = timed(lambda path=path: Parser.load(path))
        _, plan = timed(lambda parser=parser: parser.sentence_parser)
        first, second = (timed(lambda parser=parser: parser.parse(["Models", "open"]))[1] for _ in range(2))
        print(f"| {path} | {load} | {plan} | {first} | {second} |", flush=True)


if __name__ == "__main__":
    main()
