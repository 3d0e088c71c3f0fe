"""Calls the integrations by MCP and that of freqtrade on stand-ins of their packages, and prints what they did.

Each stand-in has the signatures of the version that docs/integrations.md names.
"""

import asyncio
import json
import logging
import sys
import types
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace


def stand_in(module, **members):
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        sys.modules.setdefault(name, types.ModuleType(name))
    vars(sys.modules[module]).update(members)


class Seen:
    """Anything that is made with keywords, and shows them."""

    def __init__(self, *args, **keywords):
        self.args, self.keywords = args, keywords


def freqtrade(given):
    stand_in("freqtrade.strategy", timeframe_to_minutes=lambda timeframe: {"5m": 5, "4h": 240}[timeframe])
    import freqtrade_stancebook

    class IStrategy:
        timeframe = given.get("timeframe", "5m")

        def __init__(self, config):
            self.config = config

        def get_entry_signal(self, pair, timeframe, dataframe):
            if "fault" in given:
                raise KeyError(given["fault"])
            side = given.get("side", "long")
            return (side and SimpleNamespace(value=side)), given.get("tag", "close above mean")

    class MyStrategy(freqtrade_stancebook.StancebookMixin, IStrategy):
        stancebook_horizon = tuple(given.get("horizon", ["holding_seconds", 14400])) or None

        def entry_reason(self, pair, side, tag, recall):
            return given.get("reason", "") and "%s %s" % (given["reason"], recall.get("text", "nothing"))

    bodies, submit = [], freqtrade_stancebook.Stancebook.submit

    def recording_submit(book, decision, **keywords):
        bodies.append(decision)
        return submit(book, decision, **keywords)

    freqtrade_stancebook.Stancebook.submit = recording_submit
    strategy = MyStrategy({"exchange": {"name": given.get("exchange", "binance")}})
    if "mode" in given:
        strategy.dp = SimpleNamespace(runmode=SimpleNamespace(value=given["mode"]))
    opened = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(minutes=given.get("minutes", 7))
    candle = {"date": SimpleNamespace(to_pydatetime=lambda: opened), "close": 100.5}
    dataframe = SimpleNamespace(iloc={-1: candle})
    returned = [strategy.state_entries(dataframe, {"pair": pair}) for pair in given.get("pairs", ["BTC/USDT"])]
    freqtrade_stancebook._sender.shutdown(wait=True)
    same = all(each is dataframe for each in returned)
    return {"same": same, "recalled": strategy.recalled, "opened": opened.isoformat(), "bodies": bodies}


def openai_agents(given):
    class Manager:
        def __init__(self, servers, *, connect_timeout_seconds, drop_failed_servers):
            self.active_servers = [] if given.get("away") else servers
            self.errors = {servers[0]: OSError("refused")} if given.get("away") else {}

        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            return None

    class Server(Seen):
        async def call_tool(self, name, arguments):
            if "fault" in given:
                raise OSError(given["fault"])
            return SimpleNamespace(structured_content={"text": "%s %s" % (name, arguments["symbol"])})

    stand_in(
        "agents.mcp",
        MCPServer=object,
        MCPServerManager=Manager,
        MCPServerStreamableHttp=Server,
        create_static_tool_filter=lambda allowed_tool_names: {"allowed_tool_names": allowed_tool_names},
    )
    from openai_agents_stancebook import recall_text, stancebook_servers

    async def run():
        async with stancebook_servers() as servers:
            text = await recall_text(servers, market="stock", symbol="MSFT")
            return {"servers": [server.keywords for server in servers], "recall": text}

    return asyncio.run(run())


def langgraph(given):
    class Tool(SimpleNamespace):
        async def ainvoke(self, query):
            request = SimpleNamespace(name=self.name)
            result = await self.interceptor(request, handler)
            return [{"type": "text", "text": result.content[0].text}]

    replies = list(given.get("replies", []))

    async def handler(request):
        reply = replies.pop(0)
        if isinstance(reply, int):
            fault = OSError("status %d" % reply)
            fault.response = SimpleNamespace(status_code=reply)
            group = Exception("unhandled errors in a TaskGroup")
            group.exceptions = [fault]
            raise group
        return SimpleNamespace(content=[SimpleNamespace(text=reply)])

    class Client:
        def __init__(self, connections, *, tool_interceptors):
            self.connections, self.interceptor = connections, tool_interceptors[0]

        async def get_tools(self):
            if given.get("away"):
                raise OSError("refused")
            connection = self.connections["stancebook"]
            seen.update({name: connection[name] for name in ("transport", "url", "headers")})
            return [Tool(name=name, interceptor=self.interceptor) for name in ("recall", "submit_decision", "backtest")]

    class Content(SimpleNamespace):
        pass

    seen = {}
    stand_in("langchain_core.tools", BaseTool=object)
    stand_in("langchain_mcp_adapters.client", MultiServerMCPClient=Client)
    stand_in("langchain_mcp_adapters.interceptors", MCPToolCallRequest=object)
    stand_in("mcp.types", CallToolResult=Content, TextContent=Content)
    import langgraph_stancebook

    langgraph_stancebook.PAUSE_SECONDS = 0

    async def run():
        tools = await langgraph_stancebook.stancebook_tools()
        text = await langgraph_stancebook.recall_text(tools, market="stock", symbol="MSFT")
        return {"tools": [tool.name for tool in tools], "recall": text, "left": len(replies), **seen}

    return asyncio.run(run())


def crewai(given):
    stand_in("crewai.mcp", MCPServerHTTP=Seen, create_static_tool_filter=lambda allowed_tool_names: allowed_tool_names)
    from crewai_stancebook import recall_text, stancebook_servers

    servers = [server.keywords for server in stancebook_servers()]
    return {"servers": servers, "recall": recall_text(market="stock", symbol="MSFT")}


logging.basicConfig(level=logging.WARNING)
given = json.load(sys.stdin)
print(json.dumps(globals()[given["integration"]](given)))
