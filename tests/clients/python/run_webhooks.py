"""Verifies webhooks, one line of JSON on standard input for each, and writes the event's id or the fault as a line."""

import base64
import json
import sys

import stancebook


def judged(given):
    body = base64.b64decode(given["body"])
    try:
        event = stancebook.verify_webhook(given["headers"], body, given["secrets"], clock=lambda: given["now"])
        return {"id": event["id"]}
    except stancebook.WebhookError as fault:
        return {"fault": fault.code}
    except stancebook.UsageError:
        return {"fault": "usage"}


for line in sys.stdin:
    print(json.dumps(judged(json.loads(line))), flush=True)
