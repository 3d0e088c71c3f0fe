"""An agent that expects MSFT to return to its mean: python3 agent.py closes.csv, with STANCEBOOK_URL and ..._API_KEY."""

import csv
import sys

from stancebook import Stancebook

book = Stancebook()
with open(sys.argv[1], encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
closes = [float(row["close"]) for row in rows]
mean = sum(closes) / len(closes)
direction = "bullish" if closes[-1] < mean else "bearish"
instrument = {"market": "stock", "symbol": "MSFT", "venue": "NASDAQ", "asset_class": "spot", "quote_currency": "USD"}

horizon = {"horizon_kind": "trading_days", "horizon_value": 10}
prompt = book.recall({"market": "stock", "symbol": "MSFT", "direction": direction, **horizon})
print("The first prompt had:", prompt["text"].splitlines()[3])
cohort = book.cohort({**instrument, **horizon, "direction": direction, "include_retroactive": True})["overview"]
print("Counts of such decisions:", cohort["result_distribution"] or cohort["suppression"]["reason"])

reply = book.submit({
    **instrument,
    **horizon,
    "direction": direction,
    "data_cutoff": rows[-1]["known_at"],
    "key_factors": ["Last close %.2f, mean of %d closes %.2f" % (closes[-1], len(closes), mean)],
    "service_interaction": {"consulted": True, "wisdom_queries": 1},
    "inputs": [{"kind": "prompt", "name": "recall", "sha256": prompt["sha256"]}],
})
print("Submitted:", reply["record_id"], direction)
outcome = book.wait_for_outcome(reply["record_id"])["outcome"]
print("Graded:", outcome["result_bucket"], "return %+.2f%%" % (100 * outcome["raw_return"]))
book.note(reply["record_id"], "The mean of so few closes was no anchor")
prompt = book.recall({"market": "stock", "symbol": "MSFT", "direction": direction, **horizon})
print("The second prompt has:", *prompt["text"].splitlines()[3:5], sep="\n")
