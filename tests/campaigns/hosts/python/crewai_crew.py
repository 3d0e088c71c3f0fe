"""A crew of CrewAI whose model is a script: it recalls, submits a decision and sees a refusal."""

import json
import re
from importlib.metadata import version

from crewai import Agent, BaseLLM, Crew, Task

from crewai_stancebook import INSTRUCTIONS, recall_text, stancebook_servers
from decision import DECISION

QUERY = {"market": "stock", "symbol": "MSFT"}
# CrewAI itself refuses what the schema of the tool excludes; a venue is judged by the service.
WRONG = {"decision": {**DECISION, "venue": "NOWHERE"}}
CALLS = [("recall", QUERY), ("submit_decision", {"decision": DECISION}), ("submit_decision", WRONG)]


class ScriptedModel(BaseLLM):
    """Calls one tool in each turn in the words of ReAct, then ends. What it read is in READ."""

    def call(self, messages, tools=None, *_, **__):
        READ.append(str(messages))
        if TURNS and TOOL_NAMES:
            name, arguments = TURNS.pop(0)
            tool = next(each for each in TOOL_NAMES if each.endswith(name))
            return "Thought: next.\nAction: %s\nAction Input: %s" % (tool, json.dumps(arguments))
        return "Thought: I know.\nFinal Answer: done"

    def supports_function_calling(self):
        return False


READ, TURNS = [], list(CALLS)
servers = stancebook_servers()
recall = recall_text(**QUERY)
agent = Agent(
    role="analyst",
    goal="Decide on MSFT.",
    backstory=INSTRUCTIONS + recall,
    llm=ScriptedModel(model="script"),
    mcps=servers,
)
TOOL_NAMES = [tool.name for tool in agent.get_mcp_tools(servers)] if servers else []
task = Task(description="Decide on MSFT.", expected_output="A decision.", agent=agent)
end = Crew(agents=[agent], tasks=[task]).kickoff()
# After the descriptions of the tools, which have examples.
OUTPUTS = READ[-1].partition("Begin!")[2]
report = {
    "version": version("crewai"),
    "servers": len(servers),
    "end": end.raw,
    "recalled": "Own record of stock MSFT" in READ[0],
    "submitted": re.search(r"dec_\d{8}_[0-9a-f]{8}", OUTPUTS) is not None,
    "refused": "VALIDATION_ERROR" in OUTPUTS and "NOWHERE" in OUTPUTS,
    "recalled again": "bullish" in recall_text(**QUERY),
}
print(json.dumps(report))
