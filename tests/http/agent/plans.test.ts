import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { PLAN } from '../../../domain/limits.ts';
import type { PlanOpening } from '../../../domain/log/leaves/opening.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { verdictsOf } from '../../builders/proof-files.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { COHORTS_AT } from '../../harness/cohorts.ts';
import { KEPT_LOG_POLICY } from '../../harness/kept-logs.ts';
import { logAll, opened } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const PLANS = '/api/v1/agent/plans';
const QUERY = { market: 'stock', symbol: 'msft', direction: 'bullish', data_cutoff_since: '2003-01-01T00:00:00+00:00' };
const UNDERSTOOD = {
  ...{ market: 'stock', symbol: 'MSFT', direction: 'bullish', include_retroactive: false },
  data_cutoff_since: '2003-01-01T00:00:00.000Z',
};
const SAID = 'Bullish decisions come out better than had_said.bullish.';

describe.each(STORAGES)('plans, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: { LIMIT_QUERY_PER_DAY: '1000' } });
    agent = await anAgentAt(service);
    await logAll(service);
  });
  afterAll(() => service.close());

  const post = (body: unknown, by: TestAgent = agent) =>
    request(service.app)
      .post(PLANS)
      .set('X-API-Key', by.api_key)
      .send(body as object);
  const receiptOf = (plan_id: string, query = '') => `${PLANS}/${plan_id}/receipt${query}`;
  const stated = async (sentence: string, query: object = QUERY) => {
    const { status, body, text } = await post({ query, sentence });
    if (status !== 201) throw new Error(text);
    return body;
  };
  const wisdom = (query: Record<string, string>, by: TestAgent = agent) =>
    by.get(`/api/v1/agent/wisdom?${new URLSearchParams(query)}`);

  test('are stated with what is committed to, and where the proof will be; again they are the same plan', async () => {
    const { status, body } = await post({ query: QUERY, sentence: SAID });
    expect([status, body.error]).toEqual([201, undefined]);
    const { plan_id, stated_at, salt, statement } = body;
    expect(body).toMatchObject({ query: UNDERSTOOD, sentence: SAID, asked_before: false, log_index: null });
    expect(salt).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.parse(statement)).toEqual({
      ...{ v: 1, plan_id, stated_at, asked_before: false, sentence: SAID, query: UNDERSTOOD },
    });
    expect(body.receipt).toEqual({
      url: receiptOf(plan_id),
      origin: 'log.test/log/1',
      included_by: new Date(Date.parse(stated_at) + 5 * MINUTE).toISOString(),
    });
    await logAll(service);
    const again = await post({ query: { ...QUERY, symbol: 'MSFT' }, sentence: SAID });
    expect([again.status, again.body]).toEqual([200, { ...body, log_index: expect.any(Number) }]);
  });

  test('are 404 NOT_LOGGED_YET until the log has them, then a proof that the verifier accepts', async () => {
    const { plan_id, leaf, salt, statement, producer } = await stated('It is logged.');
    const early = await agent.get(receiptOf(plan_id));
    expect([early.status, early.body.error.code]).toEqual([404, 'NOT_LOGGED_YET']);
    expect(early.headers['retry-after']).toBeDefined();
    await logAll(service);
    const { status, text } = await agent.get(receiptOf(plan_id));
    expect(status).toBe(200);
    const opening = JSON.parse(opened(text)) as PlanOpening;
    expect(opening).toEqual({ v: 1, leaf: { t: 'plan', c: leaf, v: 1 }, salt, statement, producer });
    expect(await verdictsOf(text, KEPT_LOG_POLICY)).toMatchObject({
      ...{ signature: 'holds', inclusion: 'holds', opening: 'holds', time: 'not checked' },
    });
    const full = await agent.get(receiptOf(plan_id, '?opening=full'));
    const { owner_id, agent_id } = agent;
    expect(JSON.parse(opened(full.text))).toEqual({ ...opening, owner: { owner_id, agent_id } });
    expect(await verdictsOf(full.text, KEPT_LOG_POLICY)).toMatchObject({ opening: 'holds', producer: 'holds' });
    expect(full.headers['x-quota-resource']).toBe('none');
  });

  test('are read as they were stated, and listed page by page, the newest first', async () => {
    const own = await anAgentAt(service);
    const bodies = [];
    for (const sentence of ['One.', 'Two.', 'Three.']) {
      bodies.push((await post({ query: QUERY, sentence }, own)).body);
      await service.arrange.advance(MINUTE);
    }
    const [first] = bodies;
    expect((await own.get(`${PLANS}/${first.plan_id}`)).body).toEqual(first);
    await logAll(service);
    const read = await own.get(`${PLANS}/${first.plan_id}`);
    expect(read.body).toEqual({ ...first, log_index: expect.any(Number) });
    expect(read.headers['x-quota-resource']).toBe('none');
    const page = (await own.get(`${PLANS}?limit=2`)).body;
    const rest = (await own.get(`${PLANS}?limit=2&cursor=${page.next_cursor}`)).body;
    expect([page.items.length, rest.next_cursor]).toEqual([2, null]);
    const { plan_id, stated_at, query, sentence, asked_before } = first;
    expect(rest.items).toEqual([
      {
        ...{ plan_id, stated_at, query, sentence, asked_before },
        agent_id: own.agent_id,
        log_index: read.body.log_index,
      },
    ]);
    const ids = [...page.items, ...rest.items].map((each: { plan_id: string }) => each.plan_id);
    expect(ids).toEqual(bodies.map((each) => each.plan_id).toReversed());
  });

  test('are listed for the agent of a key, and for the whole account without one', async () => {
    const own = await anAgentAt(service);
    const mate = await anAgentAt(service, { mate: own });
    const unbound = await anAgentAt(service, { mate: own, bound: false });
    const sentencesOf = async (by: TestAgent) => {
      const { body } = await by.get(PLANS);
      return body.items.map(({ sentence, agent_id }: Record<string, string>) => [sentence, agent_id]);
    };
    await post({ query: QUERY, sentence: 'Mine.' }, own);
    await service.arrange.advance(MINUTE);
    await post({ query: QUERY, sentence: "The mate's." }, mate);
    const [mine, ofMate] = [
      ['Mine.', own.agent_id],
      ["The mate's.", mate.agent_id],
    ];
    expect(await sentencesOf(own)).toEqual([mine]);
    expect(await sentencesOf(mate)).toEqual([ofMate]);
    expect(await sentencesOf(unbound)).toEqual([ofMate, mine]);
    expect(await sentencesOf(await anAgentAt(service))).toEqual([]);
    const { next_cursor } = (await unbound.get(`${PLANS}?limit=1`)).body;
    const foreign = await own.get(`${PLANS}?cursor=${next_cursor}`);
    expect([foreign.status, foreign.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('of another owner are 404 in the words for what never was', async () => {
    const { plan_id } = await stated('It is mine.');
    await logAll(service);
    const other = await anAgentAt(service);
    const never = '00000000-0000-7000-8000-000000000000';
    for (const pathOf of [receiptOf, (id: string) => `${PLANS}/${id}`]) {
      const [refused, absent] = [await other.get(pathOf(plan_id)), await other.get(pathOf(never))];
      expect([refused.status, absent.status]).toEqual([404, 404]);
      expect(refused.body.error.message.replace(plan_id, '')).toBe(absent.body.error.message.replace(never, ''));
    }
  });

  test('are named by cohort replies for the same filters alone, to their owner alone', async () => {
    const own = await anAgentAt(service);
    const { body } = await post({ query: { market: 'crypto', symbol: 'BTC' }, sentence: SAID }, own);
    const asked = async (query: Record<string, string>, by = own) => (await wisdom(query, by)).body;
    const btc = { market: 'crypto', symbol: 'btc-usdt' };
    expect(await asked(btc)).toMatchObject({ plan: { log_index: null, stated_at: body.stated_at }, queries_asked: 0 });
    await logAll(service);
    const later = await asked({ ...btc, limit: '1', sort: 'data_cutoff_desc', as_of: '2020-01-01T00:00:00Z' });
    expect(later).toMatchObject({
      ...{ plan: { log_index: expect.any(Number), stated_at: body.stated_at }, queries_asked: 1 },
    });
    expect(later.overview.suppression.applied).toBe(true);
    expect(await asked({ ...btc, direction: 'bullish' })).toMatchObject({ plan: null, queries_asked: 1 });
    expect(await asked({ ...btc, include_retroactive: 'true' })).toMatchObject({ plan: null, queries_asked: 2 });
    const mate = await anAgentAt(service, { mate: own });
    expect(await asked(btc, mate)).toMatchObject({ plan: { stated_at: body.stated_at }, queries_asked: 3 });
    expect(await asked(btc, await anAgentAt(service))).toMatchObject({ plan: null, queries_asked: 0 });
  });

  test('say that their question was asked before; a query that is refused asked nothing', async () => {
    const own = await anAgentAt(service);
    expect((await wisdom({ market: 'stock', symbol: '???' }, own)).status).toBe(422);
    const query = { market: 'stock', symbol: 'IBM' };
    expect((await wisdom(query, own)).body.queries_asked).toBe(0);
    expect((await post({ query, sentence: SAID }, own)).body.asked_before).toBe(true);
    expect((await post({ query: { market: 'stock', symbol: 'AAPL' }, sentence: SAID }, own)).body.asked_before).toBe(
      false,
    );
  });

  test.each<readonly [string, object, string]>([
    ['no sentence', { query: QUERY }, 'sentence'],
    ['a blank one', { query: QUERY, sentence: ' \n' }, 'sentence'],
    ['a long one', { query: QUERY, sentence: 'x'.repeat(PLAN.sentenceLength + 1) }, 'sentence'],
    ['no query', { sentence: SAID }, 'query'],
    ['no market', { query: {}, sentence: SAID }, 'query.market'],
    ['a page', { query: { ...QUERY, limit: 5 }, sentence: SAID }, 'query.limit'],
    ['an as_of', { query: { ...QUERY, as_of: '2020-01-01T00:00:00Z' }, sentence: SAID }, 'query.as_of'],
    ['a symbol that is none', { query: { market: 'stock', symbol: '???' }, sentence: SAID }, 'query.symbol'],
    [
      'a text for a truth value',
      { query: { ...QUERY, include_retroactive: 'true' }, sentence: SAID },
      'query.include_retroactive',
    ],
    [
      'times that end before they begin',
      { query: { ...QUERY, data_cutoff_until: '2002-01-01T00:00:00Z' }, sentence: SAID },
      'query.data_cutoff_until',
    ],
  ])('with %s are refused, and the fault is named', async (_, body, path) => {
    const { status, body: refusal } = await post(body);
    expect([[400, 422].includes(status), refusal.error.code]).toEqual([true, 'VALIDATION_ERROR']);
    expect(refusal.error.details.map((each: { path: string }) => each.path)).toContain(path);
  });

  test('are so many a day, with the wait until the next', async () => {
    const own = await anAgentAt(service, { bound: true });
    for (let n = 0; n < PLAN.perDay; n += 1) {
      await service.arrange.advance(MINUTE / 10);
      expect((await post({ query: QUERY, sentence: `${n}` }, own)).status).toBe(201);
    }
    const { status, body, headers } = await post({ query: QUERY, sentence: 'one more' }, own);
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(headers['retry-after']).toBe(String(body.error.retry_after_seconds));
    expect(body.error.retry_after_seconds).toBeLessThanOrEqual(DAY / 1_000);
    expect((await post({ query: QUERY, sentence: '0' }, own)).status).toBe(200);
  });

  test('need a key that may write, of an agent', async () => {
    const reader = await anAgentAt(service, { mate: agent, permission_mode: 'read_only' });
    const unbound = await anAgentAt(service, { mate: agent, bound: false });
    const codes = [];
    for (const by of [reader, unbound]) codes.push((await post({ query: QUERY, sentence: SAID }, by)).body.error.code);
    expect(codes).toEqual(['FORBIDDEN', 'KEY_UNBOUND']);
  });

  test('are stated where no log is kept, and promise no receipt', async () => {
    const quiet = await openService(storage, { at: COHORTS_AT });
    try {
      const by = await anAgentAt(quiet);
      const { status, body } = await request(quiet.app)
        .post(PLANS)
        .set('X-API-Key', by.api_key)
        .send({ query: QUERY, sentence: SAID });
      expect([status, body.receipt, body.log_index]).toEqual([201, null, null]);
      expect((await by.get(receiptOf(body.plan_id))).body.error.code).toBe('SERVICE_UNAVAILABLE');
    } finally {
      await quiet.close();
    }
  });
});
