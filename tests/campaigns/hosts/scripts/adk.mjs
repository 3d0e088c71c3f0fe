import { MCPToolset } from '@google/adk';
import { headers, report, sent, url } from './decision.mjs';

const params = { type: 'StreamableHTTPConnectionParams', url, transportOptions: { requestInit: { headers } } };
const tools = await new MCPToolset(params).getTools();
report(tools, await tools.find(({ name }) => name === 'submit_decision').runAsync({ args: sent, toolContext: {} }));
