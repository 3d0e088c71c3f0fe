"""Runs an integration on stand-ins of its packages against a service, where pip cannot install the packages.

The stand-ins have the signatures that docs/integrations.md names, and send what the packages would send. It prints the
report that the scripts of the real packages print. Usage: stand_ins.py NAME
"""

import asyncio
import json
import sys
import tempfile
import time
import types
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

from decision import DECISION
from stancebook import Stancebook, StancebookError

QUERY = {"market": "stock", "symbol": "MSFT"}
TOOLS = {"recall", "find_instrument", "submit_decision", "get_decision_state", "add_note"}
#: The decisions of LEAN and TradingAgents are about the past, so that they are graded at once.
DAY = datetime(2003, 2, 13, 14, 0)
LESSON = "No split moves a price"


def stand_in(module, **members):
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        sys.modules.setdefault(name, types.ModuleType(name))
    vars(sys.modules[module]).update(members)


def sent(url, headers, method, params):
    """The result of one message of the protocol. Raises OSError for a refusal by status."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    own = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with urllib.request.urlopen(urllib.request.Request(url, body, {**own, **headers}), timeout=10) as reply:
        text = reply.read().decode()
    events = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return json.loads(events[0] if events else text)["result"]


def tools_of(url, headers, is_allowed=lambda name: True):
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "stand-in", "version": "1"}}
    sent(url, headers, "initialize", client)
    return [each["name"] for each in sent(url, headers, "tools/list", {})["tools"] if is_allowed(each["name"])]


def called(url, headers, name, arguments):
    return sent(url, headers, "tools/call", {"name": name, "arguments": arguments})


def report_of(tools, recalled, submit, recalled_again):
    """tools: names, none where there is no server. submit: gives the text of the reply to a decision."""
    replies = [submit({**DECISION, **each}) for each in ({}, {"direction": "up"})] if tools else ["", ""]
    return {
        "servers": 1 if tools else 0,
        "end": "done" if not tools or set(tools) == TOOLS else str(tools),
        "recalled": "Own record of stock MSFT" in recalled,
        "submitted": '"record_id"' in replies[0],
        "refused": "direction" in replies[1] and "bullish" in replies[1],
        "recalled again": "bullish" in recalled_again(),
    }


def openai_agents():
    class Server:
        def __init__(
            self, params, cache_tools_list=False, name=None, client_session_timeout_seconds=5, tool_filter=None
        ):
            self.params, self.tool_filter = params, tool_filter

        async def connect(self):
            allowed = self.tool_filter["allowed_tool_names"]
            self.tools = tools_of(self.params["url"], self.params["headers"], lambda name: name in allowed)

        async def call_tool(self, name, arguments):
            result = called(self.params["url"], self.params["headers"], name, arguments)
            return SimpleNamespace(structured_content=result.get("structuredContent"), content=result["content"])

    class Manager:
        def __init__(self, servers, *, connect_timeout_seconds=10.0, drop_failed_servers=True):
            self.servers, self.active_servers, self.errors = servers, [], {}

        async def __aenter__(self):
            for server in self.servers:
                try:
                    await server.connect()
                    self.active_servers.append(server)
                except OSError as fault:
                    self.errors[server] = fault
            return self

        async def __aexit__(self, *_):
            return None

    stand_in(
        "agents.mcp",
        MCPServer=Server,
        MCPServerManager=Manager,
        MCPServerStreamableHttp=Server,
        create_static_tool_filter=lambda allowed_tool_names=None: {"allowed_tool_names": allowed_tool_names},
    )
    from openai_agents_stancebook import recall_text, stancebook_servers

    async def run():
        async with stancebook_servers() as servers:
            recalled, replies = await recall_text(servers, **QUERY), []
            for decision in (DECISION, {**DECISION, "direction": "up"}) if servers else ():
                reply = await servers[0].call_tool("submit_decision", {"decision": decision})
                replies.append(reply.content[0]["text"])
            after = await recall_text(servers, **QUERY)
            return report_of(servers and servers[0].tools, recalled, lambda _: replies.pop(0), lambda: after)

    return asyncio.run(run())


def langgraph():
    class Tool:
        def __init__(self, name, connection, interceptor):
            self.name, self.connection, self.interceptor = name, connection, interceptor

        async def ainvoke(self, arguments):
            async def handler(request):
                result = called(self.connection["url"], self.connection["headers"], request.name, request.args)
                content = [Content(type="text", text=each["text"]) for each in result["content"]]
                return Content(content=content, isError=result.get("isError", False))

            result = await self.interceptor(SimpleNamespace(name=self.name, args=arguments), handler)
            return [{"type": "text", "text": each.text} for each in result.content]

    class Client:
        def __init__(self, connections=None, *, tool_interceptors=None):
            self.connections, self.interceptor = connections, tool_interceptors[0]

        async def get_tools(self):
            connection = self.connections["stancebook"]
            names = tools_of(connection["url"], connection["headers"])
            return [Tool(name, connection, self.interceptor) for name in names]

    class Content(SimpleNamespace):
        pass

    stand_in("langchain_core.tools", BaseTool=Tool)
    stand_in("langchain_mcp_adapters.client", MultiServerMCPClient=Client)
    stand_in("langchain_mcp_adapters.interceptors", MCPToolCallRequest=SimpleNamespace)
    stand_in("mcp.types", CallToolResult=Content, TextContent=Content)
    from langgraph_stancebook import recall_text, stancebook_tools

    tools = asyncio.run(stancebook_tools())
    recall = lambda: asyncio.run(recall_text(tools, **QUERY))  # noqa: E731

    def submit(decision):
        tool = next(each for each in tools if each.name == "submit_decision")
        return asyncio.run(tool.ainvoke({"decision": decision}))[0]["text"]

    return report_of([tool.name for tool in tools], recall(), submit, recall)


def crewai():
    class Server(SimpleNamespace):
        pass

    def static_filter(allowed_tool_names=None):
        return lambda tool: tool["name"] in allowed_tool_names

    stand_in("crewai.mcp", MCPServerHTTP=Server, create_static_tool_filter=static_filter)
    from crewai_stancebook import recall_text, stancebook_servers

    servers = stancebook_servers()
    tools = [tools_of(each.url, each.headers, lambda name: each.tool_filter({"name": name})) for each in servers]

    def submit(decision):
        reply = called(servers[0].url, servers[0].headers, "submit_decision", {"decision": decision})
        return reply["content"][0]["text"]

    return report_of(tools and tools[0], recall_text(**QUERY), submit, lambda: recall_text(**QUERY))


def freqtrade():
    stand_in("freqtrade.strategy", timeframe_to_minutes=lambda timeframe: {"5m": 5}[timeframe])
    import freqtrade_stancebook

    class IStrategy:
        timeframe = "5m"

        def __init__(self, config):
            self.config = config

        def get_entry_signal(self, pair, timeframe, dataframe):
            # freqtrade's rule: an exit on the same candle cancels the entry.
            return (None, None) if pair == "ETH/USDT" else (SimpleNamespace(value="long"), "close above mean")

    class MyStrategy(freqtrade_stancebook.StancebookMixin, IStrategy):
        stancebook_horizon = ("holding_seconds", 14400)

    def stated(mode):
        strategy = MyStrategy({"exchange": {"name": "binance"}})
        strategy.dp = SimpleNamespace(runmode=SimpleNamespace(value=mode))
        opened = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(minutes=6)
        candle = {"date": SimpleNamespace(to_pydatetime=lambda: opened), "close": 100.5}
        for pair in ("BTC/USDT", "ETH/USDT"):
            strategy.state_entries(SimpleNamespace(iloc={-1: candle}), {"pair": pair})
        freqtrade_stancebook._sender.submit(lambda: None).result()
        return list(strategy.recalled)

    pairs = [stated(mode) for mode in ("backtest", "hyperopt", "dry_run")]
    recall = recalled({"market": "crypto", "symbol": "BTC"})
    return {
        "servers": 1 if recall else 0,
        "end": "done" if pairs == [[], [], ["BTC/USDT"]] else str(pairs),
        "recalled": recall != "",
        "submitted": "close above mean" in recall,
        "refused": recall != "",
        "recalled again": "bullish" in recall,
    }


def lean():
    from lean_stancebook import InsightReporter

    symbol = SimpleNamespace(value="MSFT", id=SimpleNamespace(market="usa"), security_type="SecurityType.EQUITY")
    insight = SimpleNamespace(
        id=uuid.uuid4(),
        group_id=None,
        source_model="MomentumAlphaModel",
        generated_time_utc=DAY,
        close_time_utc=DAY + timedelta(7),
        symbol=symbol,
        type="InsightType.PRICE",
        reference_value=46.41,
        direction="InsightDirection.UP",
        magnitude=0.025,
        confidence=0.7,
        weight=None,
        tag="Split announced",
    )
    algorithm = SimpleNamespace(live_mode=True, utc_time=DAY)
    reporter = InsightReporter()
    first = reporter.recall(algorithm, symbol, direction="InsightDirection.UP", period=timedelta(7)).get("text", "")
    reporter.on_insights_generated(algorithm, SimpleNamespace(insights=[insight]))
    inputs = [(each["kind"], each["name"]) for each in first and graded().get("inputs") or []]
    reporter.note_outcomes(lambda record: LESSON)
    reporter.close()
    again = reporter.recall(algorithm, symbol).get("text", "")
    counts = {"submitted": 1, "left out": 0, "refused": 0, "lost": 0, "noted": 1}
    if not first:
        counts.update(submitted=0, refused=1, noted=0)
    return noted_report(first, again, reporter.counts == counts and inputs == ([("data", "recall")] if first else []))


def tradingagents():
    from tradingagents_stancebook import StancebookMemoryLog

    log = StancebookMemoryLog({"memory_log_path": str(Path(tempfile.mkdtemp()) / "memory.md")})
    first = log.get_past_context("MSFT")
    log.store_decision("MSFT", DAY.date().isoformat(), "**Rating**: Buy\n\nSplit announced.")
    # The first outcome may come before the grade, so that its note waits for the next run.
    log.update_with_outcome("MSFT", DAY.date().isoformat(), 0.043, 0.02, 5, LESSON)
    if "Own record" in first:
        graded()
    again = log.get_past_context("MSFT")
    return noted_report(first, again, log.updates[0]["reflection"].startswith(LESSON) and log._notes == {})


def noted_report(first, again, as_expected):
    return {
        "servers": 1 if "Own record" in first else 0,
        "end": "done" if as_expected else "otherwise",
        "recalled": "Own record of stock MSFT" in first,
        "submitted": "bullish" in again,
        "noted": LESSON in again,
        "recalled again": "1 of 1" in again or "Closed, 1" in again,
    }


def graded():
    """The one record of the account, once it has an outcome; {} after a minute without one."""
    book = Stancebook()
    for _ in range(60):
        for item in book.list({"lifecycle_state": "evaluated"}):
            return book.decision(item["record_id"])
        time.sleep(1)
    return {}


def recalled(query):
    try:
        return Stancebook(attempts=1).recall(query)["text"]
    except StancebookError:
        return ""


print(json.dumps({"version": "stand-ins", **globals()[sys.argv[1].replace("-", "_")]()}))
