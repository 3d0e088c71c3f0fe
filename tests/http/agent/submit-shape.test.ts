import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');
const valid = aSubmission(AT);
const without = (field: string) => Object.fromEntries(Object.entries(valid).filter(([name]) => name !== field));

/** The largest meta is 4,096 bytes with its frame. */
const metaOf = (bytes: number) => ({ m: 'x'.repeat(bytes - '{"m":""}'.length) });
const text = (length: number) => 'x'.repeat(length);
const list = <T>(length: number, item: (index: number) => T) => Array.from({ length }, (_, index) => item(index));
const id = (index: number) => `dec_20170605_${index.toString(16).padStart(8, '0')}`;
const input = (index: number) => ({ kind: 'prompt', name: String(index), sha256: '0a'.repeat(32) });
const targets = (extra: object) => ({ price_targets: { targets: [{ price: 1 }], ...extra } });

/** [name, accepted value at the limit, value that is refused with 422, its path]. */
const EDGES: readonly [string, object, object, string][] = [
  ['key_factors', { key_factors: list(10, text.bind(null, 1)) }, { key_factors: list(11, () => 'x') }, 'key_factors'],
  ['factor as text', { key_factors: [text(280)] }, { key_factors: [text(281)] }, 'key_factors.0'],
  [
    'factor',
    { key_factors: [{ factor: text(280) }] },
    { key_factors: [{ factor: text(281) }] },
    'key_factors.0.factor',
  ],
  ['empty factor', { key_factors: ['x'] }, { key_factors: [''] }, 'key_factors.0'],
  [
    'weight',
    { key_factors: [{ factor: 'x', weight: 1 }] },
    { key_factors: [{ factor: 'x', weight: 1.000001 }] },
    'key_factors.0.weight',
  ],
  ['confidence above', { confidence: 1 }, { confidence: 1.0001 }, 'confidence'],
  ['confidence below', { confidence: 0 }, { confidence: -0.0001 }, 'confidence'],
  ['reference_price', { reference_price: Number.MIN_VALUE }, { reference_price: 0 }, 'reference_price'],
  [
    'targets',
    targets({ targets: list(5, () => ({ price: 1 })) }),
    targets({ targets: list(6, () => ({ price: 1 })) }),
    'price_targets.targets',
  ],
  [
    'size_pct',
    targets({ targets: [{ price: 1, size_pct: 100 }] }),
    targets({ targets: [{ price: 1, size_pct: 101 }] }),
    'price_targets.targets.0.size_pct',
  ],
  [
    'threshold',
    { invalidation: [{ kind: 'drops_below', threshold: 1 }] },
    { invalidation: [{ kind: 'drops_below', threshold: 0 }] },
    'invalidation.0.threshold',
  ],
  [
    'record_ids',
    { service_interaction: { consulted: true, record_ids: list(32, id) } },
    { service_interaction: { consulted: true, record_ids: list(33, id) } },
    'service_interaction.record_ids',
  ],
  [
    'related_records',
    { related_records: [] },
    { related_records: list(17, (index) => ({ record_id: id(index), relation: 'extends' })) },
    'related_records',
  ],
  ['summary', { summary: text(4_000) }, { summary: text(4_001) }, 'summary'],
  ['tags', { tags: list(10, String) }, { tags: list(11, String) }, 'tags'],
  ['inputs', { inputs: list(16, input) }, { inputs: list(17, input) }, 'inputs'],
  [
    'name of an input',
    { inputs: [{ ...input(0), name: text(80) }] },
    { inputs: [{ ...input(0), name: text(81) }] },
    'inputs.0.name',
  ],
  [
    'line of its name',
    { inputs: [{ ...input(0), name: ' x ' }] },
    { inputs: [{ ...input(0), name: 'a\nb' }] },
    'inputs.0.name',
  ],
  [
    'its kind',
    { inputs: [{ ...input(0), kind: 'code' }] },
    { inputs: [{ ...input(0), kind: 'file' }] },
    'inputs.0.kind',
  ],
  ['its digest', { inputs: [input(1)] }, { inputs: [{ ...input(0), sha256: 'AB'.repeat(32) }] }, 'inputs.0.sha256'],
  [
    'each input once',
    { inputs: [input(0), { ...input(0), kind: 'tool' }] },
    { inputs: [input(0), { ...input(1), name: '0' }] },
    'inputs.1',
  ],
  ['blank factor', { key_factors: [' x '] }, { key_factors: [' \t'] }, 'key_factors.0'],
  ['blank tag', { tags: [' x '] }, { tags: [' '] }, 'tags.0'],
  ['blank model', { model: { id: ' x ' } }, { model: { id: '\n' } }, 'model.id'],
  ['blank summary', { summary: ' x ' }, { summary: '\u3000' }, 'summary'],
  ['tag', { tags: [text(40)] }, { tags: [text(41)] }, 'tags.0'],
  ['meta', { meta: metaOf(4_096) }, { meta: metaOf(4_097) }, 'meta'],
  ['seconds below', { horizon_value: 120 }, { horizon_value: 119 }, 'horizon_value'],
  ['seconds above', { horizon_value: 31_536_000 }, { horizon_value: 31_536_001 }, 'horizon_value'],
  [
    'days below',
    { horizon_kind: 'trading_days', horizon_value: 1 },
    { horizon_kind: 'trading_days', horizon_value: 0 },
    'horizon_value',
  ],
  [
    'days above',
    { horizon_kind: 'trading_days', horizon_value: 252 },
    { horizon_kind: 'trading_days', horizon_value: 253 },
    'horizon_value',
  ],
  ['whole seconds', { horizon_value: 3_600 }, { horizon_value: 3_600.5 }, 'horizon_value'],
  ['int32', { horizon_value: 3_600 }, { horizon_value: 2 ** 31 }, 'horizon_value'],
  [
    'seconds ahead',
    { data_cutoff: '2017-06-05T12:00:30.000Z' },
    { data_cutoff: '2017-06-05T12:00:30.001Z' },
    'data_cutoff',
  ],
  ['first year', { data_cutoff: '1970-01-01T00:00:00Z' }, { data_cutoff: '1969-12-31T23:59:59Z' }, 'data_cutoff'],
  ['offset', { data_cutoff: '2017-06-05T14:00:00+02:00' }, { data_cutoff: '2017-06-05T12:00:00' }, 'data_cutoff'],
  [
    'knowledge_cutoff as a date',
    { model: { knowledge_cutoff: '2016-02-29' } },
    { model: { knowledge_cutoff: '2017-02-29' } },
    'model.knowledge_cutoff',
  ],
  [
    'knowledge_cutoff as a timestamp',
    { model: { knowledge_cutoff: '2017-06-06T13:59:00+02:00' } },
    { model: { knowledge_cutoff: '2017-06-06T14:01:00+02:00' } },
    'model.knowledge_cutoff',
  ],
  [
    'knowledge_cutoff of a time without an offset',
    { model: { knowledge_cutoff: '1970-01-01' } },
    { model: { knowledge_cutoff: '2017-01-01T00:00:00' } },
    'model.knowledge_cutoff',
  ],
  ['direction', { direction: 'neutral' }, { direction: 'BULLISH' }, 'direction'],
  ['horizon_kind', {}, { horizon_kind: 'weeks' }, 'horizon_kind'],
  ['analysis_class', { analysis_class: 'opinion' }, { analysis_class: 'guess' }, 'analysis_class'],
  ['perspective_type', { perspective_type: 'composite' }, { perspective_type: 'astrology' }, 'perspective_type'],
  ['market', { market: ' Crypto ' }, { market: 'bonds' }, 'market'],
  ['venue', { venue: 'coinbase' }, { venue: 'MTGOX' }, 'venue'],
  ['asset_class', { asset_class: 'SPOT' }, { asset_class: 'perp' }, 'asset_class'],
  ['quote_currency', { quote_currency: 'usd' }, { quote_currency: 'GBX' }, 'quote_currency'],
  ['symbol', { symbol: 'BTC/USD' }, { symbol: 'BTC-EUR' }, 'symbol'],
  ['trade_plan', { analysis_class: 'trade_plan', ...targets({}) }, { analysis_class: 'trade_plan' }, 'price_targets'],
  ['neutral plan', targets({}), { direction: 'neutral', ...targets({}) }, 'price_targets'],
];

describe.each(STORAGES)('the shape of a submission, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    service = await openService(storage, {
      at: AT,
      env: { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_SUBMITS_PER_HOUR: '1000' },
    });
    agent = await anAgentAt(service);
  });
  afterAll(() => service.close());

  test.each(EDGES)('%s: accepted at the limit, 422 beyond it with the path', async (_, taken, refused, path) => {
    const yes = await agent.submit({ ...valid, ...taken });
    expect([yes.status, yes.body.error]).toEqual([201, undefined]);
    for (const judge of [agent.submit, agent.preview]) {
      const no = await judge({ ...valid, ...refused });
      expect([no.status, no.body.error.code, no.body.error.category]).toEqual([
        422,
        'VALIDATION_ERROR',
        'input_invalid',
      ]);
      expect(no.body.error.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
    }
  });

  test.each(Object.keys(valid))('400 without %s', async (field) => {
    const { status, body } = await agent.submit(without(field));
    expect([status, body.error.code, body.error.details]).toEqual([
      400,
      'VALIDATION_ERROR',
      [{ path: field, message: expect.stringContaining('is required') }],
    ]);
  });

  test.each([
    ['horizon_value', '3600'],
    ['horizon_value', null],
    ['symbol', 7],
    ['key_factors', 'one'],
    ['key_factors', [7]],
    ['tags', [1]],
    ['price_targets', []],
    ['meta', []],
    ['meta', 'x'],
    ['confidence', '0.5'],
    ['execution_info', { executed: 'true' }],
    ['related_records', [null]],
    ['model', { knowledge_cutoff: 2017 }],
  ])('400 when %s is %j', async (field, value) => {
    const { status, body } = await agent.submit({ ...valid, [field]: value });
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.details[0].path).toContain(field);
  });

  test.each([
    [{ horizon_valeu: 1 }, 'horizon_valeu', 'horizon_value'],
    [{ sumary: 's' }, 'sumary', 'summary'],
    [{ price_targets: { stoploss: { price: 1, kind: 'hard' } } }, 'price_targets.stoploss', 'stop_loss'],
    [{ key_factors: [{ factor: 'x', dependson: [] }] }, 'key_factors.0.dependson', 'depends_on'],
  ])('400 for the unknown member of %j, naming the nearest', async (extra, path, nearest) => {
    const { status, body } = await agent.submit({ ...valid, ...extra });
    expect(status).toBe(400);
    const [detail] = body.error.details;
    expect([detail.path, detail.message]).toEqual([path, `is not known here; did you mean ${nearest}?`]);
  });

  test.each([
    [{ side: 'buy' }, 'side', 'direction'],
    [{ short: true }, 'short', 'direction'],
    [{ up: 1 }, 'up', 'direction'],
    [{ ticker: 'MSFT' }, 'ticker', 'symbol'],
    [{ horizon: '5d' }, 'horizon', 'horizon_kind and horizon_value'],
    [{ timestamp: '2017-06-05T12:00:00Z' }, 'timestamp', 'data_cutoff'],
    [{ exchange: 'NASDAQ' }, 'exchange', 'venue'],
    [{ Rationale: 'x' }, 'Rationale', 'key_factors'],
    [{ 'stop-loss': 1 }, 'stop-loss', 'price_targets'],
    [{ price_targets: { take_profit: 2 } }, 'price_targets.take_profit', 'targets'],
    [{ key_factors: [{ factor: 'x', confidence: 1 }] }, 'key_factors.0.confidence', 'weight'],
    [{ related_records: [{ id: id(1), relation: 'extends', record_id: id(2) }] }, 'related_records.0.id', 'record_id'],
  ])('400 for the usual word in %j, with the member to send instead', async (extra, path, member) => {
    const { status, body } = await agent.submit({ ...valid, ...extra });
    expect(status).toBe(400);
    expect(body.error.details).toEqual([
      expect.objectContaining({ path, message: `is not known here; send ${member} instead` }),
    ]);
  });

  test.each([
    ['direction', 'long', 'bullish'],
    ['direction', 'buy', 'bullish'],
    ['direction', 'up', 'bullish'],
    ['direction', 'short', 'bearish'],
    ['direction', 'SELL', 'bearish'],
    ['direction', 'down', 'bearish'],
    ['direction', 'Bullish', 'bullish'],
    ['direction', 'hold', 'neutral'],
    ['direction', 'overweight', 'bullish'],
    ['direction', 'Strong Buy', 'bullish'],
    ['direction', 'strong-buy', 'bullish'],
    ['direction', 'accumulate', 'bullish'],
    ['direction', 'outperform', 'bullish'],
    ['direction', 'underweight', 'bearish'],
    ['direction', 'reduce', 'bearish'],
    ['direction', 'strong_sell', 'bearish'],
    ['direction', 'moderate buy', 'bullish'],
    ['direction', 'Mildly-Bearish', 'bearish'],
    ['direction', 'high conviction sell', 'bearish'],
    ['direction', 'sell to open', 'bearish'],
    ['direction', 'equal weight', 'neutral'],
    ['direction', 'market perform', 'neutral'],
    ['horizon_kind', 'days', 'trading_days'],
    ['horizon_kind', 'seconds', 'holding_seconds'],
    ['analysis_class', 'plan', 'trade_plan'],
  ])('422 for %s %s, with the value to send instead', async (field, word, value) => {
    const { status, body } = await agent.submit({ ...valid, [field]: word });
    expect(status).toBe(422);
    expect(body.error.details[0].path).toBe(field);
    expect(body.error.details[0].message).toMatch(new RegExp(`^must be one of .*; send ${value} instead$`));
  });

  test('400 for unknown members without a near name, and no list of all members', async () => {
    const { body } = await agent.submit({ ...valid, zzzzzzzz: 1, qqqqqqqq: 2 });
    expect(body.error.details.map(({ message }: { message: string }) => message)).toEqual([
      'is not known here; leave it out',
      'is not known here; leave it out',
    ]);
  });

  test('400 for unknown members of a small object, which lists its members once', async () => {
    const { body } = await agent.submit({ ...valid, model: { zzzzzzzz: 1, qqqqqqqq: 2 } });
    expect(body.error.details.map(({ message }: { message: string }) => message)).toEqual([
      'is not known here; known are id, knowledge_cutoff',
      'is not known here; leave it out',
    ]);
  });

  test('a reply reports all invalid values at once', async () => {
    const { status, body } = await agent.submit({
      ...valid,
      venue: 'MTGOX',
      direction: 'up',
      horizon_value: 1,
      data_cutoff: '2099-01-01T00:00:00Z',
      confidence: 2,
      key_factors: [{ factor: 'x', id: 'a', depends_on: ['b'] }],
      invalidation: list(2, () => ({ kind: 'drops_below', threshold: 1 })),
      related_records: [{ record_id: id(1), relation: 'extends' }],
    });
    const paths = body.error.details.map(({ path }: { path: string }) => path);
    expect(status).toBe(422);
    expect(paths.toSorted()).toEqual([
      'confidence',
      'data_cutoff',
      'direction',
      'horizon_value',
      'invalidation.1.kind',
      'key_factors.0.depends_on.0',
      'related_records.0.record_id',
      'venue',
    ]);
  });

  test('a body with faults of shape and of values gets 400, and the reply reports both', async () => {
    const { status, body } = await agent.submit({ ...without('symbol'), confidence: 2 });
    expect(status).toBe(400);
    expect(body.error.details.map(({ path }: { path: string }) => path).toSorted()).toEqual(['confidence', 'symbol']);
  });

  test.each([
    [
      'a circle',
      [
        { factor: 'x', id: 'a', depends_on: ['b'] },
        { factor: 'y', id: 'b', depends_on: ['a'] },
      ],
      'key_factors',
    ],
    ['itself', [{ factor: 'x', id: 'a', depends_on: ['a'] }], 'key_factors'],
    ['an unknown id', [{ factor: 'x', depends_on: ['a'] }], 'key_factors.0.depends_on.0'],
    [
      'one id twice',
      [
        { factor: 'x', id: 'a' },
        { factor: 'y', id: 'a' },
      ],
      'key_factors.1.id',
    ],
  ])('422 when the factors hold %s', async (_, key_factors, path) => {
    const { status, body } = await agent.submit({ ...valid, key_factors });
    expect([status, body.error.details[0].path]).toEqual([422, path]);
  });

  test('422 for the same kind of invalidation twice, and for a third', async () => {
    const invalidation = list(2, (index) => ({ kind: 'drops_below', threshold: index + 1 }));
    const twice = await agent.submit({ ...valid, invalidation });
    expect([twice.status, twice.body.error.details[0].path]).toEqual([422, 'invalidation.1.kind']);
    const third = { kind: 'rises_above', threshold: 9 };
    const { status, body } = await agent.submit({ ...valid, invalidation: [...invalidation.slice(1), third, third] });
    expect([status, body.error.details[0].path]).toEqual([422, 'invalidation']);
  });

  test('422 INVALID_SYMBOL names the nearest tickers', async () => {
    const stock = { ...valid, market: 'stock', venue: 'NASDAQ', horizon_kind: 'trading_days', horizon_value: 1 };
    const { status, body } = await agent.submit({ ...stock, symbol: 'MSFTT' });
    expect([status, body.error.code]).toEqual([422, 'INVALID_SYMBOL']);
    expect(body.error.suggestion).toContain('MSFT');
  });

  test('422 for a stock held shorter than two bars of session time, suggesting trading_days', async () => {
    const stock = { ...valid, market: 'stock', venue: 'NASDAQ', symbol: 'MSFT' };
    const { status, body } = await agent.submit({ ...stock, horizon_value: 3_600 });
    expect([status, body.error.details[0].path]).toEqual([422, 'horizon_value']);
    expect(JSON.stringify(body.error)).toContain('trading_days');
  });
});
