"""A stand-in for TradingAgents 0.3.0: Yahoo's spelling of the symbols of the tests."""

SPELLINGS = {"BTCUSDT": "BTC-USD", "XAUUSD": "GC=F", "SPX500": "^GSPC", "EURUSD": "EURUSD=X"}


def normalize_symbol(raw: str) -> str:
    return SPELLINGS.get(raw.strip().upper(), raw.strip().upper())
