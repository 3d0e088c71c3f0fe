import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { runCli } from './run-cli.ts';

const KEY = 'sbk_Testing1_AbCdEfGhIjKlMnOpQrStUvWxYz01234567890a';

interface Sent {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = readonly [status: number, type: string, body: string, headers?: Readonly<Record<string, string>>];

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

/** Sends lines through `stancebook mcp` to a server that answers each. Returns the lines that came back. */
async function exchange(lines: readonly string[], answer: (body: string) => Answer) {
  const sent: Sent[] = [];
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString('utf8');
    sent.push({ path: request.url, headers: request.headers, body });
    const [status, type, text, headers] = answer(body);
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { STANCEBOOK_URL: url, STANCEBOOK_API_KEY: KEY };
  const { status, stdout, stderr } = await runCli(['mcp'], { env, input: lines.map((line) => `${line}\n`).join('') });
  expect(status).toBe(0);
  expect(stdout + stderr).not.toContain(KEY);
  return { sent, replies: stdout.split('\n').filter(Boolean), stderr };
}

const JSON_TYPE = 'application/json; charset=utf-8';

test('each line is one message with the key, and its reply is one line', async () => {
  const line = '{"jsonrpc":"2.0","id":7,"method":"ping"}';
  const reply = '{\n "jsonrpc": "2.0",\r\n "id": 7, "result": {"n": 12345678901234567890, "t": "a\\nb"}\n}';
  const { sent, replies } = await exchange([line, ''], () => [200, JSON_TYPE, reply]);
  expect(sent.map(({ path, body }) => [path, body])).toEqual([['/mcp', line]]);
  expect(sent[0]?.headers).toMatchObject({
    'x-api-key': KEY,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  });
  expect(replies).toEqual(['{  "jsonrpc": "2.0",  "id": 7, "result": {"n": 12345678901234567890, "t": "a\\nb"} }']);
});

test('a message with a line separator in a text is one message', async () => {
  const line = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":"above\u2028below\u2029"}}';
  const { sent } = await exchange([line, `${line}\r`], () => [200, JSON_TYPE, '{"jsonrpc":"2.0","id":7,"result":{}}']);
  expect(sent.map(({ body }) => body)).toEqual([line, line]);
});

test('the messages of an event stream are lines', async () => {
  const stream =
    ': hello\r\n\r\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: "method":"a"}\n\ndata:{"jsonrpc":"2.0","id":1,"result":{}}\n\n';
  const { replies } = await exchange(['{"jsonrpc":"2.0","id":1,"method":"x"}'], () => [
    200,
    'text/event-stream',
    stream,
  ]);
  expect(replies.map((line) => JSON.parse(line))).toEqual([
    { jsonrpc: '2.0', method: 'a' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]);
});

test('a notification has no reply', async () => {
  const lines = ['{"jsonrpc":"2.0","method":"notifications/initialized"}'];
  const { sent, replies } = await exchange(lines, () => [202, JSON_TYPE, '']);
  expect([sent.length, replies]).toEqual([1, []]);
});

test('the version and session of an initialisation are headers of what follows', async () => {
  const lines = [
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
    '{"jsonrpc":"2.0","id":2,"method":"ping"}',
  ];
  const result = { protocolVersion: '2025-06-18' };
  const { sent } = await exchange(lines, (body) => [
    200,
    JSON_TYPE,
    JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result }),
    { 'mcp-session-id': 'session-1' },
  ]);
  expect(sent.map(({ headers }) => [headers['mcp-protocol-version'], headers['mcp-session-id']])).toEqual([
    [undefined, undefined],
    ['2025-06-18', 'session-1'],
  ]);
});

test.each([
  ['tools/call', { name: 'submit_decision' }, 'submit_decision'],
  ['prompts/get', { name: 'Größe' }, `=?base64?${Buffer.from('Größe').toString('base64')}?=`],
  ['resources/read', { uri: 'stancebook://guide' }, 'stancebook://guide'],
  ['tools/list', { name: 'no subject' }, undefined],
])(
  '%s of the specification 2026-07-28 names its version, method and subject in headers',
  async (method, params, name) => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
    const { sent } = await exchange([line], () => [200, JSON_TYPE, '{"jsonrpc":"2.0","id":1,"result":{}}']);
    const headers = sent[0]?.headers ?? {};
    expect([headers['mcp-protocol-version'], headers['mcp-method'], headers['mcp-name']]).toEqual([
      '2026-07-28',
      method,
      name,
    ]);
  },
);

test('a refusal is an error of JSON-RPC with its code', async () => {
  const envelope = {
    code: 'UNAUTHORIZED',
    category: 'auth_failed',
    message: 'The key is wrong.',
    suggestion: 'Log in.',
  };
  const lines = ['{"jsonrpc":"2.0","id":"a","method":"ping"}', '{"jsonrpc":"2.0","method":"notifications/x"}'];
  const { replies, stderr } = await exchange(lines, () => [401, JSON_TYPE, JSON.stringify({ error: envelope })]);
  expect(replies.map((line) => JSON.parse(line))).toEqual([
    {
      jsonrpc: '2.0',
      id: 'a',
      error: {
        code: -32_000,
        message: 'UNAUTHORIZED: The key is wrong. Log in.',
        data: { status: 401, code: 'UNAUTHORIZED' },
      },
    },
  ]);
  expect(stderr).toContain('a message got the status 401');
});

test('a service that cannot be reached is an error of JSON-RPC', async () => {
  const env = { STANCEBOOK_URL: 'http://127.0.0.1:9', STANCEBOOK_API_KEY: KEY };
  const { status, stdout } = await runCli(['mcp'], { env, input: '{"jsonrpc":"2.0","id":3,"method":"ping"}\n' });
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { id: 3, error: { code: -32_000 } }]);
});

test('a line that is no JSON is answered by the service', async () => {
  const error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}';
  const { sent, replies } = await exchange(['{"jsonrpc":'], () => [400, JSON_TYPE, error]);
  expect([sent[0]?.body, replies]).toEqual(['{"jsonrpc":', [error]]);
});
