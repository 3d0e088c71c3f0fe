"""Stores webhooks, each event once: python3 webhooks.py events.jsonl [PORT], with STANCEBOOK_WEBHOOK_SECRET."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from stancebook import WebhookError, verify_webhook

SECRETS = os.environ["STANCEBOOK_WEBHOOK_SECRET"].split()  # two while the secret is rotated
stored = open(sys.argv[1], "a+", encoding="utf-8")
stored.seek(0)
ids = {json.loads(line)["id"] for line in stored}


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds

    def do_POST(self) -> None:
        body = self.rfile.read(min(int(self.headers.get("content-length") or 0), 1 << 20))
        try:
            event = verify_webhook(self.headers, body, SECRETS)
        except WebhookError as fault:
            return self.send_error(400, fault.code)
        if event["id"] not in ids:  # an attempt whose answer was lost comes again
            stored.write(json.dumps(event) + "\n")
            stored.flush()  # stored before the answer; another program reads the file and does the work
            ids.add(event["id"])
        self.send_response(204)
        self.end_headers()


server = HTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 8080), Receiver)
print("Listening on http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
