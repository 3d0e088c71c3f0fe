import { expect, test } from '@jest/globals';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { type Listing, type MarketData, openCoverage } from '../../../domain/market/market-data.ts';
import { DAY } from '../../../domain/time.ts';
import { onMemory } from '../../contracts/decisions/adapters.ts';
import { amchartsBars } from '../../domain/market/real-bars.ts';
import { sweepBench } from './bench.ts';

// MSFT over its 2:1 split of 2003-02-18, from a source that learns of the split at a time of the test.
const SENT = new Date('2003-02-13T14:00:00.000Z');
const LEAPS = Date.parse('2003-02-18T14:30:00Z');
const WINDOW_ENDS = Date.parse('2003-02-20T21:00:00Z');
const LISTING: Listing = {
  source: 'made up',
  sizes: ['1d'],
  history_from: Date.UTC(2000, 0, 3),
  delisted_at: null,
  cadence: 'continuous',
};

function lateSource(knownAt: number): MarketData {
  const bars = amchartsBars('MSFT');
  const without = bars.map((bar): Bar => ({ ...bar, split: 1, total: 1 }));
  return {
    describe: async () => LISTING,
    coverage: async () => [openCoverage(LISTING.source, () => LISTING.history_from)],
    async bars(_, size, from, to, now) {
      const seen = (now < knownAt ? without : bars).filter(
        ({ start, end }) => start >= from && end <= Math.min(to, now),
      );
      return { source: LISTING.source, size, dropped: 0, bars: seen };
    },
  };
}

/** The record of a decision that was received before the split, once it is graded, and why it waited. */
async function gradedFrom(source: MarketData) {
  const opened = await onMemory();
  await opened.arrange.freeze(SENT);
  const bench = await sweepBench(opened, source);
  const stock = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', quote_currency: 'USD' } as const;
  const id = await bench.submit({ ...stock, horizon_kind: 'trading_days', horizon_value: 5 });
  await verifyInstruments(bench.ports);
  const reasons: string[] = [];
  for (let next: Date | null = (await bench.read(id)).settles_at; next; ) {
    await bench.arrange.freeze(next);
    next = (await evaluateDue(bench.ports)).next;
    const { last_error } = await bench.read(id);
    if (last_error !== null) reasons.push(last_error);
  }
  return { record: await bench.read(id), reasons, at: (await bench.ports.clock.now()).getTime() };
}

test('a leap like a split waits four days for its corporate action, and is then graded and flagged', async () => {
  const { record, reasons, at } = await gradedFrom(lateSource(Number.POSITIVE_INFINITY));
  expect(new Set(reasons)).toEqual(
    new Set([
      'suspected_split: The price leaps from 48.3 to 24.62 at 2003-02-18T14:30:00.000Z, and nothing explains it yet.',
    ]),
  );
  expect(at - LEAPS).toBeGreaterThanOrEqual(4 * DAY);
  expect(at - LEAPS).toBeLessThan(5 * DAY);
  expect(record).toMatchObject({
    lifecycle_state: 'evaluated',
    result_bucket: 'strong_incorrect',
    facts: { suspected_split: true },
  });
});

test('once the split is known it is graded at once, as by a source that knew it', async () => {
  const [late, known] = await Promise.all([gradedFrom(lateSource(WINDOW_ENDS + DAY)), gradedFrom(lateSource(0))]);
  expect(known.reasons).toEqual([]);
  expect(late.at - WINDOW_ENDS).toBeLessThan(3 * DAY);
  expect(late.record.facts).toEqual(known.record.facts);
  expect(known.record).toMatchObject({ result_bucket: 'strong_correct', facts: { suspected_split: false } });
  expect(known.record.facts?.z).toBeCloseTo(0.762872, 6);
});
