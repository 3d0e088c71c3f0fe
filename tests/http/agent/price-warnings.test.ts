import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

/** A Monday in the session of New York, years after the last packaged price. */
const TODAY = new Date('2026-11-23T15:00:00.000Z');

const stock = (symbol: string, changes: Partial<Submission> = {}) =>
  aSubmission(TODAY, {
    market: 'stock',
    symbol,
    venue: 'NASDAQ',
    horizon_kind: 'trading_days',
    horizon_value: 5,
    ...changes,
  });
const RETROACTIVE = stock('MSFT', { data_cutoff: '2003-02-13T14:00:00Z' });
const HOUR_OF_DAYS = stock('MSFT', {
  data_cutoff: '2003-02-13T16:00:00Z',
  horizon_kind: 'holding_seconds',
  horizon_value: 3_600,
});

type Warned = { readonly body: { readonly warnings: readonly { readonly code: string; readonly message: string }[] } };
const priceCodes = ({ body }: Warned) => body.warnings.map(({ code }) => code).filter((code) => code.includes('PRICE'));

describe.each(STORAGES)('what the configured sources cover, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    service = await openService(storage, { at: TODAY, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
    agent = await anAgentAt(service);
  });
  afterAll(() => service.close());

  test('a pair without a separator, and an exchange\u2019s code: what the symbol was read as, in the dry run, the reply and its repetition', async () => {
    for (const [symbol, read] of [
      ['BTCUSD', 'BTC'],
      ['XBT', 'BTC'],
      ['XDG/USD', 'DOGE'],
    ] as const) {
      const body = aSubmission(TODAY, { symbol });
      const previewed = await agent.preview(body);
      const submitted = await agent.submit(body, { 'idempotency-key': symbol });
      const repeated = await agent.submit(body, { 'idempotency-key': symbol });
      for (const { body: reply } of [previewed, submitted, repeated]) {
        const { message } = reply.warnings.find(({ code }: { code: string }) => code === 'SYMBOL_READ_AS');
        expect(message).toMatch(new RegExp(`^The symbol was read as ${read}\\. `));
      }
      expect(submitted.body.cohort_key).toContain(`crypto:${read.toLowerCase()}:`);
    }
    const { body } = await agent.preview(aSubmission(TODAY, { symbol: 'LSETH-USD' }));
    expect([body.normalized.symbol, body.warnings.map(({ code }: { code: string }) => code)]).toEqual([
      'LSETH',
      expect.not.arrayContaining(['SYMBOL_READ_AS']),
    ]);
  });

  test.each([
    ['a stock that no source serves', stock('AAPL'), ['NO_PRICE_SOURCE']],
    ['another one', stock('NVDA'), ['NO_PRICE_SOURCE']],
    ['a coin that no source serves', aSubmission(TODAY, { symbol: 'ETH' }), ['NO_PRICE_SOURCE']],
    ['a stock whose packaged prices end in 2014', stock('MSFT'), ['PRICES_END_BEFORE_WINDOW']],
    ['a coin whose packaged prices end in 2017', aSubmission(TODAY), ['PRICES_END_BEFORE_WINDOW']],
    ['a window before the first price', stock('MSFT', { data_cutoff: '1999-02-16T14:00:00Z' }), ['NO_PRICE_SOURCE']],
    [
      'a window that begins before the end of the prices and ends after it',
      stock('MSFT', { data_cutoff: '2014-08-06T21:00:00Z' }),
      ['PRICES_END_BEFORE_WINDOW'],
    ],
    ['a retroactive window within the prices', RETROACTIVE, []],
    ['an hour within the prices, which are of whole days', HOUR_OF_DAYS, ['NO_PRICE_SOURCE']],
  ])('%s: the same warnings in the dry run and in the reply', async (_, body, codes) => {
    const previewed = await agent.preview(body);
    const submitted = await agent.submit(body);
    expect([previewed.status, previewed.body.valid, submitted.status]).toEqual([200, true, 201]);
    expect([priceCodes(previewed), priceCodes(submitted)]).toEqual([codes, codes]);
    expect(submitted.body.expected_evaluation_at === null).toBe(codes.length > 0);
    for (const { code, message } of submitted.body.warnings) {
      if (codes.includes(code)) expect(message).toMatch(/ask the operator to set a source .* or to import bars/);
    }
  });

  test('a window too short for the steps of its price is warned of, dated, and ends as coarse_prices', async () => {
    const shanghai = {
      symbol: '600000',
      venue: 'SSE',
      quote_currency: 'CNY',
      data_cutoff: '2024-07-03T10:00:00+08:00',
    };
    const call = (horizon_value: number) =>
      stock('600000', { ...shanghai, horizon_kind: 'holding_seconds', horizon_value });
    const [previewed, short] = [await agent.preview(call(600)), await agent.submit(call(600))];
    expect([priceCodes(previewed), priceCodes(short)]).toEqual([['COARSE_PRICES'], ['COARSE_PRICES']]);
    expect(short.body.expected_evaluation_at).toBe(TODAY.toISOString());
    const long = await agent.submit({ ...call(4 * 3_600), direction: 'neutral' });
    expect(priceCodes(long)).toEqual([]);
    await service.settle();
    const states = await Promise.all([short, long].map(({ body }) => agent.get(body.state_url)));
    expect(states.map(({ body }) => body.lifecycle_state)).toEqual(['data_unavailable', 'evaluated']);
    expect(states[0]?.body.evaluation.last_error).toMatch(/^coarse_prices: One step of the price is /);
  });

  test.each([
    ['before the open', '2003-02-13T14:00:00Z'],
    ['in the session', '2003-02-13T17:12:34.567Z'],
    ['at the close', '2003-02-13T21:00:00Z'],
    ['on a weekend', '2003-02-15T12:00:00Z'],
    ['before a day that ends early', '2012-12-24T13:00:00Z'],
    ['before days without sessions', '2012-10-26T22:00:00Z'],
  ])('one session on daily bars is graded from its open to its close, sent %s', async (_, data_cutoff) => {
    const agent = await anAgentAt(service);
    const call = { data_cutoff, horizon_value: 1 };
    const sent = await Promise.all(['MSFT', 'TXN'].map((symbol) => agent.submit(stock(symbol, call))));
    await service.settle();
    for (const { body } of sent) {
      const { outcome, lifecycle_state } = (await agent.read(body.record_id)).body;
      expect(lifecycle_state).toBe('evaluated');
      expect(outcome).toMatchObject({ bar_size: '1d', bars_traded: 1, bars_expected: 1, tau: 1 - outcome.omega });
    }
  });

  test('no view dates an outcome that no source can give, and each gives the reason', async () => {
    const { record_id, state_url } = (await agent.submit(stock('MSFT', { direction: 'bearish' }))).body;
    await service.settle();
    const list = (await agent.get('/api/v1/agent/decisions')).body.items;
    const graph = (await agent.get(`/api/v1/agent/decisions/${record_id}/graph`)).body.nodes;
    const views = [
      (await agent.get(state_url)).body,
      (await agent.read(record_id)).body,
      list.find((item: { record_id: string }) => item.record_id === record_id),
      graph[0],
    ];
    for (const { lifecycle_state, expected_evaluation_at, evaluation } of views) {
      expect([lifecycle_state, expected_evaluation_at, evaluation.last_error]).toEqual([
        'verified',
        null,
        'PRICES_END_BEFORE_WINDOW: bar-files has 1d bars from 2000-01-03T14:30:00.000Z to 2014-08-08T20:00:00.000Z. The ' +
          'window is from 2026-11-23T15:00:00.000Z to 2026-12-01T21:00:00.000Z. An operator can import bars or set a source.',
      ]);
    }
  });

  test('an hour of prices by the day has the sizes as its reason, and ends as `below_resolution`', async () => {
    const { state_url, expected_evaluation_at } = (await agent.submit({ ...HOUR_OF_DAYS, direction: 'neutral' })).body;
    expect([expected_evaluation_at, (await agent.get(state_url)).body.evaluation.last_error]).toEqual([
      null,
      'NO_PRICE_SOURCE: bar-files has 1d bars from 2000-01-03T14:30:00.000Z to 2014-08-08T20:00:00.000Z. The window is ' +
        'from 2003-02-13T16:00:00.000Z to 2003-02-13T17:00:00.000Z. Bars of 1d are too long for it. An operator can ' +
        'import bars or set a source.',
    ]);
    await service.settle();
    const { lifecycle_state, evaluation } = (await agent.get(state_url)).body;
    expect([lifecycle_state, evaluation.last_error]).toEqual([
      'data_unavailable',
      'below_resolution: No bar of 1d is whole within the window.',
    ]);
  });

  test('a replay repeats the warning', async () => {
    const headers = { 'Idempotency-Key': 'priced' };
    const first = await agent.submit(stock('TXN'), headers);
    const second = await agent.submit(stock('TXN'), headers);
    expect([second.headers['idempotency-replayed'], second.body]).toEqual(['true', first.body]);
    expect([priceCodes(second), second.body.expected_evaluation_at]).toEqual([['PRICES_END_BEFORE_WINDOW'], null]);
  });

  test('a rejected record is not dated', async () => {
    const { state_url } = (await agent.submit(stock('AMZN'))).body;
    await service.settle();
    const { lifecycle_state, expected_evaluation_at, evaluation } = (await agent.get(state_url)).body;
    expect([lifecycle_state, expected_evaluation_at]).toEqual(['rejected', null]);
    expect(evaluation.last_error).toBe('No source knows this instrument.');
  });

  test('a graded record is dated as before', async () => {
    const { record_id, expected_evaluation_at } = (await agent.submit({ ...RETROACTIVE, direction: 'neutral' })).body;
    expect(expected_evaluation_at).toBe(TODAY.toISOString());
    await service.settle();
    const { body } = await agent.read(record_id);
    expect([body.lifecycle_state, body.expected_evaluation_at, body.evaluation.last_error]).toEqual([
      'evaluated',
      TODAY.toISOString(),
      null,
    ]);
  });
});
