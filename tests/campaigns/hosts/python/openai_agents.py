"""An agent of the OpenAI Agents SDK whose model is a script: it recalls, submits a decision and sees a refusal."""

import asyncio
import json
from importlib.metadata import version

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from decision import DECISION
from openai_agents_stancebook import INSTRUCTIONS, recall_text, stancebook_servers


class ScriptedModel(Model):
    """Calls one tool in each turn, then ends. What it read is in `read`."""

    def __init__(self, calls):
        self.calls, self.read = list(calls), []

    async def get_response(self, system_instructions, input, model_settings, tools, *_, **__):
        self.read = [system_instructions, input, [tool.name for tool in tools]]
        if self.calls and tools:
            name, arguments = self.calls.pop(0)
            fields = {"call_id": "call_%d" % len(self.calls), "name": name, "arguments": json.dumps(arguments)}
            output = ResponseFunctionToolCall(type="function_call", **fields)
        else:
            text = ResponseOutputText(type="output_text", text="done", annotations=[])
            fields = {"id": "m", "status": "completed", "role": "assistant", "content": [text]}
            output = ResponseOutputMessage(type="message", **fields)
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


async def main():
    set_tracing_disabled(True)
    query = {"market": "stock", "symbol": "MSFT"}
    wrong = {"decision": {**DECISION, "direction": "up"}}
    model = ScriptedModel([("recall", query), ("submit_decision", {"decision": DECISION}), ("submit_decision", wrong)])
    async with stancebook_servers() as servers:
        recall = await recall_text(servers, **query)
        agent = Agent(name="analyst", instructions=INSTRUCTIONS + recall, model=model, mcp_servers=servers)
        result = await Runner.run(agent, "Decide on MSFT.")
        after = await recall_text(servers, **query)
    outputs = [str(item.output) for item in result.new_items if item.type == "tool_call_output_item"]
    report = {
        "version": version("openai-agents"),
        "servers": len(servers),
        "end": result.final_output,
        "recalled": "Own record of stock MSFT" in model.read[0],
        "submitted": any('"record_id":' in each for each in outputs),
        "refused": any("direction" in each and "bullish" in each for each in outputs[2:]),
        "recalled again": "bullish" in after,
    }
    print(json.dumps(report))


asyncio.run(main())
