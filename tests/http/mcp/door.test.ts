import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { MCP } from '../../../domain/limits.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { bodyIn, messageIn, post, toolCall } from './stage.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

describe.each(STORAGES)('the door of /mcp, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let key: { 'x-api-key': string };
  beforeAll(async () => {
    service = await openService(storage, {
      at: AT,
      limits: 'contract',
      env: { LIMIT_RATE_PER_SECOND: '1000', LIMIT_RATE_PER_MINUTE: '1000', LIMIT_ADDRESS_PER_MINUTE: '1000' },
    });
    agent = await anAgentAt(service);
    key = { 'x-api-key': agent.api_key };
  });
  afterAll(() => service.close());
  const send = (message: unknown, headers: Readonly<Record<string, string>> = key) =>
    post(service.app, headers, message);
  const rateLeft = async () => Number((await agent.get('/api/v1/public/auth/status')).headers['x-ratelimit-remaining']);

  test.each([LIST, toolCall('get_limits'), toolCall('get_skill', `{"hash":"${'0'.repeat(64)}"}`), 'nonsense', '[]'])(
    'without a valid credential nothing is answered: %j',
    async (message) => {
      for (const headers of [{}, { 'x-api-key': 'sbk_none' }, { authorization: 'Bearer not.a.token' }]) {
        const { status, body, headers: got } = await send(message, headers);
        expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED']);
        expect(got['www-authenticate']).toBe('Bearer realm="stancebook"');
      }
    },
  );

  test('a session is no credential here, and a key in the address is none either', async () => {
    const { status, body } = await send(LIST, { cookie: 'sid=anything' });
    expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    const inAddress = await request(service.app).post(`/mcp?api_key=${agent.api_key}`).send(LIST);
    expect(inAddress.status).toBe(401);
  });

  test('hosts and origins of other sites are refused', async () => {
    expect((await send(LIST, { ...key, host: 'evil.test' })).status).toBe(421);
    expect((await send(LIST, { ...key, origin: 'https://evil.test' })).status).toBe(403);
    expect((await send(LIST, { ...key, origin: 'null' })).status).toBe(403);
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:80'])
      expect([host, (await send(LIST, { ...key, host })).status]).toEqual([host, 200]);
    expect((await send(LIST, { ...key, origin: 'http://localhost:5173' })).status).toBe(200);
  });

  test.each([
    ['{', 400, -32_700],
    ['', 400, undefined],
    ['[]', 400, -32_600],
    [[LIST, LIST], 400, -32_600],
    ['null', 400, -32_600],
    ['"text"', 400, -32_600],
    [{}, 400, undefined],
    [{ jsonrpc: '1.0', id: 1, method: 'tools/list' }, 400, undefined],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`, 400, -32_700],
    [`{"jsonrpc":"2.0","id":1,"method":"a\\u0000"}`, 400, -32_700],
    [`{"jsonrpc":"2.0","id":1,"params":${'['.repeat(60)}${']'.repeat(60)}}`, 400, -32_700],
    [{ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} }, 404, -32_601],
  ])('garbage is refused: %j', async (message, status, code) => {
    const reply = await send(message);
    expect(reply.status).toBe(status);
    if (code !== undefined) expect(messageIn(reply).error?.code).toBe(code);
  });

  test.each(['tools/call', 'resources/read', 'prompts/get', 'initialize', 'x', 'ping'])(
    'hostile parameters of %s are answered, never with 5xx',
    async (method) => {
      for (const params of [
        null,
        [],
        1,
        'x',
        {},
        { name: 7 },
        { name: '__proto__', arguments: [] },
        { uri: 'file:///etc/passwd' },
        { uri: `stancebook://decisions/${'a'.repeat(300)}` },
      ]) {
        const { status } = await send({ jsonrpc: '2.0', id: 1, method, params });
        expect([method, params, status < 500]).toEqual([method, params, true]);
      }
    },
  );

  test('hostile arguments of each tool get an envelope', async () => {
    const { result } = messageIn(await send(LIST));
    for (const { name } of (result?.tools ?? []) as { name: string }[]) {
      for (const text of [
        '{"record_id":{"a":1}}',
        '{"record_id":"../../owner/export"}',
        '{"__proto":1}',
        '{"decision":[]}',
        '{"query":["\\u200e"]}',
      ]) {
        const reply = messageIn(await send(toolCall(name, text)));
        expect([name, text, reply.error]).toEqual([name, text, undefined]);
        if (reply.result?.isError) expect(bodyIn(reply.result).error.category).not.toBe('internal');
      }
    }
  });

  test('a message of 64 KiB at most, as JSON, by POST', async () => {
    const large = toolCall('get_limits', `{"a":"${'x'.repeat(MCP.messageBytes)}"}`);
    expect((await send(large)).status).toBe(413);
    const text = await request(service.app)
      .post('/mcp')
      .set({ ...key, 'content-type': 'text/plain' })
      .send('{}');
    expect(text.status).toBe(415);
    expect((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  });

  test.each(['get', 'head', 'delete', 'put', 'patch'] as const)(
    '%s: the credential first, then 405',
    async (method) => {
      for (const headers of [
        {},
        { 'x-api-key': 'sbk_none' },
        { cookie: 'sid=anything' },
        { host: 'evil.test', ...key },
      ]) {
        const { status, headers: got } = await request(service.app)[method]('/mcp').set(headers);
        expect([headers, status]).toEqual([headers, 'host' in headers ? 421 : 401]);
        if (status === 401) expect(got['www-authenticate']).toBe('Bearer realm="stancebook"');
      }
      const { status, headers } = await request(service.app)[method]('/mcp').set(key);
      expect([status, headers.allow]).toEqual([405, 'OPTIONS, POST']);
    },
  );

  test('OPTIONS needs no credential', async () => {
    const { status, headers } = await request(service.app).options('/mcp');
    expect([status, headers.allow]).toEqual([204, 'OPTIONS, POST']);
  });

  const REVISIONS = [
    ['a revision that begins with initialize', {}, {}],
    ['2026-07-28', { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'prompts/list' }, MODERN],
  ] as const;
  test.each(REVISIONS)('by %s all but text/event-stream alone get JSON', async (_name, own, _meta) => {
    const list = { ...LIST, method: 'prompts/list', params: { _meta } };
    const asked = async (accept: string) => {
      const made = request(service.app)
        .post('/mcp')
        .set({ ...key, 'content-type': 'application/json', ...own });
      const { status, headers, text } = await (accept === '' ? made : made.set({ accept })).send(JSON.stringify(list));
      return { status, type: headers['content-type'], text };
    };
    const json = await asked('application/json');
    expect(JSON.parse(json.text)).toMatchObject({ id: 1, result: { prompts: expect.any(Array) } });
    const BOTH = 'application/json, text/event-stream';
    for (const accept of [
      '',
      '*/*',
      BOTH,
      'text/event-stream, application/json;q=0.1',
      'text/html',
      'text/event-stream, */*',
    ]) {
      expect([accept, await asked(accept)]).toEqual([accept, { ...json, type: 'application/json' }]);
    }
    for (const accept of ['text/event-stream', 'Text/Event-Stream; q=0.9']) {
      const events = { status: 200, type: 'text/event-stream', text: `event: message\ndata: ${json.text}\n\n` };
      expect([accept, await asked(accept)]).toEqual([accept, events]);
    }
  });

  test('each message counts once, and a tool takes the units of its endpoint', async () => {
    const before = await rateLeft();
    await send(LIST);
    await send(toolCall('get_limits'));
    await send('nonsense');
    const reply = await send(toolCall('query_cohort', '{"market":"stock"}'));
    expect([reply.headers['x-quota-resource'], reply.headers['x-quota-remaining']]).toEqual(['query', '19']);
    expect(await rateLeft()).toBe(before - 5);
    const refused = await send(toolCall('query_cohort', '{"market":"moon"}'));
    expect(refused.headers['x-quota-remaining']).toBe('19');
  });

  test('meta keeps the text of its numbers, as over REST', async () => {
    const { meta: _, ...decision } = aSubmission(AT, { symbol: 'ETH' });
    const text = `{"decision":${JSON.stringify(decision).slice(0, -1)},"meta":{"b":1.10,"a":9007199254740993}}}`;
    const { result } = messageIn(await send(toolCall('submit_decision', text)));
    expect(result?.isError).toBeUndefined();
    const { text: detail } = await agent.read(bodyIn(result ?? { content: [] }).record_id);
    expect(detail).toContain('"meta":{"b":1.10,"a":9007199254740993}');
  });

  test('a key that may only read gets FORBIDDEN for a submission, as over REST', async () => {
    const reader = await anAgentAt(service, { mate: agent, permission_mode: 'read_only' });
    const call = toolCall('submit_decision', JSON.stringify({ decision: aSubmission(AT) }));
    const { result } = messageIn(await send(call, { 'x-api-key': reader.api_key }));
    expect([result?.isError, bodyIn(result ?? { content: [] }).error.code]).toEqual([true, 'FORBIDDEN']);
  });

  test('the log names the route, and never a key', () => {
    const lines = service.log.filter((line) => line.includes('/mcp'));
    expect(lines.length).toBeGreaterThan(10);
    expect(service.log.join('\n')).not.toContain(agent.api_key);
    expect(service.log.filter((line) => /"level":"(error|warn)"/.test(line))).toEqual([]);
  });
});

test('a page of an origin of CORS_ORIGINS may send messages, with the headers of the protocol', async () => {
  const origin = 'https://inspector.test';
  const service = await openService('memory', { at: AT, env: { CORS_ORIGINS: origin } });
  const agent = await anAgentAt(service);
  const asked = await request(service.app).options('/mcp').set({ origin, 'access-control-request-method': 'POST' });
  expect(asked.headers['access-control-allow-headers']).toContain('Mcp-Protocol-Version, Mcp-Method, Mcp-Name');
  const { status, headers } = await post(service.app, { origin, 'x-api-key': agent.api_key }, LIST);
  expect([status, headers['access-control-allow-origin']]).toEqual([200, origin]);
  await service.close();
});
