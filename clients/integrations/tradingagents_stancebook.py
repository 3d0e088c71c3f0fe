"""Records the decisions of TradingAgents in a Stancebook.

Read against TradingAgents 0.3.0 (commit 85946c2f): `tradingagents.agents.utils.memory.TradingMemoryLog`,
`agents.utils.rating.parse_rating`, `dataflows.symbol_utils.normalize_symbol`. Put this file and stancebook.py next to
your program:

    from tradingagents_stancebook import StancebookMemoryLog

    graph = TradingAgentsGraph(config=config)
    graph.memory_log = StancebookMemoryLog(config)

What TradingAgents reflects on an outcome becomes a note on the record, once that is graded. Nothing that goes wrong
here raises an error: the run of TradingAgents goes on as without this file, with a warning in the log. An existing
memory log becomes retroactive records by `python3 tradingagents_stancebook.py import LOG.md`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import sys
import unicodedata
from datetime import datetime, timezone
from typing import Any, Callable, Dict, List, Mapping, Optional

from stancebook import (
    ApiError,
    InputInvalidError,
    NotFoundError,
    QuotaExceededError,
    Stancebook,
    StancebookError,
)
from tradingagents.agents.utils.memory import TradingMemoryLog
from tradingagents.agents.utils.rating import parse_rating
from tradingagents.dataflows.symbol_utils import normalize_symbol

logger = logging.getLogger(__name__)

#: The five ratings of TradingAgents, and what they say about the price.
DIRECTIONS: Mapping[str, str] = {
    "Buy": "bullish",
    "Overweight": "bullish",
    "Hold": "neutral",
    "Underweight": "bearish",
    "Sell": "bearish",
}
#: Sessions after which TradingAgents itself looks at the return (`holding_days` of `_fetch_returns`).
TRADING_DAYS = 5
#: Characters of a summary: half of what the service accepts, because it counts some characters twice.
SUMMARY_LENGTH = 2000
#: The same of a note.
NOTE_LENGTH = 1000


class StancebookMemoryLog(TradingMemoryLog):
    """The memory log, which also submits each decision, and adds the grade to the reflection once there is one.

    config: that of TradingAgents. book: default by STANCEBOOK_URL and STANCEBOOK_API_KEY.
    us_venue: of tickers without suffix; a ticker names the same stock on all venues of the United States.
    """

    def __init__(
        self,
        config: Optional[dict] = None,
        book: Optional[Stancebook] = None,
        *,
        us_venue: str = "NASDAQ",
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        super().__init__(config)
        self._model = (config or {}).get("deep_think_llm")
        self._book, self._us_venue, self._now = book, us_venue, now
        path = (config or {}).get("memory_log_path")
        base = os.path.expanduser(str(path)) if path else None
        self._records_path = base and base + ".stancebook.json"
        self._notes_path = base and base + ".stancebook-notes.json"
        self._records: Dict[str, str] = _guarded("read the known records", lambda: _read(self._records_path)) or {}
        #: The texts of notes that are not written yet, by record id.
        self._notes: Dict[str, str] = _guarded("read the notes that wait", lambda: _read(self._notes_path)) or {}

    def store_decision(self, ticker: str, trade_date: str, final_trade_decision: str) -> None:
        super().store_decision(ticker, trade_date, final_trade_decision)
        _guarded("submit a decision", lambda: self.submit_entry(ticker, str(trade_date), final_trade_decision))

    def get_past_context(self, ticker: str, n_same: int = 5, n_cross: int = 3) -> str:
        """The context of TradingAgents, then what Stancebook has on the ticker."""
        context = super().get_past_context(ticker, n_same, n_cross)
        _guarded("write notes", self._send_notes)
        recalled = _guarded("read the recall", lambda: self._recall_text(ticker)) or ""
        return "\n\n".join(text for text in (context, recalled) if text)

    def update_with_outcome(
        self,
        ticker: str,
        trade_date: str,
        raw_return: float,
        alpha_return: float,
        holding_days: int,
        reflection: str,
    ) -> None:
        line = _guarded("read a grade", lambda: self._grade_line(ticker, trade_date)) or ""
        super().update_with_outcome(ticker, trade_date, raw_return, alpha_return, holding_days, reflection + line)
        update = {"ticker": ticker, "trade_date": trade_date, "reflection": reflection}
        figures = {"raw_return": raw_return, "holding_days": holding_days}
        _guarded("write a note", lambda: self._note_outcomes([{**update, **figures}]))

    def batch_update_with_outcomes(self, updates: List[dict]) -> None:
        graded = []
        for update in updates:
            line = _guarded("read a grade", lambda: self._grade_line(update["ticker"], update["trade_date"])) or ""
            graded.append({**update, "reflection": update["reflection"] + line})
        super().batch_update_with_outcomes(graded)
        _guarded("write notes", lambda: self._note_outcomes(updates))

    def submit_entry(self, ticker: str, trade_date: str, text: str) -> str:
        """Submits one decision and returns its record id; "" where there is no rating, or no venue for the ticker.

        Raises StancebookError.
        """
        known = self._records.get(_name_of(ticker, trade_date))
        if known:
            return known
        decision = decision_of(ticker, trade_date, text, self._now(), us_venue=self._us_venue, model=self._model)
        if decision is None:
            return ""
        seed = "\n".join((ticker, trade_date, text)).encode("utf-8", "replace")
        key = "tradingagents-" + hashlib.sha256(seed).hexdigest()[:32]
        record_id = self._client().submit(decision, idempotency_key=key)["record_id"]
        self._records[_name_of(ticker, trade_date)] = record_id
        _write(self._records_path, self._records)
        return record_id

    def import_entries(self) -> Dict[str, int]:
        """Submits the entries of the log that were not submitted; those of the past become retroactive records.

        Run it again for entries that are `refused`: a daily quota, or the cooldown of an agent for one symbol and
        direction, which an operator who loads history sets to 0 (LIMIT_COOLDOWN_SECONDS).
        """
        counts = {"submitted": 0, "known": 0, "left out": 0, "refused": 0}
        for entry in self.load_entries():
            known = _name_of(entry["ticker"], entry["date"]) in self._records
            try:
                record_id = self.submit_entry(entry["ticker"], entry["date"], entry["decision"])
                counts["known" if known else "submitted" if record_id else "left out"] += 1
            except ApiError as refusal:
                counts["refused"] += 1
                logger.warning("Stancebook refused %s of %s: %s", entry["ticker"], entry["date"], refusal)
                if isinstance(refusal, QuotaExceededError):
                    break
        return counts

    def _recall_text(self, ticker: str) -> str:
        """What the agent decided on the security; "" for a ticker without venue."""
        instrument = instrument_of(ticker, self._us_venue)
        if instrument is None:
            return ""
        security = {name: instrument[name] for name in ("market", "symbol")}
        horizon = {"horizon_kind": "trading_days", "horizon_value": TRADING_DAYS}
        return str(self._client().recall({**security, **horizon})["text"])

    def _grade_line(self, ticker: str, trade_date: str) -> str:
        """The facts of the grade as a line; "" without one."""
        record_id = self._records.get(_name_of(ticker, str(trade_date)))
        if not record_id:
            return ""
        outcome = self._client().state(record_id).get("outcome")
        if not outcome:
            return ""
        facts = (record_id, outcome["result_bucket"], outcome["raw_return"])
        return "\n\nGraded by Stancebook (%s): %s, return %+.1f%%." % (facts[0], facts[1], 100 * facts[2])

    def _note_outcomes(self, updates: List[dict]) -> None:
        """Adds each reflection, after the figures of TradingAgents, to the notes that wait, and sends those."""
        known = [each for each in updates if _name_of(each["ticker"], str(each["trade_date"])) in self._records]
        for update in known:
            record_id = self._records[_name_of(update["ticker"], str(update["trade_date"]))]
            figures = "After %sd, %+.1f%%: " % (update["holding_days"], 100 * update["raw_return"])
            self._notes[record_id] = _shown(figures + update["reflection"])[:NOTE_LENGTH].strip()
        if known:
            _write(self._notes_path, self._notes)
            self._send_notes()

    def _send_notes(self) -> None:
        """Sends the notes that wait. Those on records without a grade go on waiting: a note comes after the outcome."""
        for record_id, text in list(self._notes.items()):
            try:
                self._client().note(record_id, text)
            except ApiError as refusal:
                if refusal.code == "RECORD_OPEN" and refusal.retry_after_seconds is not None:
                    continue
                lasting = isinstance(refusal, (InputInvalidError, NotFoundError))
                if not lasting and refusal.code not in ("RECORD_OPEN", "TIER_LIMIT_REACHED"):
                    raise
                logger.warning("Stancebook takes no note on %s: %s", record_id, refusal)
            del self._notes[record_id]
            _write(self._notes_path, self._notes)

    def _client(self) -> Stancebook:
        """Few and short attempts, so that a service that is away does not hold up the run."""
        if self._book is None:
            self._book = Stancebook(attempts=2, timeout_seconds=10, most_wait_seconds=10)
        return self._book


def decision_of(
    ticker: str,
    trade_date: str,
    text: str,
    now: datetime,
    *,
    us_venue: str = "NASDAQ",
    model: Optional[str] = None,
) -> Optional[Dict[str, Any]]:
    """The decision that an entry of the memory log states; None without a rating, or without a venue for its ticker.

    data_cutoff is the end of the trade date in UTC, or now where that is earlier: no analysis of a date reads later
    data, so a record of the past is retroactive.
    """
    # The default of parse_rating is Hold: an entry that rates nothing would become a neutral decision.
    rating = parse_rating(text, default="")
    instrument = instrument_of(ticker, us_venue)
    if rating not in DIRECTIONS or instrument is None:
        return None
    end = datetime.strptime(trade_date, "%Y-%m-%d").replace(hour=23, minute=59, second=59, tzinfo=timezone.utc)
    summary = _shown(text)[:SUMMARY_LENGTH].strip()
    return {
        **instrument,
        "direction": DIRECTIONS[rating],
        "horizon_kind": "trading_days",
        "horizon_value": TRADING_DAYS,
        "data_cutoff": min(now, end).astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "key_factors": ["TradingAgents rated it %s" % rating],
        "perspective_type": "composite",
        "summary": summary,
        "tags": ["tradingagents"],
        "meta": {"tradingagents": {"ticker": ticker, "trade_date": trade_date, "rating": rating}},
        **({"model": {"id": str(model)[:120]}} if model else {}),
    }


# Yahoo's suffixes, which Stancebook's symbols have too, with venue and quote.
VENUES = {
    **{"HK": ("HKEX", "HKD"), "NS": ("NSE", "INR"), "BO": ("BSE", "INR"), "T": ("TSE", "JPY")},
    **{"KS": ("KRX", "KRW"), "KQ": ("KRX", "KRW"), "TW": ("TWSE", "TWD"), "L": ("LSE", "GBX")},
    **{suffix: ("EURONEXT", "EUR") for suffix in ("PA", "AS", "BR", "LS")},
    **{"DE": ("XETRA", "EUR"), "SW": ("SIX", "CHF"), "TO": ("TSX", "CAD"), "AX": ("ASX", "AUD")},
}


def instrument_of(ticker: str, us_venue: str = "NASDAQ") -> Optional[Dict[str, str]]:
    """The five identity fields of a ticker as Yahoo spells it; None for what no venue of Stancebook trades."""
    symbol = normalize_symbol(ticker)
    base, dash, quote = symbol.rpartition("-")
    if dash and quote in ("USD", "USDT", "USDC", "BTC", "ETH"):
        venue = "BINANCE" if quote in ("USDT", "USDC") else "COINBASE"
        return _instrument("crypto", base, venue, quote)
    stem, dot, suffix = symbol.rpartition(".")
    if dot and suffix in ("SS", "SZ"):
        return _instrument("stock", stem, "SSE" if suffix == "SS" else "SZSE", "CNY")
    if dot and suffix in VENUES:
        return _instrument("stock", symbol, *VENUES[suffix])
    if dot or not symbol.replace("-", "").isalnum():
        return None
    return _instrument("stock", symbol, us_venue, "USD")


def _instrument(market: str, symbol: str, venue: str, quote: str) -> Dict[str, str]:
    return {"market": market, "symbol": symbol, "venue": venue, "asset_class": "spot", "quote_currency": quote}


# What shows as nothing without being a control or format character: fillers, selectors of variants, noncharacters.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U00013430-\U0001343f\U00016fe4\U0001d159\U000e0000-\U000e0fff"
    + "".join("%c%c" % (plane | 0xFFFE, plane | 0xFFFF) for plane in range(0, 0x110000, 0x10000))
    + "]"
)


def _shown(text: str) -> str:
    """The text without characters that do not show, which Stancebook refuses: models copy them from pages."""
    text = _BLANK.sub("", text.replace("\u2028", "\n").replace("\u2029", "\n"))
    return "".join(sign for sign in text if sign in "\t\n\r" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs"))


def _read(path: Optional[str]) -> Dict[str, str]:
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return dict(json.load(file))


def _write(path: Optional[str], texts: Mapping[str, str]) -> None:
    if not path:
        return
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        json.dump(texts, file, indent=1)
    os.replace(path + ".tmp", path)


def _name_of(ticker: str, trade_date: str) -> str:
    return "%s %s" % (trade_date, ticker)


def _guarded(what: str, work: Callable[[], Any]) -> Any:
    """What the work returns; None, with a warning, where it fails in any way."""
    try:
        return work()
    except Exception as fault:  # noqa: BLE001: a fault of ours must not end a run of theirs.
        logger.warning("Stancebook could not %s; the run goes on without it: %s", what, fault)
        return None


def main(arguments: List[str]) -> int:
    if len(arguments) != 2 or arguments[0] != "import":
        print("Usage: tradingagents_stancebook.py import MEMORY_LOG", file=sys.stderr)
        return 2
    try:
        counts = StancebookMemoryLog({"memory_log_path": arguments[1]}, Stancebook()).import_entries()
    except StancebookError as fault:
        print("stancebook: %s" % fault, file=sys.stderr)
        return 1
    print(", ".join("%d %s" % (count, name) for name, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
