import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Instrument } from '../../domain/market/instrument.ts';
import type { InstrumentRecord, InstrumentStore } from '../../domain/market/instrument-store.ts';
import type { Contract, Opened } from './adapters.ts';

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
  },
};
