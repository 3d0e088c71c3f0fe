import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { recompute } from '../../../application/grading/recompute.ts';
import type { EvidenceDocument } from '../../../domain/grading/evidence.ts';
import { type CorporateAction, factorsOf } from '../../../domain/market/adjustment.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { type Listing, type MarketData, OutOfReach, openCoverage } from '../../../domain/market/market-data.ts';
import { DAY, type Millis, utcDate } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { chanceFrom } from '../../domain/grading/look-ahead/chance.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

// An operator's actions.csv counts beside a source on the network, and wins (evaluation-3.md section 1).

const AT = new Date('2026-03-02T12:00:00.000Z');
const ACME: Instrument = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const EX_DATE = Date.parse('2026-01-15T14:30:00Z');
const LISTING: Listing = {
  ...{ source: 'network', sizes: ['1d'], history_from: Date.parse('2025-06-02T13:30:00Z') },
  ...{ delisted_at: null, cadence: 'end_of_day' },
};
const split = (value: number): CorporateAction => ({ at: EX_DATE, kind: 'split', value });
const paid = (value: number): CorporateAction => ({ at: EX_DATE, kind: 'dividend', value });

/** A source whose prices fall to a share of what they were on the ex-date, and that knows these actions. */
function network(share: number, actions: readonly CorporateAction[]): MarketData {
  const { normal } = chanceFrom(5);
  let last = 80;
  const raw = calendarOf(ACME)
    .sessions(LISTING.history_from, AT.getTime())
    .map(({ open: start, close: end }) => {
      const [open, close] = [last * Math.exp(0.004 * normal()), last * Math.exp(0.01 * normal())];
      last = close;
      const unit = start < EX_DATE ? 1 : share;
      const prices = { open: cents(open * unit), close: cents(close * unit) };
      const [high, low] = [Math.max(prices.open, prices.close) + 0.1, Math.min(prices.open, prices.close) - 0.1];
      return { start, end, ...prices, high, low, volume: 1_000 };
    });
  const factors = factorsOf(
    raw.map(({ start, close }) => ({ start, close, adj_close: null })),
    actions,
  );
  const bars = raw.map((bar): Bar => ({ ...bar, ...factors(bar.start) }));
  const within = (from: Millis, to: Millis) => bars.filter(({ start, end }) => start >= from && end <= to);
  return {
    describe: async () => LISTING,
    coverage: async () => [openCoverage(LISTING.source, () => LISTING.history_from)],
    bars: async ({ symbol }, size, from, to) => {
      if (symbol !== ACME.symbol) throw new OutOfReach(`no bars of ${symbol}`);
      return { source: LISTING.source, size, dropped: 0, bars: within(from, to) };
    },
    actions: async () => ({
      actions: actions.map((action) => ({ ...action, source: LISTING.source })),
      ...{ lists: [], none: [], listed_on: null },
    }),
  };
}

function cents(price: number): number {
  return Math.round(price * 100) / 100;
}

describe.each(STORAGES)('what an operator says of the actions of a source on the network, on %s', (storage) => {
  let service: TestService | undefined;
  let folder = '';
  afterEach(async () => {
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The end of a decision over five sessions, two of which are before the ex-date, and its evidence. */
  async function ended(marketData: MarketData, rows: readonly string[]) {
    folder = await mkdtemp(join(tmpdir(), 'stancebook-actions-'));
    const place = join(folder, 'stock/NASDAQ/spot/MSFT-USD');
    await mkdir(place, { recursive: true });
    if (rows.length > 0) await writeFile(join(place, 'actions.csv'), ['at,kind,value', ...rows, ''].join('\n'));
    const env = { LIMIT_COOLDOWN_SECONDS: '0', MARKET_DATA_BARS_DIR: folder };
    const opened = await openService(storage, { at: AT, env, ports: () => ({ marketData }) });
    service = opened;
    const agent = await anAgentAt(opened);
    const call = { ...ACME, horizon_kind: 'trading_days', horizon_value: 5 } as const;
    const { record_id } = (await agent.submit(aSubmission(new Date('2026-01-13T14:30:00Z'), call))).body;
    await opened.settle();
    const state = (await agent.state(record_id)).body;
    const sealed = await opened.ports.evidence.findEvidence(record_id);
    const document = sealed && (JSON.parse(sealed.document) as EvidenceDocument);
    const again = sealed && (await recompute(opened.ports, record_id));
    await opened.close();
    service = undefined;
    await rm(folder, { recursive: true });
    // The bars are shown as the source sent them.
    const { bars: _, ...outcome } = state.outcome ?? {};
    return { state, outcome, document, again };
  }

  test('a split that the source lacks is that of the operator: the outcome is that of a source that has it', async () => {
    const known = await ended(network(0.5, [split(2)]), []);
    const lacking = await ended(network(0.5, []), []);
    expect(lacking.outcome).toMatchObject({ suspected_split: true });
    const stated = await ended(network(0.5, []), ['2026-01-15T14:30:00Z,split,2']);
    expect(stated.outcome).toEqual(known.outcome);
    expect(stated.outcome.suspected_split).toBe(false);
    expect(stated.again).toMatchObject({ kind: 'same' });
    expect(stated.document?.actions?.actions).toEqual([
      { at: '2026-01-15T14:30:00.000Z', kind: 'split', source: 'bar-files', value: 2 },
    ]);
  });

  test('on its date it replaces what the source says, and on others changes nothing', async () => {
    const known = await ended(network(0.5, [split(2)]), []);
    const wrong = await ended(network(0.5, [split(3), paid(1)]), ['2026-01-15T14:30:00Z,split,2']);
    expect(wrong.outcome.z).toBeCloseTo(known.outcome.z, 12);
    expect(wrong.outcome.raw_return).toBeCloseTo(known.outcome.raw_return, 12);
    expect(wrong.document?.actions?.actions.map(({ source, value }) => [source, value])).toEqual([
      ['network', 3],
      ['network', 1],
      ['bar-files', 2],
    ]);
    const same = await ended(network(0.5, [split(2)]), [
      '2026-01-15T14:30:00Z,split,2',
      '2020-01-15T14:30:00Z,split,9',
    ]);
    expect(same.outcome).toEqual(known.outcome);
  });

  test('the same action of the source under a date near it is that of the operator; another one counts as well', async () => {
    const known = await ended(network(0.5, [split(2)]), []);
    for (const days of [-2, -1, 1, 5]) {
      const shifted = { ...split(2), at: EX_DATE + days * DAY };
      const stated = await ended(network(0.5, [shifted]), ['2026-01-15T14:30:00Z,split,2']);
      expect([days, stated.outcome.z]).toEqual([days, known.outcome.z]);
      expect(stated.again).toMatchObject({ kind: 'same' });
    }
    const paidToo = { ...paid(2.4), at: EX_DATE + DAY };
    const both = await ended(network(0.5, [split(2), paidToo]), []);
    const stated = await ended(network(0.5, [paidToo]), ['2026-01-15T14:30:00Z,split,2']);
    expect(stated.outcome.z).toBeCloseTo(both.outcome.z, 12);
    const twice = await ended(network(0.97, [{ ...paid(2.4), at: EX_DATE - DAY }]), [
      '2026-01-15T14:30:00Z,dividend,2.4',
    ]);
    const once = await ended(network(0.97, [paid(2.4)]), []);
    expect(twice.outcome.z).toBeCloseTo(once.outcome.z, 12);
  });

  test('a dividend of the operator is in the return', async () => {
    const known = await ended(network(0.97, [paid(2.4)]), []);
    const stated = await ended(network(0.97, []), ['2026-01-15T14:30:00Z,dividend,2.4']);
    expect(stated.outcome).toEqual(known.outcome);
    const without = await ended(network(0.97, []), []);
    expect(known.outcome.raw_return - without.outcome.raw_return).toBeGreaterThan(0.02);
  });

  test('a row none takes away an action that the source has and its prices do not show', async () => {
    const calm = await ended(network(1, []), []);
    const wrong = await ended(network(1, [split(2)]), []);
    expect(wrong.state.evaluation.last_error).toMatch(/^action_contradicts_prices: /);
    const stated = await ended(network(1, [split(2)]), [`${utcDate(EX_DATE)}T14:30:00Z,none,`]);
    expect(stated.outcome).toEqual(calm.outcome);
    expect(stated.again).toMatchObject({ kind: 'same' });
  });
});
