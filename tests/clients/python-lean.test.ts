import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { submission } from '../../adapters/http/shapes/decisions/submission.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { readClientCases } from './client-cases.ts';
import { runPython } from './python/run-python.ts';
import { type Exchange, startScriptedServer } from './scripted-server.ts';

const CALLS = join(import.meta.dirname, 'python/lean_calls.py');
const PROGRAM = join(import.meta.dirname, '../../clients/integrations/lean_stancebook.py');
const { api_key } = readClientCases();

const folder = makeThrowawayFolder('lean');
afterAll(() => removeThrowawayFolder(folder));

async function decisionsOf(given: object) {
  const { stdout, stderr } = await runPython([CALLS], {}, JSON.stringify(given));
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

/** Runs Python with a service that gives these replies to submissions, in this order. */
async function runWith(args: readonly string[], input: string, replies: readonly Exchange['reply'][]) {
  const request = {
    method: 'POST',
    path: '/api/v1/agent/decisions',
    headers: { 'idempotency-key': 'lean-e02be50f56a8496b9ba995d19a904ada' },
  };
  const server = await startScriptedServer(replies.map((reply) => ({ request, reply })));
  try {
    const run = await runPython(args, { STANCEBOOK_URL: server.url, STANCEBOOK_API_KEY: api_key }, input);
    expect(server.faults()).toEqual([]);
    expect(run.stderr).not.toContain(api_key);
    return run;
  } finally {
    await server.close();
  }
}

const ACCEPTED: Exchange['reply'] = { status: 201, body: { record_id: 'dec_20261123_0a1b2c3d' } };
const QUOTA: Exchange['reply'] = {
  status: 429,
  body: {
    error: {
      code: 'RETROACTIVE_QUOTA_EXCEEDED',
      category: 'quota_exceeded',
      message: 'No.',
      suggestion: 'Wait.',
      retry_after_seconds: 900,
    },
  },
};

const STATED = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  direction: 'bullish',
  horizon_kind: 'holding_seconds',
  horizon_value: 604_800,
  data_cutoff: '2003-02-13T14:00:00.000+00:00',
  perspective_type: 'quantitative',
  tags: ['lean'],
  meta: {
    lean: { id: 'e02be50f56a8496b9ba995d19a904ada', source_model: 'MomentumAlphaModel', magnitude: 0.025 },
  },
  confidence: 0.7,
  reference_price: 46.41,
  model: { id: 'MomentumAlphaModel' },
};

/** As LEAN's InsightJsonConverter writes it: its test has these members and identifiers. */
const SERIALIZED = {
  id: 'e02be50f56a8496b9ba995d19a904ada',
  groupId: null,
  sourceModel: 'MomentumAlphaModel',
  generatedTime: 1_045_144_800,
  createdTime: 1_045_144_800,
  closeTime: 1_045_749_600,
  symbol: 'MSFT R735QTJ8XC9X',
  ticker: 'MSFT',
  type: 'price',
  reference: 46.41,
  referenceValueFinal: 0,
  direction: 'up',
  period: 604_800,
  magnitude: '0.025',
  confidence: '0.7',
  weight: null,
  scoreIsFinal: false,
  scoreMagnitude: '0',
  scoreDirection: '0',
  estimatedValue: '0',
  tag: null,
};

describe('what an insight becomes', () => {
  test('each field, from an object of the algorithm and from alpha-results.json alike, as the contract takes it', async () => {
    const [ofObject] = await decisionsOf({ decide: [{}] });
    const [ofFile] = await decisionsOf({ serialized: [SERIALIZED] });
    expect(ofObject).toEqual(STATED);
    expect(ofFile).toEqual(STATED);
    expect(submission.safeParse(ofFile).success).toBe(true);
  });

  test('up, flat and down are bullish, neutral and bearish', async () => {
    const decisions = await decisionsOf({ decide: ['UP', 'FLAT', 'DOWN'].map((direction) => ({ direction })) });
    expect(decisions.map(({ direction }: { direction: string }) => direction)).toEqual([
      'bullish',
      'neutral',
      'bearish',
    ]);
  });

  test.each([
    [{ security_type: 'CRYPTO', market: 'coinbase', ticker: 'BTCUSD' }, 'crypto BTC COINBASE spot USD'],
    [{ security_type: 'CRYPTO', market: 'binance', ticker: 'ETHUSDT' }, 'crypto ETH BINANCE spot USDT'],
    [{ security_type: 'CRYPTO_FUTURE', market: 'bybit', ticker: 'ETHUSDT' }, 'crypto ETH BYBIT perp USDT'],
    [{ security_type: 'CRYPTO_FUTURE', market: 'binance', ticker: 'BTCUSD' }, null],
    [{ security_type: 'CRYPTO', market: 'bitfinex', ticker: 'BTCUSD' }, null],
    [{ security_type: 'CRYPTO', market: 'kraken', ticker: 'USD' }, null],
    [{ security_type: 'OPTION' }, null],
    [{ market: 'india' }, null],
  ])('the instrument of %j is %s', async (symbol, expected) => {
    const [decision] = await decisionsOf({ decide: [symbol] });
    expect(decision && Object.values(decision).slice(0, 5).join(' ')).toBe(expected);
  });

  test('an identifier of the file shows security type and market', async () => {
    const pair = { ...SERIALIZED, symbol: 'BTCUSD XJ', ticker: 'BTCUSD' };
    const [decision] = await decisionsOf({ serialized: [pair] });
    expect(decision).toMatchObject({ market: 'crypto', symbol: 'BTC', venue: 'COINBASE', quote_currency: 'USD' });
  });

  test.each([
    ['is about volatility', { type: 'VOLATILITY' }],
    ['ends too soon', { period: 119 }],
    ['never ends', { period: 31_536_001 }],
  ])('an insight that %s is left out', async (_, insight) => {
    expect(await decisionsOf({ decide: [insight] })).toEqual([null]);
  });

  test('what the contract does not take is not sent', async () => {
    const [decision] = await decisionsOf({
      decide: [{ confidence: 1.5, reference: '0', tag: ' ', source_model: null, magnitude: null }],
    });
    expect(Object.keys(decision)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(confidence|reference_price|summary|model)$/)]),
    );
    expect(decision.meta).toEqual({ lean: { id: STATED.meta.lean.id } });
  });
});

describe('a running algorithm', () => {
  test('goes on whatever the service and the insights are, and counts what became of them', async () => {
    const report = [{}, { type: 'VOLATILITY' }, {}, {}];
    const { status, stdout, stderr } = await runWith([CALLS], JSON.stringify({ report }), [ACCEPTED, QUOTA]);
    expect([status, JSON.parse(stdout)]).toEqual([0, { submitted: 1, 'left out': 1, refused: 2, lost: 0 }]);
    expect(stderr).toContain('could not read the insights; the algorithm goes on without it');
    expect(stderr.match(/RETROACTIVE_QUOTA_EXCEEDED/g)).toHaveLength(1);
  });

  test('goes on without an address', async () => {
    const { status, stdout } = await runPython([CALLS], {}, JSON.stringify({ report: [{}] }));
    expect([status, JSON.parse(stdout).refused]).toEqual([0, 1]);
  });
});

describe('the import of alpha-results.json', () => {
  const file = join(folder, 'alpha-results.json');

  test('submits each insight under its own key, and ends at a daily quota', async () => {
    writeFileSync(file, JSON.stringify([SERIALIZED, { ...SERIALIZED, type: 'volatility' }, SERIALIZED, SERIALIZED]));
    const { status, stdout } = await runWith([PROGRAM, 'import', file], '', [ACCEPTED, QUOTA]);
    expect([status, stdout]).toEqual([0, '1 submitted, 1 left out, 1 refused\n']);
  });

  test.each([
    ['no file', [], 2, /^Usage: /],
    ['a file that is none of LEAN', [file], 1, /^stancebook: /],
    ['a file that does not exist', [join(folder, 'absent')], 1, /^stancebook: .*No such file/],
  ])('%s is an error in one line', async (_, files, status, words) => {
    writeFileSync(file, '[{}]');
    const run = await runWith([PROGRAM, ...(files.length > 0 ? ['import'] : []), ...files], '', []);
    expect([run.status, run.stderr]).toEqual([status, expect.stringMatching(words)]);
  });
});
