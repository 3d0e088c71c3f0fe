"""Runs calls of the client, one line of JSON on standard input for each, and writes what came of it as a line."""

import itertools
import json
import os
import sys
import traceback
from datetime import datetime

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../clients/python"))

import stancebook  # noqa: E402


class Clock:
    """A clock that stands still except for the sleeps."""

    def __init__(self, now: str) -> None:
        self.now = datetime.fromisoformat(now.replace("Z", "+00:00")).timestamp()
        self.waits = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def run(given):
    clock = Clock(given["now"])
    shown = []
    try:
        book = stancebook.Stancebook(
            **given["options"], sleep=clock.sleep, clock=lambda: clock.now, rand=lambda: given["random"]
        )
        shown += [repr(book), str(book)]
        [(method, arguments)] = given["call"].items()
        pages = arguments.pop("pages", None)
        value = getattr(book, method)(**arguments)
        if method == "follow":
            value = list(itertools.islice(value, pages))
        if method in ("list", "cohort_items", "plans"):
            value = list(value)
        return {"result": value, "waits": clock.waits, "shown": shown}
    except stancebook.StancebookError as error:
        members = ("code", "category", "status", "message", "suggestion", "retry_after_seconds", "details", "request_id")
        found = {name: getattr(error, name) for name in members if hasattr(error, name)}
        shown += [str(error), repr(error), traceback.format_exc()]
        return {"error": {"type": type(error).__name__, **found}, "waits": clock.waits, "shown": shown}


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
