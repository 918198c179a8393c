"""Batches of a stream, worked on by several threads, in the order of the stream and in bounded memory.

Whoever reads a batch works on it, parses it and makes the text of its trees: it is in that processor's cache then.
Where reading may have to wait for somebody, for a pipe or a terminal, the caller's thread alone reads, and hands
batches to the others. The caller's thread takes what comes back, and works like the others where it would wait. No more
than IN_FLIGHT batches a thread are ever alive; they are filled anew.
"""

from collections import deque
from collections.abc import Callable, Iterator

from parser.treebank import Batch, Reader

IN_FLIGHT = 3


def worked_batches(reader: Reader, work: Callable[[Batch], object], threads: int) -> Iterator[tuple]:
    """(batch, what `work` made of it) to the end of the stream. A batch may be used until the next one is asked for.

    Where the reader finds a fault, everything before it is given out first.
    """
    if threads <= 1:
        batch = Batch()
        while reader.fill(batch):
            yield batch, work(batch)
        return
    team = Team(reader, work, threads)
    try:
        yield from team.in_order()
    finally:
        team.stop()
    if team.fault is not None:
        raise team.fault


class Team:
    """Threads with batches between them. A batch has a number; `changed` guards all but the reader and the batches."""

    def __init__(self, reader: Reader, work: Callable[[Batch], object], threads: int) -> None:
        from threading import Condition, Lock, Thread  # only where there are threads

        self.reader, self.work = reader, work
        self.most = IN_FLIGHT * threads
        self.changed, self.reading = Condition(), Lock()
        self.n_read = self.n_given = 0
        self.idle: list[Batch] = []
        self.waiting: deque[tuple[int, Batch]] = deque()  # that nobody has begun
        self.done: dict[int, tuple] = {}  # number -> batch, what was made of it, what went wrong instead
        self.has_ended, self.fault = False, None  # the stream; because of that
        self.others = [Thread(target=self.help, name=f"parse-{i}", daemon=True) for i in range(1, threads)]
        for thread in self.others:
            thread.start()

    def in_order(self) -> Iterator[tuple]:
        while self.find_next():
            batch, made, error = self.done.pop(self.n_given)
            if error is not None:
                raise error
            yield batch, made
            with self.changed:
                self.n_given += 1
                self.idle.append(batch)
                self.changed.notify_all()

    def find_next(self) -> bool:
        """Works until the next batch is done; False: there is none."""
        while self.n_given not in self.done:
            if self.is_over():
                return False
            if not self.join_in():
                with self.changed:
                    self.changed.wait_for(lambda: self.n_given in self.done or self.is_over())
        return True

    def join_in(self) -> bool:
        """Reads or works in the caller's thread; False: there is nothing but what others have begun."""
        job = self.read()
        if job is None:
            job = self.take(leave=len(self.others))
        elif not self.reader.never_waits:
            with self.changed:
                self.waiting.append(job)
                self.changed.notify_all()
            return True
        if job is not None:
            self.finish(*job)
        return job is not None

    def help(self) -> None:
        """What the other threads do."""
        while True:
            job = self.take() or (self.read() if self.reader.never_waits else None)
            if job is not None:
                self.finish(*job)
                continue
            with self.changed:
                self.changed.wait_for(
                    lambda: self.waiting or self.has_ended or (self.reader.never_waits and self.may_read())
                )
                if self.has_ended and not self.waiting:
                    return

    def is_over(self) -> bool:
        return self.has_ended and self.n_given == self.n_read

    def may_read(self) -> bool:
        return not self.has_ended and self.n_read - self.n_given < self.most

    def read(self) -> tuple[int, Batch] | None:
        """The next batch of the stream; None: there is none, or no room for one."""
        with self.reading:
            with self.changed:
                if not self.may_read():
                    return None
                batch = self.idle.pop() if self.idle else Batch()
            found, fault = False, None
            try:
                found = self.reader.fill(batch)
            except Exception as error:  # in any thread: raised by the caller's, behind all that came before
                fault = error
            with self.changed:
                if found:
                    self.n_read += 1
                    return self.n_read - 1, batch
                self.has_ended, self.fault = True, fault
                self.changed.notify_all()
                return None

    def take(self, leave: int = 0) -> tuple[int, Batch] | None:
        """A batch that was read and nobody has begun, if there are more than so many: the oldest; for the caller's
        thread, which leaves some to the others, the newest."""
        with self.changed:
            if len(self.waiting) <= leave:
                return None
            return self.waiting.pop() if leave else self.waiting.popleft()

    def finish(self, number: int, batch: Batch) -> None:
        made = error = None
        try:
            made = self.work(batch)
        except Exception as caught:  # raised where the batch would be given out
            error = caught
        with self.changed:
            self.done[number] = batch, made, error
            self.changed.notify_all()

    def stop(self) -> None:
        """What has not been begun is left."""
        with self.changed:
            self.has_ended = True
            self.waiting.clear()
            self.changed.notify_all()
        for thread in self.others:
            thread.join()
