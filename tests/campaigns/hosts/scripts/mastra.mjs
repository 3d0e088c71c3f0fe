import { MCPClient } from '@mastra/mcp';
import { headers, report, sent, url } from './decision.mjs';

const client = new MCPClient({ servers: { stancebook: { url: new URL(url), requestInit: { headers } } } });
const tools = await client.listTools();
report(Object.keys(tools), await tools.stancebook_submit_decision.execute(sent, {}));
