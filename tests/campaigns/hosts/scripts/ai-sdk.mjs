import { createMCPClient } from '@ai-sdk/mcp';
import { headers, report, sent, url } from './decision.mjs';

const client = await createMCPClient({ transport: { type: 'http', url, headers } });
const tools = await client.tools();
report(Object.keys(tools), await tools.submit_decision.execute(sent, { toolCallId: '1', messages: [] }));
