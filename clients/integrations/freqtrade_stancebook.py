"""Records the entry signals of a freqtrade strategy in a Stancebook, in dry-run and live, never in back-tests.

Read against freqtrade 2024.10-dev (commit c9ae5e1e): `IStrategy`, `DataProvider.runmode`, `StrategyResolver`. Put this
file and stancebook.py next to your strategy:

    from freqtrade_stancebook import StancebookMixin

    class MyStrategy(StancebookMixin, IStrategy):
        stancebook_horizon = ("holding_seconds", 4 * 3600)

        def populate_exit_trend(self, dataframe, metadata):
            ...
            return self.state_entries(dataframe, metadata)

Nothing that goes wrong here raises an error in the strategy. Recall is read before a signal is stated, for 5 seconds at
most, and is in `self.recalled[pair]` for `confirm_trade_entry`. A thread of its own sends the decision.
"""

from __future__ import annotations

import hashlib
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, Mapping, Optional, Tuple

from freqtrade.strategy import timeframe_to_minutes
from stancebook import ConnectionFailedError, Stancebook

logger = logging.getLogger(__name__)

#: freqtrade's names of exchanges, with the venue of each.
VENUES: Mapping[str, str] = {name: name.upper() for name in ("binance", "bybit", "coinbase", "kraken", "okx")}
DIRECTIONS: Mapping[str, str] = {"long": "bullish", "short": "bearish"}
#: Characters of a factor: half of what the service accepts, because it counts some characters twice.
FACTOR_LENGTH = 140
#: Seconds without requests after one that found no service, so that no candle waits for it again and again.
PAUSE_SECONDS = 300

_sender = ThreadPoolExecutor(1, "stancebook")


class StancebookMixin:
    """Before IStrategy among the bases of a strategy."""

    #: The rule for the horizon of every entry, such as ("holding_seconds", 14400). Without it nothing is stated.
    stancebook_horizon: Optional[Tuple[str, int]] = None
    #: The venue, where freqtrade's name of the exchange is not in VENUES.
    stancebook_venue: Optional[str] = None

    def __init__(self, config: Dict[str, Any]) -> None:
        super().__init__(config)  # type: ignore[call-arg]
        #: The last reply of recall for each pair: `text`, `counts`, `closed` and so on.
        self.recalled: Dict[str, Dict[str, Any]] = {}
        self._stated: Dict[str, str] = {}
        self._paused_until = 0.0
        self._book: Optional[Stancebook] = None

    def entry_reason(self, pair: str, side: str, tag: Optional[str], recall: Mapping[str, Any]) -> str:
        """The summary of a statement, for the owner alone; override it. recall: {} where it could not be read."""
        return ""

    def state_entries(self, dataframe: Any, metadata: Mapping[str, Any]) -> Any:
        """States the entry signal of the newest candle, if there is one, and returns the dataframe as it is.

        The last line of `populate_exit_trend`: there freqtrade's own rule can say that an exit cancels the entry.
        """
        try:
            if getattr(getattr(getattr(self, "dp", None), "runmode", None), "value", None) in ("live", "dry_run"):
                self._state_entry(dataframe, str(metadata["pair"]))
        except Exception as fault:  # noqa: BLE001: a fault of ours must not end a run of theirs.
            self._warn(fault)
        return dataframe

    def _state_entry(self, dataframe: Any, pair: str) -> None:
        signal, tag = self.get_entry_signal(pair, self.timeframe, dataframe)  # type: ignore[attr-defined]
        side = str(getattr(signal, "value", signal))
        newest = dataframe.iloc[-1]
        decision = self._decision_of(pair, side, tag or None, newest["date"].to_pydatetime(), float(newest["close"]))
        seed = repr((type(self).__name__, pair, side, newest["date"])).encode()
        key = "freqtrade-" + hashlib.sha256(seed).hexdigest()
        if decision is None or self._stated.get(pair) == key or time.monotonic() < self._paused_until:
            return
        self._stated[pair] = key
        query = {name: decision[name] for name in ("market", "symbol", "direction", "horizon_kind", "horizon_value")}
        recall = self._guarded(lambda: self._client().recall(query)) or {}
        self.recalled[pair] = recall
        reason = self.entry_reason(pair, side, tag or None, recall).strip()
        if recall:
            decision["inputs"] = [{"kind": "data", "name": "recall", "sha256": recall["sha256"]}]
        if reason:
            decision["summary"] = reason[:2000]
        _sender.submit(self._guarded, lambda: self._client().submit(decision, idempotency_key=key))

    def _decision_of(
        self, pair: str, side: str, tag: Optional[str], opened: datetime, close: float
    ) -> Optional[Dict[str, Any]]:
        exchange = self.config["exchange"]["name"]  # type: ignore[attr-defined]
        venue = self.stancebook_venue or VENUES.get(exchange)
        base, _, rest = pair.partition("/")
        quote, _, settled = rest.partition(":")
        if side not in DIRECTIONS or settled not in ("", quote):
            return None
        if venue is None or self.stancebook_horizon is None:
            raise ValueError("set stancebook_horizon, and stancebook_venue for the exchange %s" % exchange)
        timeframe = self.timeframe  # type: ignore[attr-defined]
        # The date of a candle is its open. What the strategy read is the candle until its close.
        closed = opened + timedelta(minutes=timeframe_to_minutes(timeframe))
        facts = {"strategy": type(self).__name__, "pair": pair, "timeframe": timeframe, "candle": opened.isoformat()}
        instrument = {"market": "crypto", "symbol": base, "venue": venue, "quote_currency": quote}
        return {
            **instrument,
            "asset_class": "perp" if settled else "spot",
            "direction": DIRECTIONS[side],
            "horizon_kind": self.stancebook_horizon[0],
            "horizon_value": self.stancebook_horizon[1],
            "data_cutoff": min(closed, datetime.now(timezone.utc)).isoformat(timespec="seconds"),
            "reference_price": close,
            "key_factors": [tag[:FACTOR_LENGTH]] if tag else [],
            "perspective_type": "technical",
            "tags": ["freqtrade"],
            "meta": {"freqtrade": {**facts, "mode": self.dp.runmode.value}},  # type: ignore[attr-defined]
        }

    def _guarded(self, work: Any) -> Any:
        """What the work returns; None, with a warning, where it fails in any way."""
        try:
            return work()
        except Exception as fault:  # noqa: BLE001: a fault of ours must not end a run of theirs.
            if isinstance(fault, ConnectionFailedError):
                self._paused_until = time.monotonic() + PAUSE_SECONDS
            self._warn(fault)
            return None

    def _client(self) -> Stancebook:
        """One short attempt: recall is read while freqtrade looks at its pairs."""
        if self._book is None:
            self._book = Stancebook(attempts=1, timeout_seconds=5)
        return self._book

    @staticmethod
    def _warn(fault: Exception) -> None:
        logger.warning("Stancebook did not record an entry signal; the strategy goes on without it: %s", fault)
