import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TOOLS } from '../../../adapters/http/mcp/tools.ts';
import { anyText } from '../../builders/any-text.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, type TestService } from '../../harness/service.ts';
import { messageIn, post } from './stage.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 150);

let service: TestService;
let agent: TestAgent;
beforeAll(async () => {
  service = await openService('memory', { at: new Date('2017-06-05T12:00:00.000Z') });
  agent = await anAgentAt(service);
});
afterAll(() => service.close());

const METHODS = [
  ...['initialize', 'ping', 'server/discover', 'tools/list', 'tools/call', 'resources/list', 'resources/read'],
  ...['resources/templates/list', 'prompts/list', 'prompts/get', 'completion/complete', 'logging/setLevel'],
  ...['notifications/initialized', 'notifications/cancelled', 'subscriptions/listen', 'tasks/get'],
];
const REVISIONS = ['2024-10-07', '2025-11-25', '2026-07-28', 'none'];

const anyJson = fc.jsonValue({ maxDepth: 3 });
const someOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const toolArguments = fc.dictionary(
  fc.oneof(
    someOf('record_id', 'record_ids', 'decision', 'market', 'query', 'limit', 'hash', 'validate_only'),
    anyText(),
  ),
  fc.oneof(anyJson, anyText()),
);
const call = fc.record({
  name: fc.oneof(someOf(...TOOLS.map(({ name }) => name)), anyText()),
  arguments: toolArguments,
});
const uri = fc.oneof(someOf('stancebook://guide', 'stancebook://decisions/dec_20170605_00000000'), anyText());
const envelope = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': fc.oneof(someOf(...REVISIONS), anyJson),
    'io.modelcontextprotocol/clientCapabilities': anyJson,
    'io.modelcontextprotocol/clientInfo': anyJson,
  },
  { requiredKeys: [] },
);
const params = fc
  .tuple(fc.oneof(call, fc.record({ uri }), anyJson), envelope)
  .map(([own, _meta]) => (typeof own === 'object' && own !== null && !Array.isArray(own) ? { ...own, _meta } : own));
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: someOf('2.0') }, { weight: 1, arbitrary: anyJson }),
    id: fc.oneof(fc.integer(), anyText(), anyJson),
    method: fc.oneof(
      { weight: 9, arbitrary: someOf(...METHODS) },
      { weight: 1, arbitrary: fc.oneof(anyText(), anyJson) },
    ),
    params,
  },
  { requiredKeys: ['method'] },
);

test('any message is answered with a status below 500, and none of them is a fault of ours', async () => {
  await fc.assert(
    fc.asyncProperty(message, someOf(...REVISIONS, ''), someOf(true, false), async (sent, revision, named) => {
      const headers = {
        ...(revision && { 'mcp-protocol-version': revision }),
        ...(named && typeof sent.method === 'string' && METHODS.includes(sent.method) && { 'mcp-method': sent.method }),
      };
      const { status, text } = await post(service.app, { 'x-api-key': agent.api_key, ...headers }, sent);
      const isFault = /INTERNAL_ERROR|Something went wrong on our side/.test(text);
      expect([status < 500, isFault]).toEqual([true, false]);
    }),
    { numRuns: RUNS },
  );
  expect(service.log.filter((line) => /"level":"error"/.test(line))).toEqual([]);
});

test.each([
  ['a number', { instrument: 7 }, 'The argument instrument must be a string, not a number.'],
  ['a list', { instrument: 'BTC', analysis: ['x'] }, 'The argument analysis must be a string, not a list.'],
  ['none that is required', { instrument: null }, 'The argument instrument is missing.'],
  ['a text in place of all', 'BTC', 'arguments must be an object, not a string.'],
  ['null in place of all', null, 'The argument instrument is missing.'],
])('a prompt with %s is refused as a fault of the caller', async (_, sent, message) => {
  const params = { name: 'state_decision', arguments: sent };
  const reply = await post(
    service.app,
    { 'x-api-key': agent.api_key },
    { jsonrpc: '2.0', id: 7, method: 'prompts/get', params },
  );
  expect(messageIn(reply)).toMatchObject({ id: 7, error: { code: -32_602, message } });
});

test('an argument of a prompt that is null counts as not sent', async () => {
  const params = { name: 'state_decision', arguments: { instrument: 'BTC', analysis: null } };
  const reply = await post(
    service.app,
    { 'x-api-key': agent.api_key },
    { jsonrpc: '2.0', id: 7, method: 'prompts/get', params },
  );
  expect(JSON.stringify(messageIn(reply).result)).toContain('Record a decision on BTC');
});
