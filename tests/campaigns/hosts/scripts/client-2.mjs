import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { headers, report, sent, url } from './decision.mjs';

const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { tools } = await client.listTools();
report(tools, await client.callTool({ name: 'submit_decision', arguments: sent }));
