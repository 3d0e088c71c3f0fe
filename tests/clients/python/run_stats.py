"""Calculates statistics, one line of JSON on standard input for each, and writes the result or the fault as a line."""

import json
import sys

import stancebook


def calculated(name, arguments):
    try:
        positional, options = arguments
        return {"result": getattr(stancebook, name)(*positional, **options)}
    except ValueError as fault:
        return {"fault": str(fault)}


for line in sys.stdin:
    print(json.dumps(calculated(*json.loads(line))), flush=True)
