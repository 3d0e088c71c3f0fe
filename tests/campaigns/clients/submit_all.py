"""Submits the decisions of standard input, waits for the first outcome, lists all, and writes what came as JSON."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../clients/python"))

import stancebook  # noqa: E402

begin = time.time()
book = stancebook.Stancebook(
    sleep=lambda seconds: time.sleep(seconds / 100), clock=lambda: begin + (time.time() - begin) * 100
)
submitted = [book.submit(decision)["record_id"] for decision in json.load(sys.stdin)]
state = book.wait_for_outcome(submitted[0], timeout_seconds=9_000)["state"]
listed = [item["record_id"] for item in book.list({"limit": 7})]
json.dump({"submitted": submitted, "listed": listed, "state": state}, sys.stdout)
