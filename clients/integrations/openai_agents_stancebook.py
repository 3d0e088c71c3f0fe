"""Gives an agent of the OpenAI Agents SDK its record in a Stancebook, by the Model Context Protocol.

Run with openai-agents 0.22.0. Put this file next to your program:

    from openai_agents_stancebook import INSTRUCTIONS, recall_text, stancebook_servers

    async with stancebook_servers() as servers:
        recall = await recall_text(servers, market="stock", symbol="MSFT")
        agent = Agent(name="analyst", instructions=INSTRUCTIONS + recall, mcp_servers=servers)
        await Runner.run(agent, "Decide on MSFT.")

Where Stancebook cannot be reached there is no server and no recall, and a warning in the log; the agent runs without
it. A tool call that fails later is a text for the model. The address and the key: STANCEBOOK_URL, STANCEBOOK_API_KEY.
"""

from __future__ import annotations

import logging
import os
from contextlib import asynccontextmanager
from typing import Any, AsyncIterator, List, Sequence

from agents.mcp import MCPServer, MCPServerManager, MCPServerStreamableHttp, create_static_tool_filter

logger = logging.getLogger(__name__)

#: The tools that the loop needs: read the record, decide, look at the outcome, write down what it taught.
TOOLS = ["recall", "find_instrument", "submit_decision", "get_decision_state", "add_note"]
#: For the instructions of an agent.
INSTRUCTIONS = (
    "Call recall on a security before you decide on it. State each decision with submit_decision: data_cutoff is the"
    " time of the newest data that you read. Once a decision of yours is closed, write what it taught with add_note."
    "\n\n"
)
#: Seconds that a run waits for the service at most, each time.
TIMEOUT = 10.0


@asynccontextmanager
async def stancebook_servers(tools: Sequence[str] = TOOLS) -> AsyncIterator[List[MCPServer]]:
    """A list with the server for `mcp_servers`; an empty one where it cannot be reached."""
    server = MCPServerStreamableHttp(
        name="stancebook",
        params={
            "url": os.environ.get("STANCEBOOK_URL", "").rstrip("/") + "/mcp",
            "headers": {"X-API-Key": os.environ.get("STANCEBOOK_API_KEY", "")},
            "timeout": TIMEOUT,
        },
        cache_tools_list=True,
        client_session_timeout_seconds=TIMEOUT,
        tool_filter=create_static_tool_filter(allowed_tool_names=list(tools)),
    )
    # The manager's own way: a server that fails is dropped, and the others go on.
    async with MCPServerManager([server], connect_timeout_seconds=TIMEOUT, drop_failed_servers=True) as manager:
        for fault in manager.errors.values():
            logger.warning("Stancebook cannot be reached; the agent runs without it: %s", fault)
        yield list(manager.active_servers)


async def recall_text(servers: Sequence[MCPServer], **query: Any) -> str:
    """The text of `recall` for instructions (market, symbol, direction, horizon_kind, ...); "" where there is none."""
    for server in servers:
        try:
            reply = await server.call_tool("recall", query)
            structured = getattr(reply, "structured_content", None) or getattr(reply, "structuredContent", None) or {}
            return str(structured.get("text", ""))
        except Exception as fault:  # noqa: BLE001: a fault of ours must not end a run of theirs.
            logger.warning("Stancebook gave no recall; the agent runs without it: %s", fault)
    return ""
