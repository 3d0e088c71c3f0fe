"""Records the insights of a QuantConnect LEAN algorithm in a Stancebook.

Read against LEAN at commit 24863901: `Insight`, `SerializedInsight`, `InsightsGenerated` of `QCAlgorithm`,
`SecurityIdentifier`, `Market`. Put this file and stancebook.py next to your algorithm:

    from lean_stancebook import InsightReporter

    class MyAlgorithm(QCAlgorithm):
        def initialize(self):
            ...
            self.reporter = InsightReporter()
            self.insights_generated += self.reporter.on_insights_generated

        def on_end_of_algorithm(self):
            self.reporter.close()

`reporter.recall` reads what was decided on a security before, for the `update` of an alpha model;
`reporter.note_outcomes` writes down what graded insights taught. Submissions and notes are sent by a thread of their
own, so that no bar waits for them, and nothing that goes wrong here raises an error in the algorithm. The
`alpha-results.json` of a finished run becomes retroactive records by
`python3 lean_stancebook.py import alpha-results.json`. docs/integrations.md compares the fields one by one.
"""

from __future__ import annotations

import json
import logging
import queue
import sys
import threading
import time
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, List, Mapping, Optional, Set, Tuple, Union

from stancebook import ApiError, ConnectionFailedError, QuotaExceededError, RetryableError, Stancebook, StancebookError

logger = logging.getLogger(__name__)

DIRECTIONS: Mapping[str, str] = {"up": "bullish", "flat": "neutral", "down": "bearish"}
#: LEAN's names of markets, with the venue of each. Equity of the market `usa` has the venue that the caller names.
CRYPTO_VENUES: Mapping[str, str] = {
    "binance": "BINANCE",
    "coinbase": "COINBASE",
    "gdax": "COINBASE",
    "kraken": "KRAKEN",
    "bybit": "BYBIT",
}
#: Numbers of security types and markets inside a security identifier, as alpha-results.json has it.
SECURITY_TYPES: Mapping[int, str] = {1: "equity", 7: "crypto", 11: "cryptofuture"}
MARKETS: Mapping[int, str] = {1: "usa", 12: "gdax", 13: "kraken", 16: "binance", 37: "bybit", 38: "coinbase"}
QUOTES = ("FDUSD", "USDT", "USDC", "USD", "EUR", "GBP", "BTC", "ETH")
#: Bounds of a horizon in seconds.
SHORTEST, LONGEST = 120, 31_536_000
#: Characters of a summary: half of what the service accepts, because it counts some characters twice.
SUMMARY_LENGTH = 2000
#: The same of a note.
NOTE_LENGTH = 1000
#: Insights that wait to be sent at most; further ones are counted as lost.
WAITING = 1000
#: Seconds that recall waits for a reply, and seconds without recall after a service that could not be reached.
RECALL_SECONDS, PAUSE_SECONDS = 5, 300


def decision_of(insight: Any, us_venue: str = "NASDAQ") -> Optional[Dict[str, Any]]:
    """The decision that an insight states; None for one that is not about a price, or has no venue or no end.

    insight: an `Insight` of LEAN, or an object of its alpha-results.json.
    """
    fields = _fields_of(insight)
    instrument = _instrument_of(fields, us_venue)
    direction = DIRECTIONS.get(_word(fields["direction"]))
    seconds = round(fields["close"] - fields["generated"])
    if _word(fields["type"]) != "price" or instrument is None or not SHORTEST <= seconds <= LONGEST or not direction:
        return None
    confidence, reference, tag, source = (fields[name] for name in ("confidence", "reference", "tag", "source_model"))
    facts = {name: fields[name] for name in ("id", "group_id", "source_model", "magnitude", "weight")}
    decision: Dict[str, Any] = {
        **instrument,
        "direction": direction,
        "horizon_kind": "holding_seconds",
        "horizon_value": seconds,
        "data_cutoff": _instant(fields["generated"]),
        "perspective_type": "quantitative",
        "tags": ["lean"],
        "meta": {"lean": {name: value for name, value in facts.items() if value is not None}},
    }
    if confidence is not None and 0 <= confidence <= 1:
        decision["confidence"] = confidence
    if reference is not None and reference > 0:
        decision["reference_price"] = reference
    if tag and tag.strip():
        decision["summary"] = tag.strip()[:SUMMARY_LENGTH]
    if source and source.strip():
        decision["model"] = {"id": source.strip()[:120]}
    return decision


def _fields_of(insight: Any) -> Dict[str, Any]:
    """The fields that are used, of an object or of JSON: times in Unix seconds, numbers as float."""
    if isinstance(insight, Mapping):
        security_type, market = _decoded(insight["symbol"])
        return {
            "id": insight["id"],
            "group_id": insight.get("groupId"),
            "source_model": insight.get("sourceModel"),
            "generated": float(insight["createdTime"]),
            "close": float(insight["closeTime"]),
            "ticker": insight["ticker"],
            "security_type": security_type,
            "market": market,
            "type": insight["type"],
            "reference": _number(insight.get("reference")),
            "direction": insight["direction"],
            "magnitude": _number(insight.get("magnitude")),
            "confidence": _number(insight.get("confidence")),
            "weight": _number(insight.get("weight")),
            "tag": insight.get("tag"),
        }
    return {
        "id": str(insight.id).replace("-", ""),
        "group_id": None if insight.group_id is None else str(insight.group_id).replace("-", ""),
        "source_model": insight.source_model,
        "generated": _unix_time(insight.generated_time_utc),
        "close": _unix_time(insight.close_time_utc),
        **_security_of(insight.symbol),
        "type": insight.type,
        "reference": _number(insight.reference_value),
        "direction": insight.direction,
        "magnitude": _number(insight.magnitude),
        "confidence": _number(insight.confidence),
        "weight": _number(insight.weight),
        "tag": insight.tag,
    }


def _security_of(symbol: Any) -> Dict[str, str]:
    """What a `Symbol` of LEAN names."""
    market = str(symbol.id.market).lower()
    return {"ticker": symbol.value, "security_type": _word(symbol.security_type), "market": market}


def _instrument_of(fields: Mapping[str, Any], us_venue: str) -> Optional[Dict[str, str]]:
    kind, market, ticker = fields["security_type"], fields["market"], fields["ticker"].upper()
    if kind == "equity" and market == "usa":
        return _instrument("stock", ticker, us_venue, "spot", "USD")
    if kind not in ("crypto", "cryptofuture") or market not in CRYPTO_VENUES:
        return None
    quote = next((each for each in QUOTES if ticker.endswith(each) and len(ticker) > len(each)), None)
    if quote is None or (kind == "cryptofuture" and quote != "USDT"):
        return None
    asset_class = "perp" if kind == "cryptofuture" else "spot"
    return _instrument("crypto", ticker[: -len(quote)], CRYPTO_VENUES[market], asset_class, quote)


def _instrument(market: str, symbol: str, venue: str, asset_class: str, quote: str) -> Dict[str, str]:
    names = ("market", "symbol", "venue", "asset_class", "quote_currency")
    return dict(zip(names, (market, symbol, venue, asset_class, quote)))


def _decoded(identifier: str) -> Tuple[str, str]:
    """Security type and market of an identifier such as `BTCUSD XJ`: the last 2 and 3 digits of a base 36 number."""
    number = int(identifier.split("|")[0].split(" ")[-1], 36)
    return SECURITY_TYPES.get(number % 100, "other"), MARKETS.get(number // 100 % 1000, "other")


def _word(value: Any) -> str:
    """The name of an enumeration's member in any spelling, such as `InsightDirection.UP`, `Up` or `up`."""
    return str(value).rsplit(".", 1)[-1].replace("_", "").lower()


def _number(value: Any) -> Optional[float]:
    return None if value is None else float(value)


def _unix_time(time_utc: datetime) -> float:
    return (time_utc if time_utc.tzinfo else time_utc.replace(tzinfo=timezone.utc)).timestamp()


def _instant(unix_time: float) -> str:
    return datetime.fromtimestamp(unix_time, timezone.utc).isoformat(timespec="milliseconds")


class InsightReporter:
    """Submits the insights of an algorithm from a thread of its own. `counts` says what became of them.

    book: default by STANCEBOOK_URL and STANCEBOOK_API_KEY. us_venue: of equity of the United States.
    """

    def __init__(self, book: Optional[Stancebook] = None, *, us_venue: str = "NASDAQ") -> None:
        self.counts: Dict[str, int] = {"submitted": 0, "left out": 0, "refused": 0, "lost": 0, "noted": 0}
        self._book, self._us_venue = book, us_venue
        #: Of recall alone: it is read in the thread of the algorithm.
        self._reader = book
        self._paused_until = self._no_recall_until = 0.0
        #: Of each security: when it was recalled by the time of the algorithm, and the digest of the text.
        self._recalled: Dict[Tuple[str, str], Tuple[str, str]] = {}
        self._considered: Set[str] = set()
        self._logged: Set[Tuple[str, str]] = set()
        self._waiting: "queue.Queue[Union[None, Tuple[str, Dict[str, Any]], Callable[[], None]]]" = queue.Queue(WAITING)
        self._thread = threading.Thread(target=self._send_all, name="stancebook", daemon=True)
        self._thread.start()

    def recall(
        self,
        algorithm: Any,
        symbol: Any,
        *,
        direction: Any = None,
        period: Optional[timedelta] = None,
        **query: Any,
    ) -> Dict[str, Any]:
        """The reply of recall on a security before an insight on it is made; {} where it cannot be read.

        In a back-test it is as of the time of the algorithm: nothing in it is from later. query: `set`, `tokens`. An
        insight on the security in the same time step names the digest of the text among its `inputs`.
        """
        try:
            return self._recall(algorithm, symbol, direction, period, query)
        except Exception as fault:  # noqa: BLE001: a fault of ours must not end a run of theirs.
            if isinstance(fault, ConnectionFailedError):
                self._no_recall_until = time.monotonic() + PAUSE_SECONDS
            self._log_once("return recall", fault)
            return {}

    def note_outcomes(
        self, lesson: Callable[[Dict[str, Any]], Optional[str]], since: Optional[datetime] = None
    ) -> None:
        """Writes what graded insights taught as notes: those of this agent without a note, graded since then.

        lesson: gets the record with its `outcome`, and returns the text; None or "" for no note. The thread of the
        reporter calls it, so it must not use the algorithm. since: default 7 days ago. Call it once a day or so.
        """
        begin = since or datetime.now(timezone.utc) - timedelta(days=7)
        try:
            self._waiting.put_nowait(lambda: self._note_since(begin, lesson))
        except queue.Full:
            logger.warning("Stancebook has too many insights to send; outcomes are noted at the next call.")

    def on_insights_generated(self, algorithm: Any, insights_collection: Any) -> None:
        """The handler of `insights_generated`. It reads the insights and returns at once."""
        try:
            for insight in insights_collection.insights:
                self.report(insight)
        except Exception as fault:  # noqa: BLE001: a fault of ours must not end a run of theirs.
            logger.warning("Stancebook could not read the insights; the algorithm goes on without it: %s", fault)

    def report(self, insight: Any) -> None:
        """Queues one insight, of the algorithm or of alpha-results.json."""
        decision = decision_of(insight, self._us_venue)
        if decision is None:
            self.counts["left out"] += 1
            return
        recalled_at, digest = self._recalled.get((decision["market"], decision["symbol"]), ("", ""))
        if recalled_at == decision["data_cutoff"]:
            decision["inputs"] = [{"kind": "data", "name": "recall", "sha256": digest}]
        try:
            self._waiting.put_nowait((_key_of(decision), decision))
        except queue.Full:
            self.counts["lost"] += 1

    def close(self, timeout_seconds: float = 60.0) -> None:
        """Waits until everything is sent, at most for this time. What is left is counted as lost."""
        try:
            self._waiting.put(None, timeout=timeout_seconds)
            self._thread.join(timeout_seconds)
        except queue.Full:
            pass
        self.counts["lost"] += sum(1 for each in list(self._waiting.queue) if isinstance(each, tuple))

    def _send_all(self) -> None:
        while True:
            waiting = self._waiting.get()
            if waiting is None:
                return
            if callable(waiting):
                self._guarded("note an outcome", waiting)
            elif self._guarded("accept an insight", lambda: self._send(*waiting)):
                self.counts["submitted"] += 1
            else:
                self.counts["refused"] += 1

    def _guarded(self, what: str, work: Callable[[], None]) -> bool:
        """Whether the work succeeded."""
        try:
            work()
            return True
        except Exception as fault:  # noqa: BLE001: a fault of ours must not end a run of theirs.
            self._log_once(what, fault)
            return False

    def _log_once(self, what: str, fault: Exception) -> None:
        """Logs the first fault of each kind: an algorithm can have thousands of insights."""
        kind = (what, getattr(fault, "code", type(fault).__name__))
        if kind not in self._logged:
            self._logged.add(kind)
            logger.warning("Stancebook did not %s; the algorithm goes on without it: %s", what, fault)

    def _recall(
        self, algorithm: Any, symbol: Any, direction: Any, period: Optional[timedelta], query: Mapping[str, Any]
    ) -> Dict[str, Any]:
        instrument = _instrument_of(_security_of(symbol), self._us_venue)
        if instrument is None or time.monotonic() < self._no_recall_until:
            return {}
        security, now = (instrument["market"], instrument["symbol"]), _instant(_unix_time(algorithm.utc_time))
        asked: Dict[str, Any] = {"market": security[0], "symbol": security[1], **query}
        if direction is not None:
            asked["direction"] = DIRECTIONS[_word(direction)]
        if period is not None and SHORTEST <= period.total_seconds() <= LONGEST:
            asked.update(horizon_kind="holding_seconds", horizon_value=round(period.total_seconds()))
        if not algorithm.live_mode:
            asked["as_of"] = now
        if self._reader is None:
            self._reader = Stancebook(attempts=1, timeout_seconds=RECALL_SECONDS)
        reply = self._reader.recall(asked)
        self._recalled[security] = (now, reply["sha256"])
        return reply

    def _note_since(self, begin: datetime, lesson: Callable[[Dict[str, Any]], Optional[str]]) -> None:
        query = {"lifecycle_state": "evaluated", "evaluated_since": _instant(_unix_time(begin)), "limit": 100}
        for record_id in [item["record_id"] for item in self._client().list(query)]:
            if record_id in self._considered:
                continue
            try:
                self._note(record_id, lesson)
            except (ConnectionFailedError, QuotaExceededError, RetryableError):
                raise
            except Exception as fault:  # noqa: BLE001: a lesson that fails is no reason to miss the others.
                self._log_once("note an outcome", fault)
            self._considered.add(record_id)

    def _note(self, record_id: str, lesson: Callable[[Dict[str, Any]], Optional[str]]) -> None:
        record = self._client().decision(record_id)
        if record["notes"] or "lean" not in (record["meta"] or {}):
            return
        text = (lesson(record) or "").strip()
        if text:
            self._client().note(record_id, text[:NOTE_LENGTH])
            self.counts["noted"] += 1

    def _client(self) -> Stancebook:
        if self._book is None:
            self._book = Stancebook()
        return self._book

    def _send(self, key: str, decision: Dict[str, Any]) -> None:
        if time.monotonic() < self._paused_until:
            raise StancebookError("A daily quota is used up.")
        try:
            self._client().submit(decision, idempotency_key=key)
        except QuotaExceededError as refusal:
            self._paused_until = time.monotonic() + (refusal.retry_after_seconds or 3600)
            raise


def import_results(path: str, book: Stancebook, us_venue: str = "NASDAQ") -> Dict[str, int]:
    """Submits the insights of an alpha-results.json, until a daily quota refuses; run it again on the next day.

    An insight that was submitted less than 48 hours ago is found by its Idempotency-Key and not submitted again.
    Raises OSError, ValueError or KeyError for a file that is none of LEAN's.
    """
    counts = {"submitted": 0, "left out": 0, "refused": 0}
    with open(path, encoding="utf-8-sig") as file:
        decisions = [decision_of(insight, us_venue) for insight in json.load(file)]
    for decision in decisions:
        if decision is None:
            counts["left out"] += 1
            continue
        try:
            book.submit(decision, idempotency_key=_key_of(decision))
            counts["submitted"] += 1
        except ApiError as refusal:
            counts["refused"] += 1
            logger.warning("Stancebook refused insight %s: %s", decision["meta"]["lean"]["id"], refusal)
            if isinstance(refusal, QuotaExceededError):
                break
    return counts


def _key_of(decision: Mapping[str, Any]) -> str:
    return "lean-" + decision["meta"]["lean"]["id"]


def main(arguments: List[str]) -> int:
    if len(arguments) != 2 or arguments[0] != "import":
        print("Usage: lean_stancebook.py import ALPHA_RESULTS_JSON", file=sys.stderr)
        return 2
    try:
        counts = import_results(arguments[1], Stancebook())
    except (StancebookError, OSError, ValueError, KeyError) as fault:
        print("stancebook: %s" % fault, file=sys.stderr)
        return 1
    print(", ".join("%d %s" % (count, name) for name, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
