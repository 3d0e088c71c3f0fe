"""An agent over the Model Context Protocol: python3 mcp_agent.py, with STANCEBOOK_URL and STANCEBOOK_API_KEY.

It speaks the protocol by hand, to show what a client of any library sends.
"""

import json
import os
import time
import urllib.request

HEADERS = {
    "X-API-Key": os.environ["STANCEBOOK_API_KEY"],
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


def send(method, params):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    request = urllib.request.Request(os.environ["STANCEBOOK_URL"] + "/mcp", json.dumps(message).encode(), HEADERS)
    with urllib.request.urlopen(request) as reply:
        text = reply.read().decode()
    events = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return json.loads(events[0] if events else text)["result"]


def call(tool, **arguments):
    result = send("tools/call", {"name": tool, "arguments": arguments})
    if result.get("isError"):
        raise SystemExit(result["content"][0]["text"])
    return result["structuredContent"]


client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "mcp_agent", "version": "1"}}
print("Server:", send("initialize", client)["serverInfo"]["name"])

identity = {"market": "stock", "symbol": "MSFT", "venue": "NASDAQ", "asset_class": "spot", "quote_currency": "USD"}
decision = {
    **identity,
    "direction": "bearish",
    "horizon_kind": "trading_days",
    "horizon_value": 5,
    "data_cutoff": "2003-02-13T14:00:00Z",
    "key_factors": ["Volume falls while the price rises"],
}
about = {"market": "stock", "symbol": "MSFT", "direction": decision["direction"]}
print("The first prompt had:", call("recall", **about)["text"].splitlines()[3])
reply = call("submit_decision", decision=decision, idempotency_key="mcp-agent-1")
print("Submitted:", reply["record_id"], decision["direction"])
while True:
    state = call("get_decision_state", record_id=reply["record_id"])
    if state["state"] == "closed":
        break
    time.sleep(state["poll_after_seconds"])
print("Graded:", state["outcome"]["result_bucket"])
call("add_note", record_id=reply["record_id"], text="Volume alone was no reason")
print("The second prompt has:", *call("recall", **about)["text"].splitlines()[3:5], sep="\n")
