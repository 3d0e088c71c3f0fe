// A graph whose model is a script: it recalls, and then submits a decision.
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { headers, report, sent, turns, url } from './decision.mjs';

const client = new MultiServerMCPClient({ mcpServers: { stancebook: { transport: 'http', url, headers } } });
const tools = await client.getTools();
const calls = turns(sent);
const model = () => {
  const call = calls.shift();
  const tool_calls = call ? [{ ...call, id: call.name, type: 'tool_call' }] : [];
  return { messages: [new AIMessage({ content: '', tool_calls })] };
};
const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', model)
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'model')
  .addConditionalEdges('model', toolsCondition)
  .addEdge('tools', 'model')
  .compile();
const { messages } = await graph.invoke({ messages: [new HumanMessage('Decide on MSFT.')] });
const [recalled, submitted] = messages.filter((message) => message.getType() === 'tool').map(({ content }) => content);
report(tools, submitted, recalled);
