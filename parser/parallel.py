"""Batches of a stream, parsed by several threads, in the order of the stream and in bounded memory.

The caller's thread reads, hands batches out, and writes what comes back; the others parse, without the GIL. Where it
would wait for a batch it parses another one, so that no more threads are at work than were asked for. No more than
IN_FLIGHT batches a thread are ever alive; they are filled anew.
"""

from collections import deque
from collections.abc import Iterator

from parser.treebank import Batch, Reader, TreebankError

IN_FLIGHT = 3


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
    fault = None
    from concurrent.futures import ThreadPoolExecutor  # as in arrays.py: only where there are threads

    with ThreadPoolExecutor(threads - 1, thread_name_prefix="parse") as pool:
        queue = Queue(parser, scores, pool, threads)
        while True:
            batch = idle.pop() if idle else Batch()
            try:
                if not reader.fill(batch):
                    break
            except TreebankError as error:
                fault = error
                break
            queue.put(batch)
            if len(queue) >= IN_FLIGHT * threads:
                yield from queue.taken(idle)
        while len(queue) > 0:
            yield from queue.taken(idle)
    if fault is not None:
        raise fault


class Queue:
    """Batches with what their parses will be, the oldest first."""

    def __init__(self, parser, scores: bool, pool, threads: int) -> None:
        self.parser, self.scores, self.pool, self.threads = parser, scores, pool, threads
        self.waiting: deque = deque()

    def __len__(self) -> int:
        return len(self.waiting)

    def put(self, batch: Batch) -> None:
        self.waiting.append((batch, self.pool.submit(self.parser.parse_rows, batch, self.scores)))

    def taken(self, idle: list[Batch]) -> Iterator[tuple]:
        """The oldest batch, which is idle again afterwards."""
        while not self.waiting[0][1].done() and self.help():
            pass
        batch, parses = self.waiting.popleft()
        yield batch, parses.result()
        idle.append(batch)

    def help(self) -> bool:
        """Parses the newest batch that nobody has begun, if one is left for each of the others; False: it is not."""
        from concurrent.futures import Future

        open_ = [i for i, (_, parses) in enumerate(self.waiting) if not parses.running() and not parses.done()]
        if len(open_) < self.threads:
            return False
        batch, parses = self.waiting[open_[-1]]
        if parses.cancel():
            self.waiting[open_[-1]] = batch, done(Future(), self.parser.parse_rows, batch, self.scores)
        return True


def done(future, call, *arguments):
    """As if a pool had made the call: what it raises is raised when its result is asked for."""
    try:
        future.set_result(call(*arguments))
    except Exception as error:
        future.set_exception(error)
    return future
