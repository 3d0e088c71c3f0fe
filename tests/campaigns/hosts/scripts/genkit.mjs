import { createMcpClient } from '@genkit-ai/mcp';
import { genkit } from 'genkit';
import { headers, report, sent, url } from './decision.mjs';

const client = createMcpClient({ name: 'stancebook', mcpServer: { url, requestInit: { headers } } });
await client.ready();
const tools = await client.getActiveTools(genkit({}));
report(tools, await tools.find(({ __action: { name } }) => name.endsWith('submit_decision'))(sent));
