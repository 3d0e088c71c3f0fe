"""Gives an agent of LangGraph its record in a Stancebook, by the Model Context Protocol.

Run with langgraph 1.2.12 and langchain-mcp-adapters 0.3.2. Put this file next to your program:

    from langgraph_stancebook import INSTRUCTIONS, recall_text, stancebook_tools

    tools = await stancebook_tools()
    recall = await recall_text(tools, market="stock", symbol="MSFT")
    agent = create_agent(model, tools, system_prompt=INSTRUCTIONS + recall)

Where Stancebook cannot be reached there are no tools and no recall, and a warning in the log; the agent runs without
it. A tool call that fails later is a text for the model. The address and the key: STANCEBOOK_URL, STANCEBOOK_API_KEY.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from datetime import timedelta
from typing import Any, List, Sequence

from langchain_core.tools import BaseTool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.interceptors import MCPToolCallRequest
from mcp.types import CallToolResult, TextContent

logger = logging.getLogger(__name__)

#: The tools that the loop needs: read the record, decide, look at the outcome, write down what it taught.
TOOLS = ("recall", "find_instrument", "submit_decision", "get_decision_state", "add_note")
#: For the system prompt of an agent.
INSTRUCTIONS = (
    "Call recall on a security before you decide on it. State each decision with submit_decision: data_cutoff is the"
    " time of the newest data that you read. Once a decision of yours is closed, write what it taught with add_note."
    "\n\n"
)
#: How long a run waits for the service at most, each time.
TIMEOUT = timedelta(seconds=10)
#: Attempts of a call that a rate limit refuses, and the seconds between them.
ATTEMPTS, PAUSE_SECONDS = 3, 2.0


async def stancebook_tools(names: Sequence[str] = TOOLS) -> List[BaseTool]:
    """The tools of these names; none where the service cannot be reached."""
    connection = {
        "transport": "http",
        "url": os.environ.get("STANCEBOOK_URL", "").rstrip("/") + "/mcp",
        "headers": {"X-API-Key": os.environ.get("STANCEBOOK_API_KEY", "")},
        "timeout": TIMEOUT,
        "sse_read_timeout": TIMEOUT,
    }
    client = MultiServerMCPClient({"stancebook": connection}, tool_interceptors=[_failure_as_text])
    try:
        return [tool for tool in await client.get_tools() if tool.name in names]
    except Exception as fault:  # noqa: BLE001: a fault of ours must not end a run of theirs.
        logger.warning("Stancebook cannot be reached; the agent runs without it: %s", _root_of(fault))
        return []


async def recall_text(tools: Sequence[BaseTool], **query: Any) -> str:
    """The text of `recall` for a prompt (market, symbol, direction, horizon_kind, ...); "" where there is none."""
    for tool in tools:
        if tool.name == "recall":
            content = await tool.ainvoke(query)
            texts = [content] if isinstance(content, str) else [block.get("text", "") for block in content]
            return _recalled("".join(texts))
    return ""


def _recalled(text: str) -> str:
    """The reply is the text itself; a refusal is an object, which is no record."""
    try:
        reply = json.loads(text)
    except ValueError:
        return text
    return str(reply.get("text", "")) if isinstance(reply, dict) else ""


async def _failure_as_text(request: MCPToolCallRequest, handler: Any) -> Any:
    """The adapters raise what goes wrong on the way, which would end the graph.

    Each call has a session of its own there, which is three requests, so that calls one after the other get a 429.
    """
    fault: Any = None
    for _ in range(ATTEMPTS):
        try:
            result = await handler(request)
            if "RATE_LIMIT_EXCEEDED" not in str(getattr(result, "content", "")):
                return result
            fault = "its rate limit"
        except Exception as error:  # noqa: BLE001: a fault of ours must not end a run of theirs.
            fault = _root_of(error)
            if getattr(getattr(fault, "response", None), "status_code", None) != 429:
                break
        await asyncio.sleep(PAUSE_SECONDS)
    logger.warning("Stancebook did not answer %s; the agent runs without it: %s", request.name, fault)
    text = json.dumps({"error": "Stancebook did not answer (%s). Go on without it." % fault})
    return CallToolResult(content=[TextContent(type="text", text=text)], isError=True)


def _root_of(fault: BaseException) -> BaseException:
    """The first fault in a group of them, whose own text says nothing."""
    while getattr(fault, "exceptions", None):
        fault = fault.exceptions[0]  # type: ignore[attr-defined]
    return fault
