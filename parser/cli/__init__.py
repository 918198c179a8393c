"""The command line. Only the standard library is imported here: the command answers at once and loads what it needs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


def main() -> None:
    """Runs `arcspeed`. Exit codes: 0 all well, 1 the data or a file is at fault, 2 the call is, 130 Ctrl-C."""
    stand_in_for_closed_streams()
    let_pipes_close()
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.exit(tell_version())
    keep_numpy_single()
    with ended_by_interrupts():
        require_compiled_modules()
        from parser.cli.app import run
    sys.exit(run(sys.argv[1:]))


def tell_version() -> int:
    """The answer at once; where it cannot be written, that is one line, as with every command."""
    from parser.version import __version__

    try:
        print(f"arcspeed {__version__}", flush=True)
    except OSError:
        from parser.cli.app import run

        return run(["--version"])
    return 0


def stand_in_for_closed_streams() -> None:
    """`>&-` leaves a descriptor that the next file to be opened would get, and Python without a stream. What is written
    to the one opened here is an error, one line; messages that nobody wants go nowhere."""
    import os

    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_WRONLY)  # the lowest that is free
            setattr(sys, name, open(number, "r" if name == "stdin" else "w", closefd=False))  # noqa: SIM115


def let_pipes_close() -> None:
    """`arcspeed ... | head` ends in silence, as cat does: the signal's default action instead of an exception."""
    import signal

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def keep_numpy_single() -> None:
    """Nothing here multiplies matrices, but threads that NumPy starts for it wait busily: 0.1 s of CPU a command."""
    import os

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@contextmanager
def ended_by_interrupts() -> Iterator[None]:
    """Ctrl-C while there is nothing to save yet ends in silence, not in a traceback out of some import."""
    import signal

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, before)


def require_compiled_modules() -> None:
    try:
        import parser.treebank.batch
    except ImportError as error:
        import parser

        print(
            f"arcspeed: error: the compiled modules cannot be loaded from {parser.__path__[0]} ({error}); in a source "
            "folder run `pip install -e .`, elsewhere see whether another package named `parser` is in the way",
            file=sys.stderr,
        )
        sys.exit(1)
