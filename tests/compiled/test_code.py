"""Programs as machine code. What it computes is compared with plain sums by test_engine.py, with every kernel."""

import subprocess
import sys

import numpy as np
import pytest
from made_corpus import made_text, read
from made_parser import compiled

from parser.compiled.engine import kernel_names
from parser.feature.atoms import Atomizer
from parser.search.session import Session

CODED = [name for name in kernel_names() if name.endswith("-code")]
needs_code = pytest.mark.skipif(not CODED, reason="needs Linux on a processor with AVX2, and a release build")
by_each = pytest.mark.parametrize("kernel", CODED)


def code_parser(trained, kernel, name="eager"):
    return compiled(*trained(name), kernel)


@needs_code
@by_each
def test_every_program_is_written_as_code(trained, kernel):
    """All but those that were met last, until there are enough states of these."""
    session = Session(code_parser(trained, kernel))
    programs = session.work.own.programs
    batches = read(made_text(60, seed=11))[0]
    for batch in batches:
        session.parse_batch(batch)
    assert programs.made > programs.coded > programs.made // 2
    for batch in 40 * batches:
        session.parse_batch(batch)
    assert programs.coded == programs.made


@needs_code
@by_each
@pytest.mark.parametrize("name", ["eager", "standard", "hybrid"])
@pytest.mark.parametrize("room", [0, 1300, 24000])
def test_without_room_programs_are_run_step_by_step(trained, kernel, name, room):
    """Nothing at all, only what finds the nodes, or some of them."""
    parser = code_parser(trained, kernel, name)
    session, atomizer = Session(parser), Atomizer(parser.extractor.plan)
    programs = session.work.own.programs
    programs.limit_code(room)
    batches = read(made_text(12, seed=11))[0]
    for batch in batches:
        for k in range(len(batch)):
            assert parser.differences(atomizer.batch_sentence(batch, k), session.work)[1] == []
    assert programs.coded < programs.made
    assert (programs.coded > 0) == (room == 24000)


@needs_code
@by_each
def test_code_is_written_again_where_programs_are_forgotten(trained, kernel):
    parser = code_parser(trained, kernel)
    session, small = Session(parser), Session(parser)
    small.work.own.programs.limit(60)
    for batch in 5 * read(made_text(60, seed=11))[0]:
        for one, other in zip(session.parse_batch(batch), small.parse_batch(batch), strict=True):
            assert one is None or np.array_equal(one, other)
    assert small.work.own.programs.coded > 2 * session.work.own.programs.coded > 0


REFUSED = """
import ctypes
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0:  # PR_SET_MDWE: what could be written shall never be run
    raise SystemExit(3)
from parser.compiled.engine import kernel_names
print(*kernel_names())
"""


@needs_code
def test_a_system_that_allows_no_code_of_our_own():
    run = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True)
    if run.returncode == 3:
        pytest.skip("needs Linux 6.3, which lets a process forswear code that it writes")
    assert run.stdout.split() == [name for name in kernel_names() if name not in CODED], run.stderr
