#!/bin/sh
# @modelcontextprotocol/sdk 1.32.2: the client refuses results that the server of the same package has found valid, because
# the server checks with zod 4.6.7 and the client with ajv against the JSON Schema that the server made of it:
#   a price of 1.13 with multipleOf(0.01): zod compares decimals, ajv divides doubles.
#   a member with default(): the server sends the result without the value, and lists the member as required.
#   a member more than the schema of z.object() has: zod allows it, the schema says "additionalProperties": false.
# And an outputSchema of JSON Schema 2020-12, the default dialect of the protocol since its version 2025-11-25, is read as
# draft-07 by the client: of {"prefixItems":[number, text],"items":false} it knows items alone, and refuses [1,"a"].
# Expected: what the server finds valid is valid; pairs as @modelcontextprotocol/client 2.4.0 reads them.
# Seen:
#   a text: an error of the server
#   multipleOf: refused: data/price must be multiple of 0.01
#   default: refused: data must have required property 'price'
#   another member: refused: data must NOT have additional properties
#   prefixItems: refused: data/pair/0 boolean schema is false, data/pair/1 boolean schema is false
#   prefixItems, client 2.4.0: accepted
# Exit code 0 while that is so, 1 when it changes. Needs Node.js 20 and npm.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --ignore-scripts --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 \
  @modelcontextprotocol/client@2.4.0 zod@4.6.7
cat > check.mjs <<'SCRIPT'
import { Client as NewClient } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

async function call(name, server, SomeClient = Client) {
  const [ofServer, ofClient] = InMemoryTransport.createLinkedPair();
  await server.connect(ofServer);
  const client = new SomeClient({ name: 'client', version: '1' });
  await client.connect(ofClient);
  await client.listTools();
  const outcome = await client.callTool({ name: 'quote', arguments: {} }).then(
    ({ isError }) => (isError ? 'an error of the server' : 'accepted'),
    ({ message }) => `refused: ${message.split('schema: ')[1]}`,
  );
  console.log(`${name}: ${outcome}`);
}
function ofZod(outputSchema, structuredContent) {
  const server = new McpServer({ name: 'server', version: '1' });
  server.registerTool('quote', { outputSchema }, async () => ({ content: [], structuredContent }));
  return server;
}
function ofPairs() {
  const { server } = new McpServer({ name: 'server', version: '1' }, { capabilities: { tools: {} } });
  const pair = { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false };
  const outputSchema = { type: 'object', properties: { pair }, required: ['pair'] };
  const tools = [{ name: 'quote', inputSchema: { type: 'object' }, outputSchema }];
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [], structuredContent: { pair: [1, 'a'] } }));
  return server;
}

await call('a text', ofZod(z.object({ price: z.number() }), { price: 'a' }));
await call('multipleOf', ofZod(z.object({ price: z.number().multipleOf(0.01) }), { price: 1.13 }));
await call('default', ofZod(z.object({ price: z.number().default(1) }), {}));
await call('another member', ofZod(z.object({ price: z.number() }), { price: 1, size: 2 }));
await call('prefixItems', ofPairs());
await call('prefixItems, client 2.4.0', ofPairs(), NewClient);
SCRIPT
node check.mjs 2> log.txt | tee seen.txt
cat > expected.txt <<'END'
a text: an error of the server
multipleOf: refused: data/price must be multiple of 0.01
default: refused: data must have required property 'price'
another member: refused: data must NOT have additional properties
prefixItems: refused: data/pair/0 boolean schema is false, data/pair/1 boolean schema is false
prefixItems, client 2.4.0: accepted
END
diff expected.txt seen.txt
