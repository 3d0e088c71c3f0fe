"""Gives an agent of CrewAI its record in a Stancebook, by the Model Context Protocol.

Read against CrewAI 1.15.17 (commit f4731f50): `Agent.mcps`, `MCPServerHTTP`, `MCPToolResolver`. Put this file and
stancebook.py next to your program:

    from crewai_stancebook import INSTRUCTIONS, recall_text, stancebook_servers

    recall = recall_text(market="stock", symbol="MSFT")
    agent = Agent(role="analyst", goal="Decide on MSFT.", backstory=INSTRUCTIONS + recall, mcps=stancebook_servers())

Where Stancebook cannot be reached there is no server and no recall, and a warning in the log; the crew runs without it.
CrewAI itself would end the run: it raises an error for a server of `mcps` that does not answer.
"""

from __future__ import annotations

import logging
import os
from typing import Any, List, Sequence

from crewai.mcp import MCPServerHTTP, create_static_tool_filter
from stancebook import Stancebook

logger = logging.getLogger(__name__)

#: The tools that the loop needs: read the record, decide, look at the outcome, write down what it taught.
TOOLS = ("recall", "find_instrument", "submit_decision", "get_decision_state", "add_note")
#: For the backstory of an agent. CrewAI puts the address of the server before the names of its tools.
INSTRUCTIONS = (
    "Call recall on a security before you decide on it. State each decision with submit_decision: data_cutoff is the"
    " time of the newest data that you read. Once a decision of yours is closed, write what it taught with add_note."
    "\n\n"
)


def stancebook_servers(tools: Sequence[str] = TOOLS) -> List[MCPServerHTTP]:
    """A list with the server for `mcps`; an empty one where it cannot be reached or refuses the key."""
    try:
        book = _client()
        book.limits()
        return [
            MCPServerHTTP(
                url=book.url + "/mcp",
                headers={"X-API-Key": os.environ.get("STANCEBOOK_API_KEY", "")},
                tool_filter=create_static_tool_filter(allowed_tool_names=list(tools)),
                cache_tools_list=True,
            )
        ]
    except Exception as fault:  # noqa: BLE001: a fault of ours must not end a run of theirs.
        logger.warning("Stancebook cannot be reached; the crew runs without it: %s", fault)
        return []


def recall_text(**query: Any) -> str:
    """The text of `recall` for a prompt (market, symbol, direction, horizon_kind, ...); "" where there is none."""
    try:
        return str(_client().recall(query)["text"])
    except Exception as fault:  # noqa: BLE001: a fault of ours must not end a run of theirs.
        logger.warning("Stancebook gave no recall; the crew runs without it: %s", fault)
        return ""


def _client() -> Stancebook:
    """Few and short attempts, so that a service that is away does not hold up the run."""
    return Stancebook(attempts=2, timeout_seconds=10, most_wait_seconds=10)
