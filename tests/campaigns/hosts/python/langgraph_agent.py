"""A graph of LangGraph whose model is a script: it recalls, submits a decision and sees a refusal."""

import asyncio
import json
from importlib.metadata import version

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from decision import DECISION
from langgraph_stancebook import recall_text, stancebook_tools

QUERY = {"market": "stock", "symbol": "MSFT"}
WRONG = {"decision": {**DECISION, "direction": "up"}}
CALLS = [("recall", QUERY), ("submit_decision", {"decision": DECISION}), ("submit_decision", WRONG)]


def graph_of(tools, calls):
    turns = iter(calls)

    def model(_):
        name, arguments = next(turns, (None, None)) if tools else (None, None)
        if name is None:
            return {"messages": [AIMessage("done")]}
        call = {"name": name, "args": arguments, "id": "call_" + name, "type": "tool_call"}
        return {"messages": [AIMessage("", tool_calls=[call])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", model)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    graph.add_edge("tools", "model")
    return graph.compile()


async def main():
    tools = await stancebook_tools()
    recall = await recall_text(tools, **QUERY)
    result = await graph_of(tools, CALLS).ainvoke({"messages": [HumanMessage("Decide on MSFT. " + recall)]})
    outputs = [str(each.content) for each in result["messages"] if each.type == "tool"]
    after = await recall_text(tools, **QUERY)
    report = {
        "version": "%s, %s" % (version("langgraph"), version("langchain-mcp-adapters")),
        "servers": 1 if tools else 0,
        "end": result["messages"][-1].content,
        "recalled": "Own record of stock MSFT" in recall,
        "submitted": any('"record_id":' in each for each in outputs),
        "refused": any("direction" in each and "bullish" in each for each in outputs[2:]),
        "recalled again": "bullish" in after,
    }
    print(json.dumps(report))


asyncio.run(main())
