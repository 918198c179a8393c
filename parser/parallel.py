"""Batches of a stream, parsed by several threads, in the order of the stream and in bounded memory.

One thread reads and hands batches out; workers parse them without the GIL; results are taken in order by the caller,
who writes them meanwhile. No more than twice as many batches as threads are ever alive; they are filled anew.
"""

from collections import deque
from collections.abc import Iterator

from parser.treebank import Batch, Reader, TreebankError


def parsed_batches(parser, reader: Reader, scores: bool, threads: int) -> Iterator[tuple]:
    """(batch, parses) to the end of the stream. A batch may be used until the next one is asked for.

    Where the reader finds a fault, everything before it is given out first.
    """
    if threads <= 1:
        batch = Batch()
        while reader.fill(batch):
            yield batch, parser.parse_rows(batch, scores)
        return
    idle: list[Batch] = []
    waiting: deque = deque()
    fault = None
    from concurrent.futures import ThreadPoolExecutor  # as in arrays.py: only where there are threads

    with ThreadPoolExecutor(threads, thread_name_prefix="parse") as pool:
        while True:
            batch = idle.pop() if idle else Batch()
            try:
                if not reader.fill(batch):
                    break
            except TreebankError as error:
                fault = error
                break
            waiting.append((batch, pool.submit(parser.parse_rows, batch, scores)))
            if len(waiting) >= 2 * threads:
                yield from taken(waiting, idle)
        while waiting:
            yield from taken(waiting, idle)
    if fault is not None:
        raise fault


def taken(waiting: deque, idle: list[Batch]) -> Iterator[tuple]:
    """The oldest batch, which is idle again afterwards."""
    batch, parses = waiting.popleft()
    yield batch, parses.result()
    idle.append(batch)
