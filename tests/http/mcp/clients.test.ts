import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { DAY } from '../../../domain/time.ts';
import { aSubmission, hindsight } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { bodyIn, type McpStage, openMcpStage } from './stage.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');

const NAMES = [
  'submit_decision',
  'submit_decision_group',
  'add_note',
  'get_decision_state',
  'get_decision',
  'get_decisions',
  'list_decisions',
  'recall',
  'query_cohort',
  'state_plan',
  'list_plans',
  'get_plan_receipt',
  'backtest',
  'get_related',
  'get_limits',
  'get_receipt',
  'find_instrument',
  'list_workflows',
  'get_skill',
];

const MODES = [['legacy'], ['auto'], [{ pin: '2026-07-28' }]] as const;

describe.each(STORAGES)('the official client, on %s', (storage) => {
  let service: TestService;
  let stage: McpStage;
  let agent: TestAgent;
  let evaluated: string;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { WISDOM_MIN_PRODUCERS: '1', WISDOM_MIN_SAMPLES: '1' } });
    stage = await openMcpStage(service.app);
    agent = await anAgentAt(service);
    const past = hindsight(new Date(AT.getTime() - 9 * DAY), { horizon_kind: 'trading_days', horizon_value: 2 });
    evaluated = (await agent.submit(past)).body.record_id;
    await service.settle();
  });
  afterAll(async () => {
    await stage.close();
    await service.close();
  });

  const tool = (client: Client, name: string, sent: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: sent });

  describe.each(MODES)('in the mode %j', (mode) => {
    let client: Client;
    beforeAll(async () => {
      client = await stage.connect({ 'x-api-key': agent.api_key }, mode);
    });

    test('the same lists, in their fixed order', async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(NAMES);
      const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
      expect(writing.map(({ name }) => name)).toEqual([
        ...['submit_decision', 'submit_decision_group', 'add_note', 'state_plan', 'backtest'],
      ]);
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
        'state_decision',
        'review_outcomes',
      ]);
      expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['stancebook://guide']);
      expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
    });

    test('each reading tool returns what the endpoint returns', async () => {
      const path = `/api/v1/agent/decisions/${evaluated}`;
      const same: [string, Record<string, unknown>, string][] = [
        ['get_decision', { record_id: evaluated }, path],
        ['get_decision_state', { record_id: evaluated }, `${path}/state`],
        ['get_related', { record_id: evaluated, depth: 2, direction: 'both' }, `${path}/graph?depth=2&direction=both`],
        ['list_decisions', { limit: 3, market: 'crypto' }, '/api/v1/agent/decisions?limit=3&market=crypto'],
        [
          'query_cohort',
          { market: 'crypto', include_retroactive: true },
          '/api/v1/agent/wisdom?market=crypto&include_retroactive=true&limit=5',
        ],
        [
          'recall',
          { market: 'crypto', symbol: 'BTC', as_of: AT.toISOString() },
          `/api/v1/agent/recall?market=crypto&symbol=BTC&rows_shown=text&as_of=${AT.toISOString()}`,
        ],
        ['find_instrument', { query: 'msft', limit: 2 }, '/api/v1/agent/instruments?query=msft&limit=2'],
        ['list_workflows', { per_page: 2 }, '/api/v1/public/workflows?per_page=2'],
      ];
      // A question that was asked before changes no count.
      await agent.get('/api/v1/agent/wisdom?market=crypto&include_retroactive=true');
      for (const [name, sent, address] of same) {
        const { structuredContent, isError } = await tool(client, name, sent);
        expect([name, isError, structuredContent]).toEqual([name, undefined, (await agent.get(address)).body]);
      }
      const { structuredContent } = await tool(client, 'get_decisions', { record_ids: [evaluated] });
      expect(structuredContent).toEqual((await agent.batch([evaluated])).body);
    });

    test('what is returned fits the schema of the tool', async () => {
      const { tools } = await client.listTools();
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      for (const [name, sent] of [
        ['get_decision', { record_id: evaluated }],
        ['get_decision_state', { record_id: evaluated }],
        ['query_cohort', { market: 'crypto', include_retroactive: true }],
        ['recall', { market: 'crypto', symbol: 'BTC' }],
        ['get_limits', {}],
        ['state_plan', { query: { market: 'crypto' }, sentence: 'It rises.' }],
        ['add_note', { record_id: evaluated, text: 'Ignored the CPI date' }],
        ['submit_decision', { decision: aSubmission(AT), validate_only: true }],
      ] as const) {
        const { structuredContent } = await tool(client, name, sent);
        const fits = ajv.compile(tools.find((each) => each.name === name)?.outputSchema as object);
        expect([name, fits(structuredContent), fits.errors]).toEqual([name, true, null]);
      }
    });

    test('the text of a recall is its text for the prompt', async () => {
      const { content, structuredContent } = await tool(client, 'recall', { market: 'crypto', symbol: 'BTC' });
      const { text } = structuredContent as { readonly text: string };
      expect(content).toEqual([{ type: 'text', text }]);
      expect(text).toContain('## Own record of crypto BTC');
    });

    test('a refusal is a result with the envelope', async () => {
      const missing = await tool(client, 'get_decision', { record_id: 'dec_20170605_00000000' });
      expect([missing.isError, bodyIn(missing).error.code]).toEqual([true, 'NOT_FOUND']);
      const unknown = await tool(client, 'query_cohort', { market: 'crypto', colour: 'red' });
      expect([unknown.isError, bodyIn(unknown).error.details[0].path]).toEqual([true, 'colour']);
      await expect(tool(client, 'no_such_tool')).rejects.toThrow('There is no tool no_such_tool.');
    });

    test('resources and prompts', async () => {
      const [guide] = (await client.readResource({ uri: 'stancebook://guide' })).contents;
      expect(guide).toMatchObject({ mimeType: 'text/markdown', text: expect.stringContaining('# Stancebook') });
      const [record] = (await client.readResource({ uri: `stancebook://decisions/${evaluated}` })).contents;
      const read = await agent.read(evaluated);
      expect(JSON.parse(record && 'text' in record ? record.text : '')).toEqual(read.body);
      const [tool] = (await client.readResource({ uri: 'stancebook://tools/submit_decision' })).contents;
      expect(tool && 'text' in tool ? tool.text : '').toContain('"maxLength":280');
      await expect(client.readResource({ uri: 'stancebook://decisions/dec_20170605_00000000' })).rejects.toThrow();
      const { messages } = await client.getPrompt({ name: 'state_decision', arguments: { instrument: 'MSFT' } });
      expect(JSON.stringify(messages)).toContain('MSFT');
      await expect(client.getPrompt({ name: 'state_decision' })).rejects.toThrow('instrument');
    });
  });

  test('a submission over either way is one: replayed, and with its texts as they were sent', async () => {
    const client = await stage.connect({ 'x-api-key': agent.api_key });
    const decision = aSubmission(AT, { direction: 'bearish', meta: { ratio: 0.5 } as never });
    const first = await tool(client, 'submit_decision', { decision, idempotency_key: 'k-1' });
    expect(first.isError).toBeUndefined();
    const again = await agent.submit(decision, { 'idempotency-key': 'k-1' });
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
    expect(again.body).toEqual(first.structuredContent);
    const other = await tool(client, 'submit_decision', { decision });
    expect([other.isError, bodyIn(other).error.code]).toEqual([true, 'DUPLICATE_SUBMISSION']);
  });
});
