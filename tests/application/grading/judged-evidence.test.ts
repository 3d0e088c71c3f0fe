import { expect, test } from '@jest/globals';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { recompute } from '../../../application/grading/recompute.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { EvidenceDocument } from '../../../domain/grading/evidence.ts';
import { barsOfText } from '../../../domain/market/bar-cache.ts';
import type { Bar, BarSize } from '../../../domain/market/bars.ts';
import { type KnownActions, type Listing, type MarketData, openCoverage } from '../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE, utcDate } from '../../../domain/time.ts';
import { onMemory } from '../../contracts/decisions/adapters.ts';
import { sweepBench } from './bench.ts';

const NOON = Date.parse('2026-03-04T12:00:00Z');
const LISTING: Listing = {
  ...{ source: 'made up', sizes: ['1m', '1h', '1d'], history_from: NOON - 900 * DAY },
  ...{ delisted_at: null, cadence: 'continuous' },
};

const LENGTHS: Readonly<Record<BarSize, number>> = { '1m': MINUTE, '5m': 5 * MINUTE, '1h': HOUR, '1d': DAY };

/** Bars with a price of their own each; `isThere` says which minutes traded. */
function source(isThere: (start: number) => boolean, known?: KnownActions) {
  const asked: string[] = [];
  const priceAt = (at: number) =>
    100 + Math.sin(at / HOUR) + (Math.round(at / DAY) % 7) + Math.round(at / MINUTE) / 1e9;
  const data: MarketData = {
    describe: async () => LISTING,
    coverage: async () => [openCoverage(LISTING.source, () => LISTING.history_from)],
    async bars({ symbol }, size, from, to, now) {
      asked.push(`${symbol} ${size}`);
      const length = LENGTHS[size];
      const first = Math.ceil(from / length) * length;
      const count = Math.max(0, Math.floor((Math.min(to, now) - first) / length));
      const bars = Array.from({ length: count }, (_, i): Bar => {
        const start = first + i * length;
        const [open, close] = [priceAt(start), priceAt(start + length)];
        const range = { high: Math.max(open, close) + 0.001, low: Math.min(open, close) - 0.001 };
        return { start, end: start + length, open, close, ...range, volume: 1, split: 1, total: 1 };
      });
      const traded = size === '1d' ? bars : bars.filter(({ start, end }) => isThere(size === '1m' ? start : end));
      return { source: LISTING.source, size, dropped: 0, bars: traded };
    },
    ...(known && { actions: async () => known }),
  };
  return { data, asked };
}

async function graded({ data, asked }: ReturnType<typeof source>, symbol = 'ETH') {
  const opened = await onMemory();
  await opened.arrange.freeze(new Date(NOON));
  const bench = await sweepBench(opened, data);
  const id = await bench.submit({ symbol, horizon_value: 3_600 });
  await verifyInstruments(bench.ports);
  await bench.arrange.freeze(new Date(NOON + HOUR + 5 * MINUTE));
  await evaluateDue(bench.ports);
  const sealed = await bench.ports.evidence.findEvidence(id);
  const record = await bench.read(id);
  const document = sealed && (JSON.parse(sealed.document) as EvidenceDocument);
  const requests = [...asked];
  const again = await recompute(bench.ports, id);
  expect(asked).toEqual(requests);
  return { record, document, again, asked };
}

test('the last price before the anchor is looked for in a day of minutes, then in hours, and is part of the evidence', async () => {
  const isSilent = (since: number) => (start: number) => start < NOON - since || start >= NOON + 5 * MINUTE;
  const minutes = await graded(source(isSilent(2 * HOUR)));
  expect(minutes.again).toMatchObject({ kind: 'same' });
  expect(minutes.document?.earlier?.map(({ size }) => size)).toEqual(['1m']);
  const hours = await graded(source(isSilent(3 * DAY)));
  expect(hours.again).toMatchObject({ kind: 'same' });
  expect(hours.document?.earlier?.map(({ size, bars }) => [size, barsOfText(bars).length > 0])).toEqual([
    ['1m', false],
    ['1h', true],
  ]);
  // A known price before the silence differs from the first open, so that open is a trade of its own.
  for (const { record } of [minutes, hours]) {
    expect(record.facts?.entry.time).toBe(new Date(NOON + 5 * MINUTE).toISOString());
  }
  const busy = await graded(source(() => true));
  expect(busy.document?.earlier).toBeUndefined();
});

test('the move of the reference is a fact, with its two bars in the evidence; of the reference itself there is none', async () => {
  const eth = await graded(source(() => true));
  expect(eth.asked).toContain('BTC 1d');
  // Entry and exit are of one day.
  expect(eth.record.facts).toMatchObject({ method: 'eval/3', market: null });
  const { market } = eth.document ?? {};
  expect(market && [market.instrument, barsOfText(market.daily.bars).length]).toEqual([
    'crypto:BTC:COINBASE:spot:USD',
    1,
  ]);
  const btc = await graded(
    source(() => true),
    'BTC',
  );
  expect(btc.record.facts).toMatchObject({ market: null });
  expect(btc.document?.market).toBeUndefined();
});

test('what is known of actions is part of the evidence, and a stated listing ends the history', async () => {
  const known: KnownActions = {
    actions: [],
    lists: [{ source: 'made up', from: '2025-01-01', until: '2026-03-04' }],
    none: ['2026-03-03'],
    listed_on: '2026-01-15',
  };
  const found = await graded(source(() => true, known));
  expect(found.document?.actions).toEqual(known);
  expect(found.again).toMatchObject({ kind: 'same' });
  const listed = { ...known, listed_on: utcDate(NOON - 5 * DAY) };
  const late = await graded(source(() => true, listed));
  expect(late.record).toMatchObject({ lifecycle_state: 'data_unavailable' });
  expect(late.record.last_error).toMatch(/^insufficient_history: /);
});
