"""Calls the memory log of the integration on one decision for each entry of standard input, and prints what it did."""

import json
import sys
from datetime import datetime, timezone

from tradingagents_stancebook import StancebookMemoryLog, decision_of, instrument_of

NOW = datetime(2026, 11, 23, 15, 30, tzinfo=timezone.utc)

given = json.load(sys.stdin)
if "decide" in given:
    print(json.dumps([decision_of(*each, NOW, model="a-model") for each in given["decide"]]))
elif "instruments" in given:
    print(json.dumps([instrument_of(each) for each in given["instruments"]]))
else:
    config = {"memory_log_path": given["log"], "deep_think_llm": "a-model"}
    log = StancebookMemoryLog(config, now=lambda: NOW)
    for each in given.get("store", []):
        log.store_decision(**each)
    for each in given.get("outcomes", []):
        log.update_with_outcome(**each)
    log.batch_update_with_outcomes(given.get("batch", []))
    counts = log.import_entries() if given.get("import") else None
    contexts = [log.get_past_context(each) for each in given.get("contexts", [])]
    print(json.dumps({"contexts": contexts, "entries": log.load_entries(), "updates": log.updates, "counts": counts}))
