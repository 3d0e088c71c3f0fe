"""Reads lines of JSON with a text of YAML and its value; prints the first texts that YAML reads as something else."""

import json
import sys

import yaml


def same(read, expected):
    if isinstance(expected, dict):
        names = isinstance(read, dict) and list(read) == list(expected)
        return names and all(same(read[name], expected[name]) for name in expected)
    if isinstance(expected, list):
        return isinstance(read, list) and len(read) == len(expected) and all(map(same, read, expected))
    if isinstance(expected, bool) or expected is None or isinstance(expected, str):
        return type(read) is type(expected) and read == expected
    return type(read) in (int, float) and read == expected


def fault_of(text, value):
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return str(error)
    return None if same(read, value) else repr(read)


lines = [json.loads(line) for line in sys.stdin.buffer]
faults = [[text, fault] for text, value in lines if (fault := fault_of(text, value)) is not None]
print(json.dumps({"version": yaml.__version__, "read": len(lines), "faults": faults[:5]}))
