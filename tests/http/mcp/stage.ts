import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import type { Express } from 'express';
import request from 'supertest';

/** The service at a port, and clients of the protocol's own library. */
export interface McpStage {
  readonly url: URL;
  connect(headers: Readonly<Record<string, string>>, mode?: VersionNegotiationMode): Promise<Client>;
  close(): Promise<void>;
}

export async function openMcpStage(app: Express): Promise<McpStage> {
  const server: Server = createServer(app);
  // A busy machine may leave a connection idle for long; it must stay open for the next request.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const clients: Client[] = [];
  return {
    url,
    async connect(headers, mode = 'legacy') {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { ...headers } } }));
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The headers that every client of the protocol sends. */
const PROTOCOL = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** One message without a client. */
export function post(app: Express, headers: Readonly<Record<string, string>>, message: unknown): request.Test {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return request(app)
    .post('/mcp')
    .set({ ...PROTOCOL, ...headers })
    .send(body);
}

/** The message that a call of a tool is; `text` are its arguments as JSON. */
export function toolCall(name: string, text = '{}'): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${text}}}`;
}

export interface RpcReply {
  readonly result?: ToolReply & { readonly [member: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface ToolReply {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** The message of a reply, which older revisions send as an event. */
export function messageIn({ text }: request.Response): RpcReply {
  const event = /^data: (.*)$/m.exec(text)?.[1];
  return JSON.parse(event ?? text);
}

/** The body that a tool's text is: a reply, or an envelope. */
// biome-ignore lint/suspicious/noExplicitAny: each test knows what it called.
export function bodyIn(reply: { readonly content: unknown }): any {
  const [first] = reply.content as ToolReply['content'];
  return JSON.parse(first?.text ?? 'null');
}
