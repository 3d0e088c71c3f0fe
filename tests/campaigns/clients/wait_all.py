"""Waits for the outcomes of the records of standard input at once, in threads, and writes their states as JSON."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../clients/python"))

import stancebook  # noqa: E402

book = stancebook.Stancebook()
records = json.load(sys.stdin)
with ThreadPoolExecutor(len(records)) as pool:
    states = list(pool.map(lambda record: book.wait_for_outcome(record, timeout_seconds=90)["state"], records))
json.dump(states, sys.stdout)
