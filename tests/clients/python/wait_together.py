"""Waits for all records at once, each in a thread of one client: python3 wait_together.py URL RECORD..."""

import heapq
import itertools
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import stancebook


class Time:
    """A clock that moves to the next end of a sleep once all threads that wait are asleep."""

    def __init__(self, waiting: int) -> None:
        self.now = 1795435200.0
        self.awake = waiting
        self.asleep = []
        self.turns = itertools.count()
        self.changed = threading.Condition()

    def sleep(self, seconds: float) -> None:
        with self.changed:
            mine = (self.now + seconds, next(self.turns))
            heapq.heappush(self.asleep, mine)
            self.fall()
            self.changed.wait_for(lambda: mine not in self.asleep)

    def fall(self) -> None:
        self.awake -= 1
        if self.awake == 0 and self.asleep:
            self.now, _ = heapq.heappop(self.asleep)
            self.awake = 1
            self.changed.notify_all()

    def end(self) -> None:
        with self.changed:
            self.fall()


url, records = sys.argv[1], sys.argv[2:]
clock = Time(len(records))
calls = itertools.count()
book = stancebook.Stancebook(
    url, None, sleep=clock.sleep, clock=lambda: clock.now, rand=lambda: next(calls) % 10 / 10
)


def wait(record: str) -> str:
    try:
        return book.wait_for_outcome(record)["state"]
    finally:
        clock.end()


with ThreadPoolExecutor(len(records)) as pool:
    for record, state in zip(records, pool.map(wait, records)):
        print(record, state)
