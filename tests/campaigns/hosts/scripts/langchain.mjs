import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { headers, report, sent, url } from './decision.mjs';

const client = new MultiServerMCPClient({ mcpServers: { stancebook: { transport: 'http', url, headers } } });
const tools = await client.getTools();
report(tools, await tools.find(({ name }) => name === 'submit_decision').invoke(sent));
