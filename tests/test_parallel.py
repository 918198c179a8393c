"""Batches in order whatever the threads do, with a reader and a parser that only pretend."""

import threading
import time

import pytest

from parser import parallel
from parser.treebank import TreebankError


class Batch:
    pass


class Reader:
    def __init__(self, n, fault=False):
        self.n, self.fault, self.filled = n, fault, []

    def fill(self, batch):
        if len(self.filled) == self.n:
            if self.fault:
                raise TreebankError("here it ends")
            return False
        batch.number = len(self.filled)
        self.filled.append(batch)
        return True


class Parser:
    """times: seconds that batches take, over and over."""

    def __init__(self, times, bad=-1):
        self.times, self.bad, self.threads = times, bad, []

    def parse_rows(self, batch, scores):
        assert not scores
        if batch.number == self.bad:
            raise MemoryError("no room")
        self.threads.append(threading.current_thread())
        time.sleep(self.times[batch.number % len(self.times)])
        return batch.number


@pytest.fixture(autouse=True)
def batches(monkeypatch):
    monkeypatch.setattr(parallel, "Batch", Batch)


def numbers(parser, reader, threads, into):
    for batch, parses in parallel.parsed_batches(parser, reader, False, threads):
        assert parses == batch.number
        into.append(parses)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("times", [[0], [0.004], [0.01, 0, 0, 0, 0], [0.02, 0.01, 0.005, 0.002, 0.001]])
def test_batches_come_in_order_and_are_filled_anew(threads, times):
    reader, parser, found = Reader(30), Parser(times), []
    numbers(parser, reader, threads, found)
    assert found == list(range(30))
    assert len(parser.threads) == 30, "each is parsed once"
    assert len(set(parser.threads)) <= threads
    assert len(set(map(id, reader.filled))) <= parallel.IN_FLIGHT * threads + 1


def test_the_reading_thread_parses_too():
    parser = Parser([0.003])
    numbers(parser, Reader(40), 2, [])
    here = parser.threads.count(threading.current_thread())
    assert 10 <= here <= 30, "of two threads that do nothing else each parses half"


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_what_came_before_a_fault_is_given_out(threads):
    found = []
    with pytest.raises(TreebankError, match="here it ends"):
        numbers(Parser([0.001]), Reader(9, fault=True), threads, found)
    assert found == list(range(9))


@pytest.mark.parametrize("bad", [0, 5, 19])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_an_error_of_the_parser_comes_where_its_batch_would(threads, bad):
    found = []
    with pytest.raises(MemoryError, match="no room"):
        numbers(Parser([0.001], bad), Reader(20), threads, found)
    assert found == list(range(bad))
