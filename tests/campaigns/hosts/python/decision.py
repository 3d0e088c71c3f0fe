"""What each script submits: a decision about the past hour."""

from datetime import datetime, timedelta, timezone

DECISION = {
    "market": "stock",
    "symbol": "MSFT",
    "venue": "NASDAQ",
    "asset_class": "spot",
    "quote_currency": "USD",
    "direction": "bullish",
    "horizon_kind": "trading_days",
    "horizon_value": 5,
    "data_cutoff": (datetime.now(timezone.utc) - timedelta(minutes=5)).isoformat(timespec="seconds"),
    "key_factors": [{"factor": "Margins of the cloud"}],
}
