import { MCPServerStreamableHttp } from '@openai/agents';
import { headers, report, sent, url } from './decision.mjs';

const server = new MCPServerStreamableHttp({ name: 'stancebook', url, requestInit: { headers } });
await server.connect();
report(await server.listTools(), await server.callTool('submit_decision', sent));
