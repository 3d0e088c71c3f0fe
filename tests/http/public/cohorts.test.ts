import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls, wisdom } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const LIMITS = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000' };
const BTC = { market: 'crypto', symbol: 'BTC', include_retroactive: 'true' };

type Query = Readonly<Record<string, string>>;

const askAt = (service: TestService, query: Query) =>
  strangerAt(service).get(`/api/v1/public/cohorts?${new URLSearchParams(query)}`);

describe.each(STORAGES)('public cohorts, on %s', (storage) => {
  let service: TestService;
  let agents: readonly TestAgent[];
  let records: readonly string[];
  beforeAll(async () => {
    const many = { LIMIT_QUERY_PER_DAY: '100000', LIMIT_PUBLIC_COHORTS_PER_MINUTE: '100000' };
    service = await openService(storage, { at: COHORTS_AT, env: { ...LIMITS, ...many } });
    agents = await Promise.all(Array.from({ length: 5 }, () => anAgentAt(service)));
    records = await gradedCalls(service, agents, [
      aPastCall(20),
      ...[30, 31, 33, 60, 61, 63].map((daysAgo) => aPastCall(daysAgo, { direction: 'bearish' })),
      aPastCall(70, { direction: 'neutral', horizon_value: 5 }),
    ]);
  });
  afterAll(() => service.close());

  const ask = (query: Query) => askAt(service, query);

  /** The parameters of wisdom for the same cohort. */
  const asWisdom = ({ period, ...query }: Query): Query => {
    if (period === undefined) return query;
    const [year = 0, month = 1, day = 1] = period.split('-').map(Number);
    const at = (...parts: readonly [number, number, number]) => new Date(Date.UTC(...parts)).toISOString();
    const units = period.split('-').length;
    const end = units === 1 ? at(year + 1, 0, 1) : units === 2 ? at(year, month, 1) : at(year, month - 1, day + 1);
    return { ...query, data_cutoff_since: at(year, month - 1, day), data_cutoff_until: end };
  };

  test('everybody gets the counts of a cohort of five owners, without its records', async () => {
    const { status, body, headers } = await ask(BTC);
    expect([status, body.query]).toEqual([200, { ...BTC, include_retroactive: true }]);
    expect(Object.keys(body)).toEqual(['query', 'read_as', 'overview']);
    const { sample_count, result_distribution, had_said, windows, suppression } = body.overview;
    expect([sample_count, suppression.applied]).toEqual([40, false]);
    for (const counts of [result_distribution, ...Object.values(had_said)] as readonly Record<string, number>[])
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(windows).toMatchObject({ instruments: 1, instrument_days: 8 });
    expect(JSON.stringify(body)).not.toContain('dec_');
    expect(headers['cache-control']).toBe('public, max-age=60, must-revalidate');
    expect(headers['x-quota-resource']).toBe('none');
  });

  test('it is the overview that an agent gets for the same cohort, shown or withheld', async () => {
    const periods = ['2017', '2016', '2017-05', '2017-04', '2017-03', '2017-05-16', '2017-05-06', undefined];
    const sides = [
      {},
      { direction: 'bearish' },
      { horizon_kind: 'trading_days', horizon_value: '5' },
      { venue: 'KRAKEN' },
    ];
    const shown = { some: 0, withheld: 0 };
    for (const retroactive of ['true', 'false'])
      for (const side of sides)
        for (const period of periods) {
          const query = { ...BTC, ...side, include_retroactive: retroactive, ...(period ? { period } : {}) };
          const { body, status } = await ask(query);
          const [agent] = agents;
          const { body: same } = agent ? await wisdom(agent, asWisdom(query)) : { body: null };
          expect([query, status, body.overview]).toEqual([query, 200, same.overview]);
          shown[body.overview.sample_count === null ? 'withheld' : 'some']++;
        }
    expect(Math.min(shown.some, shown.withheld)).toBeGreaterThan(5);
  });

  test('as_of pins a result to a time, and the copy of a cache is revalidated', async () => {
    const later = await ask({ ...BTC, as_of: '2017-06-05T12:30:00Z' });
    expect(later.body.overview.sample_count).toBe(40);
    const before = await ask({ ...BTC, as_of: '2017-06-05T12:00:00Z' });
    expect(before.body.overview.suppression.reason).toBe('too_few_samples');
    const { etag = '' } = (await ask(BTC)).headers;
    const again = await ask(BTC).set('if-none-match', etag);
    expect(again.status).toBe(304);
  });

  test.each([
    ['result_bucket', 'strong_correct', 'is not known here'],
    ['perspective_type', 'technical', 'is not known here'],
    ['method', 'eval/2', 'is not known here'],
    ['cohort_key', 'crypto:btc:spot:usd:bullish:swing:opinion', 'is not known here'],
    ['data_cutoff_since', '2017-05-16T12:20:00Z', 'is not known here'],
    ['limit', '5', 'is not known here'],
    ['period', '2017-02-29', 'must be in the calendar, in the years 1970 to 2100'],
    ['period', '1969', 'must be in the calendar, in the years 1970 to 2100'],
    ['period', '2017-5', 'must be a year, month or day, such as 2026, 2026-01 or 2026-01-30'],
  ])('%s=%s is 422 and says what to send', async (name, value, message) => {
    const { status, body } = await ask({ ...BTC, [name]: value });
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
    expect(body.error.details).toMatchObject([{ path: name, message: expect.stringContaining(message) }]);
  });

  test('a quarantined record leaves the counts with the next query', async () => {
    const [first = ''] = records;
    await service.arrange.mark(first, { quarantine_reason: 'a test' });
    expect((await ask(BTC)).body.overview.sample_count).toBe(39);
  });
});

describe.each(STORAGES)('the limit of public cohorts, on %s', (storage) => {
  let service: TestService;
  beforeEach(async () => {
    const limits = {
      LIMIT_PUBLIC_COHORTS_PER_MINUTE: String(CONTRACT_LIMITS.publicCohortsPerMinute),
      LIMIT_ADDRESS_PER_MINUTE: '60',
    };
    service = await openService(storage, { at: COHORTS_AT, env: limits });
  });
  afterEach(() => service.close());

  test('an address has a window for them, which other requests do not use and they do not use that of others', async () => {
    const { publicCohortsPerMinute: most } = CONTRACT_LIMITS;
    const replies = await Promise.all(Array.from({ length: most + 3 }, () => askAt(service, BTC)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(most);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.body.error.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused?.headers['x-ratelimit-limit']).toBe(String(most));
    const other = await strangerAt(service).get('/api/v1/public/decisions');
    expect([other.status, other.headers['x-ratelimit-remaining']]).toEqual([200, '59']);
  });
});

test('PUBLIC_COHORTS=off: there are none, and cohorts of agents are as they were', async () => {
  const service = await openService('memory', { at: COHORTS_AT, env: { ...LIMITS, PUBLIC_COHORTS: 'off' } });
  const { status, body } = await askAt(service, BTC);
  expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  expect((await wisdom(await anAgentAt(service), BTC)).status).toBe(200);
  await service.close();
});
