"""Calls the integration for LEAN on the insights of standard input, and prints what it did."""

import json
import sys
import uuid
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from types import SimpleNamespace

from lean_stancebook import InsightReporter, decision_of


class InsightDirection(Enum):
    """LEAN's, as Python names it."""

    DOWN = -1
    FLAT = 0
    UP = 1


class InsightType(Enum):
    PRICE = 0
    VOLATILITY = 1


class SecurityType(Enum):
    EQUITY = 1
    OPTION = 2
    CRYPTO = 7
    CRYPTO_FUTURE = 11


#: The time of the algorithm, as LEAN gives it to Python.
STEP = datetime(2003, 2, 13, 14, 0)


def symbol_of(given):
    return SimpleNamespace(
        value=given.get("ticker", "MSFT"),
        id=SimpleNamespace(market=given.get("market", "usa")),
        security_type=SecurityType[given.get("security_type", "EQUITY")],
    )


def lesson_of(record):
    """What the script has as the lesson of a record: a text, null, or a fault."""
    lesson = given["lessons"][record["record_id"]]
    if lesson == "fault":
        raise KeyError(lesson)
    return lesson and "%s %s" % (record["outcome"]["result_bucket"], lesson)


def insight_of(given):
    """An object with the properties of LEAN's Insight under their names in Python; times are UTC without a zone."""
    generated = STEP + timedelta(minutes=given.get("later", 0))
    period = timedelta(seconds=given.get("period", 604800))
    return SimpleNamespace(
        id=uuid.UUID("e02be50f-56a8-496b-9ba9-95d19a904ada"),
        group_id=None,
        source_model=given.get("source_model", "MomentumAlphaModel"),
        generated_time_utc=generated,
        close_time_utc=generated + period,
        symbol=symbol_of(given),
        type=InsightType[given.get("type", "PRICE")],
        reference_value=Decimal(given.get("reference", "46.41")),
        reference_value_final=Decimal(0),
        direction=InsightDirection[given.get("direction", "UP")],
        period=period,
        magnitude=given.get("magnitude", 0.025),
        confidence=given.get("confidence", 0.7),
        weight=None,
        estimated_value=Decimal(0),
        tag=given.get("tag", ""),
    )


given = json.load(sys.stdin)
if "decide" in given:
    print(json.dumps([decision_of(insight_of(each)) for each in given["decide"]]))
elif "serialized" in given:
    print(json.dumps([decision_of(each) for each in given["serialized"]]))
else:
    reporter = InsightReporter()
    algorithm = SimpleNamespace(utc_time=STEP, live_mode=given.get("live", True))
    asked = dict(given.get("query", {}))
    if "direction" in asked:
        asked["direction"] = InsightDirection[asked["direction"]]
    if "period" in asked:
        asked["period"] = timedelta(seconds=asked["period"])
    recalled = [reporter.recall(algorithm, symbol_of(each), **asked) for each in given.get("recall", [])]
    collection = SimpleNamespace(insights=[insight_of(each) for each in given["report"]])
    reporter.on_insights_generated(algorithm, collection)
    reporter.on_insights_generated(algorithm, SimpleNamespace(insights=[SimpleNamespace()]))
    for _ in range(given.get("notes", 0)):
        reporter.note_outcomes(lesson_of, datetime(2026, 11, 16, tzinfo=timezone.utc))
    reporter.close()
    print(json.dumps({"counts": reporter.counts, "recalled": recalled}))
