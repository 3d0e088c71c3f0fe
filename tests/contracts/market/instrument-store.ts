import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { InstrumentRecord, InstrumentStore, Refresh } from '../../../domain/market/instrument-store.ts';
import { type Contract, type Opened, race } from '../adapters.ts';

const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'COINBASE',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const MSFT: Instrument = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
};

const VERIFIED: InstrumentRecord = {
  instrument: BTC,
  status: 'verified',
  listing: {
    source: 'bar-files',
    sizes: ['1m', '1d'],
    history_from: Date.UTC(2016, 6, 4),
    delisted_at: null,
    cadence: 'continuous',
  },
  checked_at: new Date('2026-01-30T14:30:00.123Z'),
  retry_at: null,
  attempts: 0,
  last_error: null,
};

const UNREACHABLE: InstrumentRecord = {
  instrument: MSFT,
  status: 'unreachable',
  listing: null,
  checked_at: new Date('2026-01-30T14:30:00.000Z'),
  retry_at: new Date('2026-01-30T14:35:00.000Z'),
  attempts: 3,
  last_error: 'no source answered',
};

export const instrumentStoreContract: Contract = {
  name: 'instruments',
  promises(open) {
    let opened: Opened;
    let instruments: InstrumentStore;
    beforeAll(async () => {
      opened = await open();
      instruments = opened.storage.instruments;
    });
    afterAll(() => opened.close());

    test('an unknown instrument is not found', async () => {
      expect(await instruments.find([BTC, MSFT])).toEqual([]);
    });

    test('what was put is found as it is, each once, the unknown left out', async () => {
      await instruments.put(VERIFIED);
      await instruments.put(UNREACHABLE);
      const found = await instruments.find([MSFT, BTC, BTC, { ...BTC, quote_currency: 'USDT' }]);
      expect(found).toHaveLength(2);
      expect(found).toEqual(expect.arrayContaining([VERIFIED, UNREACHABLE]));
    });

    test('putting again replaces all that was known', async () => {
      const rejected = { ...UNREACHABLE, instrument: BTC, status: 'rejected' } as const;
      await instruments.put(VERIFIED);
      await instruments.put(rejected);
      expect(await instruments.find([BTC])).toEqual([rejected]);
    });

    test('a refresh is due at once, known instrument or not, the oldest first, until it has been made', async () => {
      const [first, second] = [refreshOf({ ...BTC, symbol: 'NOCOIN' }), refreshOf(BTC)];
      expect(await instruments.requestRefresh(second, at(1))).toBe(second.job_id);
      expect(await instruments.requestRefresh(first, at(0))).toBe(first.job_id);
      expect(await instruments.refreshesDue(at(1), 10)).toEqual([first, second]);
      expect(await instruments.refreshesDue(at(1), 1)).toEqual([first]);
      await instruments.endRefresh(first.job_id);
      await instruments.endRefresh(randomUUID());
      expect(await instruments.refreshesDue(at(1), 10)).toEqual([second]);
      await instruments.endRefresh(second.job_id);
    });

    test('the venues of stocks that are known, each once', async () => {
      const list = opened.storage.instrumentList;
      await instruments.put(VERIFIED);
      await instruments.put(UNREACHABLE);
      await instruments.put({ ...UNREACHABLE, instrument: { ...MSFT, symbol: 'AAPL' } });
      await instruments.put({ ...UNREACHABLE, instrument: { ...MSFT, symbol: '0700.HK', venue: 'HKEX' } });
      expect([...(await list.stockVenues())].sort()).toEqual(['HKEX', 'NASDAQ']);
    });

    test('a refresh that is queued is not queued again; once it has been made, it is', async () => {
      const [first, second] = [refreshOf(BTC), refreshOf(BTC)];
      await instruments.requestRefresh(first, at(0));
      expect(await instruments.requestRefresh(second, at(1))).toBe(first.job_id);
      expect(await instruments.refreshesDue(at(1), 10)).toEqual([first]);
      await instruments.endRefresh(first.job_id);
      expect(await instruments.requestRefresh(second, at(2))).toBe(second.job_id);
      await instruments.endRefresh(second.job_id);
    });

    test('a refresh that is requested again counts as requested at the later time', async () => {
      const [first, second] = [refreshOf(BTC), refreshOf(MSFT)];
      await instruments.requestRefresh(first, at(0));
      await instruments.requestRefresh(second, at(1));
      await instruments.requestRefresh(refreshOf(BTC), at(2));
      await instruments.requestRefresh(refreshOf(BTC), at(0));
      expect(await instruments.refreshesDue(at(2), 10)).toEqual([second, first]);
      for (const { job_id } of [first, second]) await instruments.endRefresh(job_id);
    });

    test('20 who ask for one refresh at once get one', async () => {
      const ids = await race(20, () => instruments.requestRefresh(refreshOf(MSFT), at(0)));
      const [queued, ...others] = await instruments.refreshesDue(at(0), 10);
      expect(others).toEqual([]);
      expect(new Set(ids)).toEqual(new Set([queued?.job_id]));
      await instruments.endRefresh(queued?.job_id ?? '');
    });

    test('a refresh forgets the listing and the wait, and waits like any other when its source cannot be asked', async () => {
      const refresh = refreshOf(MSFT);
      await instruments.put({ ...VERIFIED, ...UNREACHABLE, listing: VERIFIED.listing });
      await instruments.requestRefresh(refresh, at(0));
      const forgotten = { ...UNREACHABLE, listing: null, retry_at: null, attempts: 0 };
      expect(await instruments.find([MSFT])).toEqual([forgotten]);
      await instruments.put({ ...UNREACHABLE, retry_at: at(5) });
      expect(await instruments.refreshesDue(at(4), 10)).toEqual([]);
      expect(await instruments.refreshesDue(at(5), 10)).toEqual([refresh]);
      await instruments.requestRefresh(refreshOf(MSFT), at(4));
      expect(await instruments.refreshesDue(at(4), 10)).toEqual([refresh]);
      await instruments.endRefresh(refresh.job_id);
    });
  },
};

function refreshOf(instrument: Instrument): Refresh {
  return { instrument, job_id: randomUUID() };
}

function at(minutes: number): Date {
  return new Date(Date.UTC(2026, 0, 30, 12, minutes));
}
