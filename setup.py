"""Builds the Cython modules. ARCSPEED_BUILD chooses the mode: release (default), debug, trace or asan.

All compiler directives and flags of the project live in this file and nowhere else.
"""

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

MODES = ("release", "debug", "trace", "asan")
MODE = os.environ.get("ARCSPEED_BUILD", "release")
if MODE not in MODES:
    sys.exit(f"ARCSPEED_BUILD={MODE}: expected one of {', '.join(MODES)}")

CHECKED = MODE in ("debug", "asan")
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,
    "initializedcheck": CHECKED,
    "cdivision": True,
    "embedsignature": True,
    "freethreading_compatible": True,
    "linetrace": MODE == "trace",
}
# -ffp-contract=off: fused multiply-add would make scores differ between instruction sets.
COMPILE = {
    "release": ["-O3", "-ffp-contract=off", "-fno-math-errno", "-g0"],
    "debug": ["-O1", "-ffp-contract=off", "-g", "-UNDEBUG"],
    "trace": ["-O1", "-ffp-contract=off", "-g0"],
    "asan": ["-O1", "-ffp-contract=off", "-g", "-UNDEBUG", *SANITIZE],
}[MODE]
LINK = {"release": ["-Wl,-s"] if sys.platform == "linux" else [], "asan": SANITIZE}.get(MODE, [])
MACROS = ([("ARCSPEED_CHECKED", "1")] if CHECKED else []) + ([("CYTHON_TRACE_NOGIL", "1")] if MODE == "trace" else [])


def extensions() -> list[Extension]:
    """Every parser/**/*.pyx is one extension module of the same dotted name."""
    return [
        Extension(
            ".".join(path.with_suffix("").parts),
            [str(path)],
            include_dirs=["."],
            define_macros=MACROS,
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
        )
        for path in sorted(Path("parser").rglob("*.pyx"))
    ]


@contextmanager
def stderr_log():
    """Yields a function giving all that was written to file descriptor 2 (by child processes too), and repeats it."""
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)

        def text() -> str:
            sys.stderr.flush()
            log.seek(0)
            return log.read().decode("utf-8", "replace")

        try:
            yield text
        finally:
            written = text()
            os.dup2(saved, 2)
            os.close(saved)
            sys.stderr.write(written)


def translate() -> list[Extension]:
    """Cython to C, under build/: no generated file ever stands beside a source.

    Fails where a nogil call would take the GIL to look for an exception: such a line costs 60-80 ns a call and is
    otherwise only a hint that scrolls past.
    """
    folder = Path("build") / f"cython-{MODE}"
    with stderr_log() as log:
        modules = cythonize(
            extensions(),
            build_dir=str(folder),
            compiler_directives=DIRECTIVES,
            emit_linenums=CHECKED,
            nthreads=os.cpu_count() or 1 if sys.platform != "darwin" else 0,
        )
        slow_calls = "will always require the GIL" in log()
    if slow_calls:
        for generated in folder.rglob("*.c"):
            generated.unlink()
        sys.exit("build stopped: a nogil call 'will always require the GIL' (see above): give it an exception clause")
    return modules


setup(ext_modules=translate(), options={"build_ext": {"parallel": os.cpu_count() or 1}})
