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

const submits = (reply: Exchange['reply'], body?: object): Exchange => ({
  request: {
    method: 'POST',
    path: '/api/v1/agent/decisions',
    headers: { 'idempotency-key': 'lean-e02be50f56a8496b9ba995d19a904ada' },
    ...(body ? { body } : {}),
  },
  reply,
});

/** Runs Python with a service that has these exchanges, in this order. */
async function runWith(args: readonly string[], input: string, exchanges: readonly Exchange[]) {
  const server = await startScriptedServer(exchanges);
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
    const { status, stdout, stderr } = await runWith([CALLS], JSON.stringify({ report }), [
      submits(ACCEPTED),
      submits(QUOTA),
    ]);
    const counts = { submitted: 1, 'left out': 1, refused: 2, lost: 0, noted: 0 };
    expect([status, JSON.parse(stdout).counts]).toEqual([0, counts]);
    expect(stderr).toContain('could not read the insights; the algorithm goes on without it');
    expect(stderr.match(/RETROACTIVE_QUOTA_EXCEEDED/g)).toHaveLength(1);
  });

  test('goes on without an address', async () => {
    const { status, stdout } = await runPython([CALLS], {}, JSON.stringify({ report: [{}] }));
    expect([status, JSON.parse(stdout).counts.refused]).toEqual([0, 1]);
  });
});

describe('recall before an insight', () => {
  const RECALLED = { text: '## Own record', sha256: 'ab'.repeat(32), counts: {} };
  const INPUTS = [{ kind: 'data', name: 'recall', sha256: RECALLED.sha256 }];
  const recalls = (query: string, reply: Exchange['reply'] = { status: 200, body: RECALLED }): Exchange => ({
    request: { method: 'GET', path: `/api/v1/agent/recall?market=stock&symbol=MSFT${query}` },
    reply,
  });
  const called = async (given: object, exchanges: readonly Exchange[]) => {
    const { stdout, stderr } = await runWith([CALLS], JSON.stringify({ report: [], ...given }), exchanges);
    return { ...JSON.parse(stdout), stderr };
  };

  test('an insight of the same time step names what was recalled, as the contract takes it', async () => {
    const stated = { ...STATED, inputs: INPUTS };
    expect(submission.safeParse(stated).error).toBeUndefined();
    const { recalled, counts } = await called({ recall: [{}], report: [{}] }, [recalls(''), submits(ACCEPTED, stated)]);
    expect([recalled, counts.submitted]).toEqual([[RECALLED], 1]);
  });

  test.each([
    ['of another step', { later: 1 }, { data_cutoff: '2003-02-13T14:01:00.000+00:00' }],
    ['on another security', { ticker: 'IBM' }, { symbol: 'IBM' }],
  ])('an insight %s names nothing', async (_, insight, changed) => {
    const submitted = submits(ACCEPTED, { ...STATED, ...changed });
    expect((await called({ recall: [{}], report: [insight] }, [recalls(''), submitted])).counts.submitted).toBe(1);
  });

  test('asks for direction and horizon, and in a back-test for the time of the algorithm', async () => {
    const query = { direction: 'DOWN', period: 604_800, set: 'spring' };
    const path = '&set=spring&direction=bearish&horizon_kind=holding_seconds&horizon_value=604800';
    const as_of = '&as_of=2003-02-13T14%3A00%3A00.000%2B00%3A00';
    await called({ recall: [{}], live: false, query }, [recalls(path + as_of)]);
    await called({ recall: [{}], query: { period: 60 } }, [recalls('')]);
  });

  test('a security without venue is not asked for, and a refusal is an empty reply with a warning', async () => {
    const refusal = recalls('', { status: 401, text: 'no' });
    const { recalled, stderr } = await called({ recall: [{ security_type: 'OPTION' }, {}, {}] }, [refusal, refusal]);
    expect(recalled).toEqual([{}, {}, {}]);
    expect(stderr.match(/did not return recall; the algorithm goes on without it/g)).toHaveLength(1);
  });

  test('a service that is away is asked once, and not at each bar', async () => {
    const { recalled } = await called({ recall: [{}, {}] }, [recalls('', { fault: 'drop' })]);
    expect(recalled).toEqual([{}, {}]);
  });
});

describe('notes after outcomes', () => {
  const [FIRST, SECOND] = ['dec_20261123_0a1b2c3d', 'dec_20261123_00000001'];
  const outcome = { result_bucket: 'weak_correct' };
  const listed: Exchange = {
    request: {
      method: 'GET',
      path:
        '/api/v1/agent/decisions?lifecycle_state=evaluated&' +
        'evaluated_since=2026-11-16T00%3A00%3A00.000%2B00%3A00&limit=100',
    },
    reply: { status: 200, body: { items: [{ record_id: FIRST }, { record_id: SECOND }], next_cursor: null } },
  };
  const reads = (record_id: string, changed: object = {}): Exchange => ({
    request: { method: 'GET', path: `/api/v1/agent/decisions/${record_id}` },
    reply: { status: 200, body: { record_id, outcome, notes: [], meta: { lean: {} }, ...changed } },
  });
  const notes = (record_id: string, text: string, reply: Exchange['reply'] = { status: 201, body: {} }): Exchange => ({
    request: { method: 'POST', path: `/api/v1/agent/decisions/${record_id}/notes`, body: { text } },
    reply,
  });
  const noting = async (given: object, exchanges: readonly Exchange[]) => {
    const { stdout, stderr } = await runWith([CALLS], JSON.stringify({ report: [], notes: 1, ...given }), exchanges);
    return { noted: JSON.parse(stdout).counts.noted, stderr };
  };
  const lessons = { [FIRST]: 'Too early', [SECOND]: 'Too late' };

  test('the lesson of each graded record becomes a note, once', async () => {
    const second = [reads(SECOND), notes(SECOND, 'weak_correct Too late')];
    const script = [listed, reads(FIRST), notes(FIRST, 'weak_correct Too early'), ...second, listed];
    expect((await noting({ lessons, notes: 2 }, script)).noted).toBe(2);
  });

  test('records with a note, of others, and without a lesson get none', async () => {
    const known = [reads(FIRST, { notes: [{ number: 1 }] }), reads(SECOND, { meta: null })];
    expect((await noting({ lessons }, [listed, ...known])).noted).toBe(0);
    expect(
      (await noting({ lessons: { [FIRST]: null, [SECOND]: '' } }, [listed, reads(FIRST), reads(SECOND)])).noted,
    ).toBe(0);
  });

  test('a lesson that fails, and a text that is refused, leave the others', async () => {
    const second = [reads(SECOND), notes(SECOND, 'weak_correct Too late')];
    const failing = await noting({ lessons: { ...lessons, [FIRST]: 'fault' } }, [listed, reads(FIRST), ...second]);
    expect([failing.noted, failing.stderr]).toEqual([1, expect.stringContaining('did not note an outcome')]);
    const refusal = notes(FIRST, 'weak_correct Too early', { status: 422, text: 'no' });
    expect((await noting({ lessons }, [listed, reads(FIRST), refusal, ...second])).noted).toBe(1);
  });

  test('a daily quota ends a round, and the next one goes on', async () => {
    const limited = notes(FIRST, 'weak_correct Too early', QUOTA);
    const next = [listed, reads(FIRST), notes(FIRST, 'weak_correct Too early')];
    const last = [reads(SECOND), notes(SECOND, 'weak_correct Too late')];
    expect((await noting({ lessons, notes: 2 }, [listed, reads(FIRST), limited, ...next, ...last])).noted).toBe(2);
  });
});

describe('the import of alpha-results.json', () => {
  const file = join(folder, 'alpha-results.json');

  test('submits each insight under its own key, and ends at a daily quota', async () => {
    writeFileSync(file, JSON.stringify([SERIALIZED, { ...SERIALIZED, type: 'volatility' }, SERIALIZED, SERIALIZED]));
    const { status, stdout } = await runWith([PROGRAM, 'import', file], '', [submits(ACCEPTED), submits(QUOTA)]);
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
