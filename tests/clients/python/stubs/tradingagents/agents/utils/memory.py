"""A stand-in for TradingAgents 0.3.0 with the signatures and the file format of its memory log, and nothing else."""

from __future__ import annotations

from pathlib import Path

END = "\n\n<!-- ENTRY_END -->\n\n"


class TradingMemoryLog:
    def __init__(self, config: dict = None):
        path = (config or {}).get("memory_log_path")
        self._log_path = Path(path) if path else None
        self.updates = []

    def store_decision(self, ticker: str, trade_date: str, final_trade_decision: str) -> None:
        if self._log_path:
            with open(self._log_path, "a", encoding="utf-8") as file:
                file.write("[%s | %s | Hold | pending]\n\nDECISION:\n%s%s" % (trade_date, ticker, final_trade_decision, END))

    def load_entries(self) -> list[dict]:
        if not self._log_path or not self._log_path.exists():
            return []
        blocks = self._log_path.read_text(encoding="utf-8").split(END)
        return [self._entry(block.strip()) for block in blocks if block.strip()]

    def get_past_context(self, ticker: str, n_same: int = 5, n_cross: int = 3) -> str:
        return "Past analyses of %s" % ticker

    def update_with_outcome(
        self,
        ticker: str,
        trade_date: str,
        raw_return: float,
        alpha_return: float,
        holding_days: int,
        reflection: str,
    ) -> None:
        self.updates.append({"ticker": ticker, "trade_date": trade_date, "reflection": reflection})

    def batch_update_with_outcomes(self, updates: list[dict]) -> None:
        self.updates += [{name: each[name] for name in ("ticker", "trade_date", "reflection")} for each in updates]

    def _entry(self, block: str) -> dict:
        tag, _, body = block.partition("\n")
        date, ticker, rating, outcome = [each.strip() for each in tag.strip("[]").split("|")][:4]
        decision = body.partition("DECISION:\n")[2].partition("\nREFLECTION:")[0].strip()
        return {"date": date, "ticker": ticker, "rating": rating, "pending": outcome == "pending", "decision": decision}
