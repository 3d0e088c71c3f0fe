import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { quarantineDecision } from '../../../application/decisions/moderate-decision.ts';
import { learnShippedNames } from '../../../application/market/names.ts';
import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import { NOTE } from '../../../domain/limits.ts';
import { tokensOf } from '../../../domain/recall/recall-text.ts';
import { DAY } from '../../../domain/time.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { bodyIn, openMcpStage } from '../mcp/stage.ts';

const BTC = { market: 'crypto', symbol: 'BTC' };

describe.each(STORAGES)('recall, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT });
  });
  afterAll(() => service.close());

  const ask = (agent: TestAgent, query: Readonly<Record<string, string>> = {}) =>
    agent.get(`/api/v1/agent/recall?${new URLSearchParams({ ...BTC, ...query })}`);
  const recalled = async (agent: TestAgent, query: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await ask(agent, query);
    expect([status, body.error]).toEqual([200, undefined]);
    return body;
  };
  const note = (agent: TestAgent, record_id: string, text: string) =>
    service.ports.notes.add({ ...agent, record_id, text }, NOTE.perRecord);

  test('the second prompt shows the outcome of the first decision, and what was noted about it', async () => {
    const agent = await anAgentAt(service);
    const before = await recalled(agent);
    expect(before.text).toContain('Closed: none');
    const said = { summary: 'The halving is *priced* in', confidence: 0.7 };
    const [record_id = ''] = await gradedCalls(service, [agent], [aPastCall(5, said)]);
    await note(agent, record_id, 'Wait for\nthe weekly close');
    const { body: state } = await agent.state(record_id);
    const { result_bucket, raw_return, z, move_z, mfe, mae } = state.outcome;
    const { text, sha256, closed, counts } = await recalled(agent, { direction: 'bullish' });
    expect(closed).toEqual([
      expect.objectContaining({
        ...{ record_id, result_bucket, confidence: 0.7, said: said.summary, submission_origin: 'retroactive' },
        outcome: { raw_return, z, move_z, mfe: mfe.value, mae: mae.value, market: null },
        notes: [{ number: 1, text: 'Wait for\nthe weekly close', written_at: expect.any(String) }],
      }),
    ]);
    expect(text).toContain(`2 trading days, confidence 0.7, retroactive: ${result_bucket}. `);
    expect(text).toContain('Said "The halving is priced in". Noted 2017-06-05 "Wait for the weekly close"');
    expect(counts).toMatchObject({ closed: 0, retroactive: { closed: 1 }, complete: true });
    expect(sha256).toBe(createHash('sha256').update(text).digest('hex'));
    const inputs = [{ kind: 'prompt' as const, name: 'recall', sha256 }];
    expect((await agent.submit(aPastCall(4, { direction: 'bearish', inputs }))).status).toBe(201);
  });

  test('open decisions are listed, and those of the other direction are marked', async () => {
    const agent = await anAgentAt(service);
    const open = { ...aPastCall(0, { direction: 'bearish' }), horizon_value: 20 };
    expect((await agent.submit(open)).status).toBe(201);
    await service.settle();
    const { open: listed, text } = await recalled(agent, { direction: 'bullish' });
    expect(listed).toMatchObject([{ direction: 'bearish', opposite: true, ungraded: null }]);
    expect(text).toMatch(/\nOpen, 1:\n- 2017-06-05 bearish, 20 trading days, ends 2017-\d\d-\d\d; opposite\n/);
  });

  test('it is as of a time: what was received, graded and noted later is not in it', async () => {
    const agent = await anAgentAt(service);
    const [record_id = ''] = await gradedCalls(service, [agent], [aPastCall(5)]);
    await note(agent, record_id, 'About bitcoin');
    const elsewhere = async (query = {}) => (await recalled(agent, { symbol: 'ETH', ...query })).elsewhere;
    expect((await recalled(agent)).closed).toHaveLength(1);
    expect(await elsewhere()).toMatchObject([{ record_id, symbol: 'BTC', note: { text: 'About bitcoin' } }]);
    const as_of = new Date(COHORTS_AT.getTime() - DAY).toISOString();
    const then = await recalled(agent, { as_of });
    expect([then.closed, then.counts.since, await elsewhere({ as_of })]).toEqual([[], null, []]);
    await service.ports.notes.empty(agent.owner_id, record_id, 1);
    expect([await elsewhere(), (await recalled(agent)).closed[0].notes]).toEqual([[], []]);
    await quarantineDecision(service.ports, record_id, 'a stolen key', 'test');
    const { closed, quarantined, text } = await recalled(agent);
    expect([closed, quarantined]).toEqual([[], 1]);
    expect(text).toContain('- 1 quarantined');
  });

  test('the text has at most the tokens that were asked for, and the rest of the reply stays whole', async () => {
    const agent = await anAgentAt(service);
    const calls = [5, 6, 7, 8].map((days) =>
      aPastCall(days, {
        summary: '長い理由。'.repeat(100),
        symbol: 'BTC',
        direction: days % 2 ? 'bullish' : 'bearish',
      }),
    );
    await gradedCalls(service, [agent], calls.slice(0, 2));
    const [short, long] = [await recalled(agent, { tokens: '200' }), await recalled(agent, { tokens: '4000' })];
    expect(tokensOf(short.text)).toBeLessThanOrEqual(200);
    expect(tokensOf(long.text)).toBeGreaterThan(400);
    expect({ ...short, text: '', sha256: '', as_of: '' }).toEqual({ ...long, text: '', sha256: '', as_of: '' });
    expect(short.closed[0].said).toBe('長い理由。'.repeat(100));
  });

  test('rows_shown=text has the rows that the text has, as it quotes them; the tool sends nothing else', async () => {
    const agent = await anAgentAt(service);
    const long = '長い*理由*。'.repeat(80);
    const calls = DIRECTIONS.map((direction) => aPastCall(5, { summary: long, direction }));
    const ids = await gradedCalls(service, [agent], calls);
    for (const record_id of ids) await note(agent, record_id, long);
    const all = await recalled(agent, { tokens: '500' });
    const { text, closed, ...others } = await recalled(agent, { tokens: '500', rows_shown: 'text' });
    expect([all.closed.length, closed.length]).toEqual([3, text.split('\n- 2017-').length - 1]);
    expect(closed.length).toBeLessThan(3);
    expect(text).toContain(`Said "${closed[0].said}". Noted 2017-06-05 "${closed[0].notes[0].text}"`);
    expect(all.closed[0]).toMatchObject({ said: long, notes: [{ text: long }] });
    expect({ ...others, as_of: '' }).toEqual({ ...all, as_of: '', text: undefined, closed: undefined });
    const stage = await openMcpStage(service.app);
    try {
      const client = await stage.connect({ 'x-api-key': agent.api_key }, 'auto');
      const called = await client.callTool({ name: 'recall', arguments: { ...BTC, tokens: 500 } });
      expect(called.structuredContent).toMatchObject({ text, closed });
      const refused = await client.callTool({ name: 'recall', arguments: { ...BTC, rows: 'all' } });
      expect([refused.isError, bodyIn(refused).error.details[0].path]).toEqual([true, 'rows']);
    } finally {
      await stage.close();
    }
  });

  test('a symbol is a key, or a name of the date; the reply says what it was read as', async () => {
    await learnShippedNames(service.ports);
    const agent = await anAgentAt(service);
    const share = { market: 'stock', symbol: 'FB' };
    const { read_as, text } = await recalled(agent, { ...share, as_of: '2016-06-05T12:00:00Z' });
    expect([read_as.symbol, read_as.names[0]]).toMatchObject(['META', { name: 'FB' }]);
    expect(text).toMatch(/^## Own record of stock META, as of 2016-06-05 12:00 UTC\n/);
  });

  test.each([
    [{ symbol: '' }, 'symbol'],
    [{ symbol: '0700', market: 'stock' }, 'symbol'],
    [{ as_of: '2017-06-05T12:20:00.001Z' }, 'as_of'],
    [{ as_of: 'yesterday' }, 'as_of'],
    [{ horizon_kind: 'trading_days' }, 'horizon_value'],
    [{ horizon_value: '5' }, 'horizon_value'],
    [{ tokens: '199' }, 'tokens'],
    [{ tokens: '4001' }, 'tokens'],
    [{ direction: 'up' }, 'direction'],
    [{ set: 'First' }, 'set'],
  ])('%j is refused by its member %s, with what to send', async (query, path) => {
    const { status, body } = await ask(await anAgentAt(service), query as Record<string, string>);
    expect([status, body.error.code, body.error.details[0].path]).toEqual([422, 'VALIDATION_ERROR', path]);
    expect(body.error.details[0].message).toMatch(/must|required|unknown|is not|send|one of/i);
    // No parameter of this endpoint names a venue.
    expect(body.error.details[0].message).not.toMatch(/with a venue/);
  });

  test('a key reads its own agent alone, and the refusal of another says what to do', async () => {
    const agent = await anAgentAt(service);
    expect((await recalled(agent, { agent_id: agent.agent_id })).closed).toEqual([]);
    const { status, body } = await ask(agent, { agent_id: (await anAgentAt(service)).agent_id });
    expect([status, body.error.code, body.error.suggestion]).toEqual([
      404,
      'NOT_FOUND',
      'Leave agent_id out: the key reads its own agent alone.',
    ]);
  });

  test('of a set it reads that alone: what was known by a time, and how much is not graded yet', async () => {
    const agent = await anAgentAt(service);
    await gradedCalls(service, [agent], [aPastCall(5)]);
    const rows = [30, 20, 10].map((days) => ({
      ...{ external_id: `d${days}`, ...aPastCall(days), summary: `${days} days ago`, confidence: 0.6 },
    }));
    const about = { source: 'a test', horizon_rule: 'two days' };
    const sent = await request(service.app)
      .post('/api/v1/agent/backtests/spring')
      .set('X-API-Key', agent.api_key)
      .send({ about, rows });
    expect(sent.status).toBe(200);
    const waiting = await recalled(agent, { set: 'spring' });
    expect([waiting.ungraded_yet, waiting.closed, waiting.counts.ungraded.total]).toEqual([3, [], 3]);
    await service.settle();
    const { closed, counts, ungraded_yet, set, text } = await recalled(agent, { set: 'spring' });
    expect([set, ungraded_yet, counts.closed, counts.retroactive.closed]).toEqual(['spring', 0, 3, 0]);
    expect(closed.map((call: object) => ({ ...call }))).toMatchObject([
      { external_id: 'd10', said: '10 days ago', submission_origin: null },
      { external_id: 'd20' },
      { external_id: 'd30' },
    ]);
    expect(closed[0]).not.toHaveProperty('record_id');
    expect(text).toMatch(/^## Own record of crypto BTC in back-test spring, as of 2017-06-05 12:20 UTC\n/);
    const as_of = new Date(COHORTS_AT.getTime() - 19 * DAY).toISOString();
    const then = await recalled(agent, { set: 'spring', as_of });
    expect([then.open[0].external_id, then.closed.map((call: { external_id: string }) => call.external_id)]).toEqual([
      'd20',
      ['d30'],
    ]);
    expect((await recalled(agent)).counts.retroactive.closed).toBe(1);
    const none = await ask(agent, { set: 'autumn' });
    expect([none.status, none.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect((await ask(await anAgentAt(service), { set: 'spring' })).status).toBe(404);
  });

  test('it takes no unit of a pool', async () => {
    const agent = await anAgentAt(service);
    const pools = async () => {
      const { body } = await agent.get('/api/v1/public/auth/status?include=quota');
      return body.quota;
    };
    const before = await pools();
    await recalled(agent);
    expect(await pools()).toEqual(before);
  });
});
