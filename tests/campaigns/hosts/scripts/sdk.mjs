import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { headers, report, sent, url } from './decision.mjs';

const client = new Client({ name: 'host', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { tools } = await client.listTools();
report(tools, await client.callTool({ name: 'submit_decision', arguments: sent }));
