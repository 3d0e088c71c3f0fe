import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpClient } from '@strands-agents/sdk';
import { headers, report, sent, url } from './decision.mjs';

const client = new McpClient({
  transport: new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
});
const tools = await client.listTools();
report(
  tools,
  await client.callTool(
    tools.find(({ name }) => name === 'submit_decision'),
    sent,
  ),
);
