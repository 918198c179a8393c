"""Batches in order whatever the threads do, with a reader and a parser that only pretend."""

import threading
import time

import pytest

from parser import parallel
from parser.treebank import TreebankError


class Batch:
    pass


class Reader:
    """never_waits: any thread may read, one at a time; else the caller's alone."""

    def __init__(self, n, fault=None, never_waits=True):
        self.n, self.fault, self.never_waits, self.filled = n, fault, never_waits, []
        self.here, self.reading = threading.current_thread(), threading.Lock()

    def fill(self, batch):
        assert self.never_waits or threading.current_thread() is self.here
        assert self.reading.acquire(blocking=False), "two threads read at once"
        try:
            return self.fill_alone(batch)
        finally:
            self.reading.release()

    def fill_alone(self, batch):
        if len(self.filled) == self.n:
            if self.fault is not None:
                raise self.fault
            return False
        batch.number = len(self.filled)
        self.filled.append(batch)
        return True


class Parser:
    """times: seconds that batches take, over and over."""

    def __init__(self, times, bad=-1):
        self.times, self.bad, self.threads = times, bad, []

    def parse(self, batch):
        if batch.number == self.bad:
            raise MemoryError("no room")
        self.threads.append(threading.current_thread())
        time.sleep(self.times[batch.number % len(self.times)])
        return batch.number


@pytest.fixture(autouse=True)
def batches(monkeypatch):
    monkeypatch.setattr(parallel, "Batch", Batch)


def numbers(parser, reader, threads, into):
    for batch, made in parallel.worked_batches(reader, parser.parse, threads):
        assert made == batch.number
        into.append(made)


kinds = pytest.mark.parametrize("never_waits", [True, False])


@kinds
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("times", [[0], [0.004], [0.01, 0, 0, 0, 0], [0.02, 0.01, 0.005, 0.002, 0.001]])
def test_batches_come_in_order_and_are_filled_anew(threads, times, never_waits):
    reader, parser, found = Reader(30, never_waits=never_waits), Parser(times), []
    numbers(parser, reader, threads, found)
    assert found == list(range(30))
    assert len(parser.threads) == 30, "each is parsed once"
    assert len(set(parser.threads)) <= threads
    assert len(set(map(id, reader.filled))) <= parallel.IN_FLIGHT * threads + 1


@kinds
def test_the_reading_thread_parses_too(never_waits):
    parser = Parser([0.003])
    numbers(parser, Reader(40, never_waits=never_waits), 2, [])
    here = parser.threads.count(threading.current_thread())
    assert 10 <= here <= 30, "of two threads that do nothing else each parses half"


def test_who_reads_a_batch_of_a_file_parses_it():
    """Of a file; the text is in that processor's cache."""
    by = {}

    class Noting(Reader):
        def fill_alone(self, batch):
            by[len(self.filled)] = threading.current_thread()
            return super().fill_alone(batch)

    class Checking(Parser):
        def parse(self, batch):
            assert threading.current_thread() is by[batch.number]
            return super().parse(batch)

    parser = Checking([0.002])
    numbers(parser, Noting(30), 3, [])
    assert len(set(parser.threads)) > 1


@kinds
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("fault", [TreebankError("here it ends"), MemoryError("here it ends")])
def test_what_came_before_a_fault_is_given_out(threads, fault, never_waits):
    found = []
    with pytest.raises(type(fault), match="here it ends"):
        numbers(Parser([0.001]), Reader(9, fault, never_waits), threads, found)
    assert found == list(range(9))


@kinds
@pytest.mark.parametrize("threads", [2, 4])
def test_who_goes_away_leaves_no_thread_behind(threads, never_waits):
    before = threading.active_count()
    reader = Reader(1000, never_waits=never_waits)
    batches = parallel.worked_batches(reader, Parser([0.001]).parse, threads)
    for _ in range(5):
        next(batches)
    batches.close()
    assert threading.active_count() == before
    assert len(reader.filled) < 50


@kinds
@pytest.mark.parametrize("bad", [0, 5, 19])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_an_error_of_the_parser_comes_where_its_batch_would(threads, bad, never_waits):
    found = []
    with pytest.raises(MemoryError, match="no room"):
        numbers(Parser([0.001], bad), Reader(20, never_waits=never_waits), threads, found)
    assert found == list(range(bad))
