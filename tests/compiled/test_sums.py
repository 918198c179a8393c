"""Sums that the sessions of a parser share: made once, whoever asks first. Trees are those of one session alone."""

import gc
import threading

import numpy as np
import pytest
from made_corpus import made_text, read
from made_parser import compiled

from parser.compiled.engine import kernel_names
from parser.search.session import Session

MOST_SHARING = 64  # sessions (sums.pxd)
THREADS = 6


def trees(session, batches):
    found = [session.parse_batch(batch, scores=True) for batch in batches]
    return [np.concatenate(column) for column in zip(*found, strict=True)]


def made(session):
    return session.work.own.memory.counts()["made"]


def assert_same(one, other):
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_what_one_session_has_made_the_others_find(trained):
    parser = compiled(*trained("eager"))
    batches, _ = read(made_text(60, seed=11))
    first, second = Session(parser), Session(parser)
    wanted = trees(first, batches)
    assert made(first) > 1000
    assert_same(trees(second, batches), wanted)
    assert made(second) == 0
    assert first.work.own.memory.sharing == second.work.own.memory.sharing == 2
    assert first.work.own.counts()["arena"] == second.work.own.counts()["arena"]


def test_keys_that_another_session_has_moved_are_found(trained):
    """The second one goes on with the table that it knows until it is asked for the next sentence."""
    parser = compiled(*trained("eager"))
    some, _ = read(made_text(20, seed=12))
    many, _ = read(made_text(2000, seed=12))
    first, second = Session(parser), Session(parser)
    wanted = trees(second, some)
    trees(first, many)
    before = made(second)
    assert_same(trees(second, some), wanted)
    assert made(second) - before < before / 100
    assert_same(trees(second, many), trees(Session(compiled(*trained("eager"))), many))


def test_who_forgets_takes_nothing_from_the_others(trained):
    parser = compiled(*trained("eager"))
    batches, _ = read(made_text(60, seed=11))
    first, second = Session(parser), Session(parser)
    wanted = trees(first, batches)
    second.work.own.memory.forget()
    assert first.work.own.memory.sharing == second.work.own.memory.sharing == 1
    before = made(first)
    assert_same(trees(second, batches), wanted)
    assert made(second) == before
    assert_same(trees(first, batches), wanted)
    assert made(first) == before


def test_who_comes_later_shares_with_those_who_have_begun_anew(trained):
    parser = compiled(*trained("eager"))
    first, second = Session(parser), Session(parser)
    first.work.own.memory.forget()
    third = Session(parser)
    assert [s.work.own.memory.sharing for s in (first, second, third)] == [2, 1, 2]
    second.work.own.memory.forget()  # nobody else has its sums: it joins the others
    assert [s.work.own.memory.sharing for s in (first, second, third)] == [3, 3, 3]


def test_more_sessions_than_one_table_of_sums_has_places(trained):
    parser = compiled(*trained("eager"))
    batches, _ = read(made_text(5, seed=11))
    sessions = [Session(parser) for _ in range(MOST_SHARING + 2)]
    assert [s.work.own.memory.sharing for s in sessions] == MOST_SHARING * [MOST_SHARING] + [2, 2]
    wanted = trees(sessions[0], batches)
    for session in sessions:
        assert_same(trees(session, batches), wanted)
    last = sessions[-1]
    del sessions, session
    assert last.work.own.memory.sharing == 1


def test_sessions_that_garbage_is_made_of_leave(trained):
    parser = compiled(*trained("eager"))
    kept, lost = Session(parser), Session(parser)
    assert kept.work.own.memory.sharing == 2
    cycle = [lost]
    cycle.append(cycle)
    del lost, cycle
    gc.collect()
    assert kept.work.own.memory.sharing == 1


def test_sums_of_two_parsers_are_their_own(trained):
    system, templates, weights = trained("eager")
    parsers = [compiled(system, templates, weights) for _ in range(2)]
    sessions = [Session(parser) for parser in parsers]
    assert [session.work.own.memory.sharing for session in sessions] == [1, 1]


def together(sessions, batches):
    """What each finds, all at once."""
    found = [None] * len(sessions)
    begin = threading.Barrier(len(sessions))

    def run(i):
        begin.wait()
        found[i] = [trees(sessions[i], batches[i:] + batches[:i]) for _ in range(3)]

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(sessions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize("room", [None, 400, 6000])
@pytest.mark.parametrize("kernel", kernel_names())
def test_threads_that_make_the_same_sums_at_once(trained, kernel, room):
    """In other orders, while the table of keys grows; with little room they also begin anew, one after the other."""
    batches = [batch for seed in range(THREADS) for batch in read(made_text(250, seed=seed))[0]]
    assert len(batches) == THREADS
    alone = Session(compiled(*trained("eager"), kernel))
    wanted = [trees(alone, batches[i:] + batches[:i]) for i in range(THREADS)]
    parser = compiled(*trained("eager"), kernel)
    sessions = [Session(parser)]
    if room is not None:
        sessions[0].work.own.memory.limit(room)
    sessions += [Session(parser) for _ in range(THREADS - 1)]
    for i, found in enumerate(together(sessions, batches)):
        for again in found:
            assert_same(again, wanted[i])
    if room is None:
        assert sum(map(made, sessions)) < 2 * made(alone)
