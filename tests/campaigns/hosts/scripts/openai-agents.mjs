// An agent whose model is a script: it recalls, and then submits a decision.
import { Agent, MCPServerStreamableHttp, Runner, Usage } from '@openai/agents';
import { headers, report, sent, turns, url } from './decision.mjs';

const server = new MCPServerStreamableHttp({ name: 'stancebook', url, requestInit: { headers } });
await server.connect();
const calls = turns(sent);
const model = {
  async getResponse() {
    const call = calls.shift();
    const text = {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'done' }],
    };
    const output = call
      ? {
          type: 'function_call',
          callId: call.name,
          name: call.name,
          arguments: JSON.stringify(call.args),
          status: 'completed',
        }
      : text;
    return { usage: new Usage(), output: [output] };
  },
  getStreamedResponse() {
    throw new Error('No run of this script is streamed.');
  },
};
const agent = new Agent({ name: 'analyst', instructions: 'Decide on MSFT.', model, mcpServers: [server] });
const { newItems } = await new Runner({ tracingDisabled: true }).run(agent, 'Decide on MSFT.');
const [recalled, submitted] = newItems
  .filter(({ type }) => type === 'tool_call_output_item')
  .map(({ output }) => output);
report(await server.listTools(), submitted, recalled);
