import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import { DAY, rfc3339 } from '../../../domain/time.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { COHORTS_AT as AT, aPastCall, gradedCalls, wisdom } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const BTC = { market: 'crypto', symbol: 'BTC', include_retroactive: 'true' };
const PINNED = { ...BTC, venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' };
const TWO_CALLS = [aPastCall(20), aPastCall(30, { direction: 'bearish', perspective_type: 'technical' })];
const WITHHELD = {
  sample_count: null,
  retroactive_count: null,
  result_distribution: null,
  had_said: null,
  time_range: null,
  windows: null,
  largest_owner_share: null,
  ungraded: null,
};

describe.each(STORAGES)('cohorts of graded records, on %s', (storage) => {
  let service: TestService;
  let reader: TestAgent;
  let pricesAreOut: boolean;
  beforeEach(async () => {
    pricesAreOut = false;
    service = await openService(storage, {
      at: AT,
      env: { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000' },
      ports: ({ marketData }) => ({
        marketData: {
          ...marketData,
          async bars(...query) {
            if (pricesAreOut) throw new SourceUnavailable('out');
            return marketData.bars(...query);
          },
        },
      }),
    });
    reader = await anAgentAt(service);
  });
  afterEach(() => service.close());

  const newAgents = (count: number) => Promise.all(Array.from({ length: count }, () => anAgentAt(service)));
  const bodyOf = async (query: Parameters<typeof wisdom>[1]) => {
    const { status, body, text } = await wisdom(reader, query);
    if (status !== 200) throw new Error(text);
    return body;
  };
  const counted = async (query: Parameters<typeof wisdom>[1]) => (await bodyOf(query)).overview.sample_count;

  test('a cohort of four owners is withheld, however many records it has; the fifth owner opens it', async () => {
    await gradedCalls(service, await newAgents(4), [...TWO_CALLS, aPastCall(40)]);
    const closed = await bodyOf(BTC);
    expect(closed).toMatchObject({ overview: WITHHELD, items: [], facets: [], next_cursor: null });
    expect(closed.overview.suppression).toEqual({
      applied: true,
      reason: 'too_few_producers',
      message: 'Without result_bucket, method, grid and time bounds, the records that match have fewer than 5 owners.',
      min_producers: 5,
      min_samples: 10,
    });
    await gradedCalls(service, await newAgents(1), [aPastCall(20)]);
    expect((await bodyOf(BTC)).overview).toMatchObject({
      sample_count: 13,
      suppression: { applied: false, reason: null, message: null },
    });
  });

  test('a cohort of five owners with nine records is withheld; the tenth record opens it, and its quarantine closes it', async () => {
    const agents = await newAgents(5);
    await gradedCalls(service, agents, [aPastCall(20)]);
    await gradedCalls(service, agents.slice(0, 4), [aPastCall(30)]);
    expect((await bodyOf(BTC)).overview).toEqual({
      ...WITHHELD,
      suppression: {
        applied: true,
        reason: 'too_few_samples',
        message: 'Fewer than 10 records match the query.',
        min_producers: 5,
        min_samples: 10,
      },
    });
    const [tenth = ''] = await gradedCalls(service, agents.slice(4), [aPastCall(30)]);
    expect(await counted(BTC)).toBe(10);
    await service.arrange.mark(tenth, { quarantine_reason: 'a test' });
    expect(await counted(BTC)).toBeNull();
  });

  test('a part of a shown cohort is withheld although both thresholds are met, and the reply says so in words', async () => {
    await gradedCalls(service, await newAgents(5), [...TWO_CALLS, aPastCall(60)]);
    expect(await counted(BTC)).toBe(15);
    const { items } = await bodyOf({ ...BTC, limit: '100' });
    const oldest = items.at(-1).data_cutoff;
    const data_cutoff_since = new Date(Date.parse(oldest) + 1).toISOString();
    const { overview } = await bodyOf({ ...BTC, data_cutoff_since });
    expect(overview).toMatchObject({ ...WITHHELD, suppression: { applied: true, reason: 'narrowed_too_far' } });
    expect(overview.suppression.message).toMatch(
      /^The cohort has enough records and owners, and enough records match\./,
    );
  });

  test('ungraded records are counted next to graded ones, from five owners and ten ungraded records on', async () => {
    const agents = await newAgents(5);
    await gradedCalls(service, agents, TWO_CALLS);
    const ungraded = async (query: Parameters<typeof wisdom>[1]) => (await bodyOf(query)).overview.ungraded;
    const crypto = { market: 'crypto', include_retroactive: 'true' };
    const rejected = (daysAgo: number) => aPastCall(daysAgo, { symbol: 'NOSUCHCOIN' });
    await gradedCalls(service, agents.slice(0, 4), [rejected(30), rejected(40), rejected(50)]);
    expect(await ungraded(crypto)).toBeNull();
    const [fifth = ''] = await gradedCalls(service, agents.slice(4), [rejected(20)]);
    expect(await ungraded(crypto)).toEqual({ rejected: 13, data_unavailable: [], suspected: 0 });
    const nulls = [
      { ...crypto, result_bucket: 'strong_correct' },
      { ...crypto, method: 'eval/2' },
      { ...crypto, grid: 'fine' },
      { ...crypto, as_of: '2100-01-01T00:00:00Z' },
      { ...crypto, data_cutoff_since: '2000-01-01T00:00:00Z' },
      { ...crypto, symbol: 'NOSUCHCOIN' },
      { ...crypto, symbol: 'BTC' },
      { market: 'crypto' },
    ];
    for (const query of nulls) expect([query, await ungraded(query)]).toEqual([query, null]);
    await service.arrange.mark(fifth, { quarantine_reason: 'a test' });
    expect(await ungraded(crypto)).toBeNull();
  });

  test('several agents of one owner are one producer', async () => {
    const agents = await newAgents(4);
    const mates = await Promise.all([0, 1].map(() => anAgentAt(service, { mate: agents[0] as TestAgent })));
    await gradedCalls(service, [...agents, ...mates], TWO_CALLS);
    expect(await counted(BTC)).toBeNull();
  });

  test('the reply contains exact counts, rows with their path, and facets', async () => {
    const ids = await gradedCalls(service, await newAgents(5), TWO_CALLS);
    const body = await bodyOf({ ...BTC, limit: 100 });
    expect(body.query).toEqual({ ...BTC, include_retroactive: true, sort: 'data_cutoff_desc', limit: 100 });
    const { sample_count, retroactive_count, result_distribution, time_range } = body.overview;
    expect([sample_count, retroactive_count]).toEqual([10, 10]);
    expect(body.overview.windows).toEqual({ instruments: 1, instrument_days: 2, max_concurrent: 5, disjoint: 2 });
    expect(time_range).toEqual({
      earliest: rfc3339(AT.getTime() - 30 * DAY),
      latest: rfc3339(AT.getTime() - 20 * DAY),
    });
    expect(body.facets.toSorted((a: { dimension: string }) => (a.dimension ? 1 : -1))).toEqual([
      { dimension: null, total: 5 },
      { dimension: 'technical', total: 5 },
    ]);
    expect(body.items.map(({ record_id }: { record_id: string }) => record_id).toSorted()).toEqual(ids.toSorted());
    const rows = Object.groupBy(body.items, ({ result_bucket }: { result_bucket: string }) => result_bucket);
    for (const [bucket, count] of Object.entries(result_distribution)) expect(rows[bucket]?.length ?? 0).toBe(count);
    const details = await Promise.all(ids.map(async (id) => (await reader.read(id)).body));
    for (const [direction, counts] of Object.entries<Record<string, number>>(body.overview.had_said)) {
      const said = Object.groupBy(details, ({ outcome }) => outcome.had_said[direction]);
      for (const [bucket, count] of Object.entries(counts)) expect(said[bucket]?.length ?? 0).toBe(count);
    }
    const [row] = body.items;
    const { body: detail } = await reader.read(row.record_id);
    const { outcome, created_regime } = detail;
    expect(detail.created_regime_values).toEqual({ vol: expect.any(Number), trend: expect.any(Number) });
    expect(row).toEqual({
      ...Object.fromEntries(SHARED.map((field) => [field, detail[field]])),
      created_regime,
      path: {
        raw_return: outcome.raw_return,
        directional_return: outcome.directional_return,
        mfe: outcome.mfe.value,
        mae: outcome.mae.value,
      },
    });
  });

  test('a whole cohort of thirty records shows about how much its largest owner has', async () => {
    const share = async (query: object = {}) => (await bodyOf({ ...BTC, ...query })).overview.largest_owner_share;
    const agents = await newAgents(5);
    const calls = (count: number, changes: Partial<Submission> = {}) =>
      Array.from({ length: count }, (_, i) => aPastCall(20 + i, changes));
    await gradedCalls(service, agents.slice(0, 4), calls(6));
    await gradedCalls(service, agents.slice(4), calls(5));
    expect([await counted(BTC), await share()]).toEqual([29, null]);
    await gradedCalls(service, agents.slice(4), [aPastCall(30)]);
    expect(await share()).toBe('up_to_a_third');
    const bearish = { direction: 'bearish', perspective_type: 'technical' } as const;
    await gradedCalls(service, agents.slice(1), calls(4, bearish));
    await gradedCalls(service, agents.slice(0, 1), calls(14, bearish));
    expect([await share({ direction: 'bullish' }), await share(bearish)]).toEqual(['up_to_a_third', null]);
    expect(await share({ direction: 'bearish' })).toBe('more');
    const narrowed = { ...BTC, direction: 'bearish', data_cutoff_since: '2015-01-01T00:00:00Z' } as const;
    expect([await counted(narrowed), await share(narrowed)]).toEqual([30, null]);
    expect([
      await counted({ ...BTC, as_of: rfc3339(AT.getTime() + DAY) }),
      await share({ as_of: rfc3339(AT) }),
    ]).toEqual([60, null]);
  });

  test('retroactive records count only when the query includes them', async () => {
    await gradedCalls(service, await newAgents(5), TWO_CALLS);
    expect((await bodyOf({ ...BTC, include_retroactive: 'false' })).overview).toMatchObject({
      sample_count: null,
      suppression: { reason: 'too_few_samples' },
    });
  });

  test('only a query for one instrument returns the current regime, also in its rows; null without prices', async () => {
    await gradedCalls(service, await newAgents(5), TWO_CALLS);
    for (const loose of ['symbol', 'venue', 'asset_class', 'quote_currency']) {
      const body = await bodyOf({ ...PINNED, [loose]: undefined });
      expect([body.overview.sample_count, 'cohort_current_regime' in body]).toEqual([10, false]);
      expect('cohort_current_regime' in body.items[0]).toBe(false);
    }
    const { cohort_current_regime: regime, items } = await bodyOf(PINNED);
    expect(regime).toMatch(/^(up|range|down)_(low|mid|high)$/);
    expect(items.map((row: Record<string, string>) => row.cohort_current_regime)).toEqual(Array(10).fill(regime));
    pricesAreOut = true;
    const without = await bodyOf(PINNED);
    expect([without.cohort_current_regime, without.overview.sample_count]).toEqual([null, 10]);
    expect(await bodyOf({ ...PINNED, symbol: 'NOSUCH' })).toMatchObject({ cohort_current_regime: null, items: [] });
  });

  test('names are understood as in submissions, and returned in their normal form', async () => {
    await gradedCalls(service, await newAgents(5), TWO_CALLS);
    for (const symbol of ['btc', ' BTC ', 'BTC-USD', 'BTC/USDT', 'BTCUSDT']) {
      const { query, overview } = await bodyOf({ ...BTC, market: 'Crypto', symbol });
      expect([query.market, query.symbol, overview.sample_count]).toEqual(['crypto', 'BTC', 10]);
    }
    const sent = { ...PINNED, symbol: 'btcusd', venue: 'coinbase', asset_class: 'SPOT', quote_currency: 'usd' };
    expect(await bodyOf(sent)).toMatchObject({
      query: { ...PINNED, include_retroactive: true },
      items: { length: 10 },
    });
    const cohort_key = 'CRYPTO:BTC:spot:USD:bullish:swing:opinion';
    expect((await bodyOf({ ...BTC, cohort_key })).query.cohort_key).toBe(cohort_key.toLowerCase());
  });

  test('contradictory filters select nothing, and the reply is suppressed', async () => {
    await gradedCalls(service, await newAgents(5), TWO_CALLS);
    const contradictions = [
      { ...BTC, cohort_key: 'stock:msft:spot:usd:bullish:swing:opinion' },
      { ...BTC, venue: 'NASDAQ' },
      { ...BTC, horizon_kind: 'holding_seconds', horizon_value: 2 },
      { ...BTC, as_of: '1999-12-31T00:00:00Z' },
    ];
    for (const query of contradictions) {
      expect((await bodyOf(query)).overview).toMatchObject({ sample_count: null, suppression: { applied: true } });
    }
  });
});

const SHARED = [
  ...['record_id', 'market', 'symbol', 'venue', 'asset_class', 'quote_currency', 'cohort_key', 'direction'],
  ...['analysis_class', 'perspective_type', 'horizon_kind', 'horizon_value', 'data_cutoff', 'submission_origin'],
  ...['result_bucket', 'evaluated_at'],
];
