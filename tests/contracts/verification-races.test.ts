import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { refreshInstrument } from '../../application/market/refresh-symbols.ts';
import { verifyInstruments } from '../../application/market/verify-instruments.ts';
import type { Ports, Storage } from '../../application/ports.ts';
import type { VerificationStore } from '../../domain/decisions/moderation/verification.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../domain/market/market-data.ts';
import { DAY, HOUR } from '../../domain/time.ts';
import { type SweepBench, sweepBench } from '../application/grading/bench.ts';
import { type MadePrices, madePrices } from '../builders/prices.ts';
import { race } from './adapters.ts';
import { decisionAdapters, type OpenedDecisions } from './decisions/adapters.ts';

const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'COINBASE',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const RECORDS = 5;

describe.each(decisionAdapters)('verifications on several nodes, on $name', (adapter) => {
  let opened: OpenedDecisions;
  let bench: SweepBench;
  let prices: MadePrices;
  let ids: readonly string[];
  let announced: [string, number][];
  beforeEach(async () => {
    opened = await adapter.open();
    prices = madePrices('BTC');
    bench = await sweepBench(opened, prices);
    announced = [];
    ids = await race(RECORDS, () => bench.submit({ horizon_value: 3_600 }));
    prices.failures.set('BTC', new SourceUnavailable('the line is dead'));
    await bench.arrange.advance(HOUR + 8 * DAY);
  });
  afterEach(() => opened.close());

  const sweeping = (): Ports => ({
    ...bench.ports,
    announceUnverified: (...about) => void announced.push(about),
  });
  const sweep = ({ transaction }: Pick<Storage, 'transaction'> = bench.ports) =>
    verifyInstruments({ ...sweeping(), transaction });
  const announcedRecords = () => announced.reduce((sum, [, records]) => sum + records, 0);
  const states = async () => (await Promise.all(ids.map(bench.read))).map(({ lifecycle_state }) => lifecycle_state);

  test('sweeps at the end of a wait reject each record once, and announce it once', async () => {
    await race(4, () => sweep());
    expect(await states()).toEqual(ids.map(() => 'rejected'));
    expect(announced.map(([instrument]) => instrument)).toContain(instrumentKey(BTC));
    expect(announcedRecords()).toBe(RECORDS);
  });

  test('a planted fault is caught: a store that counts records before it rejects them', async () => {
    const storage = countingBefore(bench.ports, RECORDS, 4);
    await race(4, () => sweep(storage));
    expect(announcedRecords()).toBeGreaterThan(RECORDS);
  });

  test('a refresh during such sweeps loses no record: each is verified when the source answers', async () => {
    await race<unknown>(6, (n) => (n === 3 ? refreshInstrument(bench.ports, BTC, 'an operator') : sweep()));
    prices.failures.clear();
    await bench.arrange.advance(HOUR);
    await race(2, () => sweep());
    expect(await states()).toEqual(ids.map(() => 'verified'));
  });

  test('a source that one node reaches and another does not verifies each record', async () => {
    await refreshInstrument(bench.ports, BTC, 'an operator');
    const [answering, bothAsk] = [madePrices('BTC'), Promise.withResolvers<void>()];
    let asking = 0;
    const describe = async (instrument: Instrument) => {
      asking += 1;
      if (asking === 2) bothAsk.resolve();
      await bothAsk.promise;
      return answering.describe(instrument);
    };
    const reached = { ...bench.ports, marketData: { ...answering, describe } };
    // A node that fails before the others ask would leave them nothing that is due.
    const fails = (instrument: Instrument) => bothAsk.promise.then(() => prices.describe(instrument));
    const unreached = { ...sweeping(), marketData: { ...prices, describe: fails } };
    await race(4, (n) => verifyInstruments(n % 2 === 0 ? reached : unreached));
    expect(await states()).toEqual(ids.map(() => 'verified'));
    expect(announced).toEqual([]);
  });
});

/** Every one of the sweeps has read what waits before the first of them stores anything. */
function countingBefore(
  { transaction }: Pick<Storage, 'transaction'>,
  waiting: number,
  sweeps: number,
): Pick<Storage, 'transaction'> {
  const allHaveRead = Promise.withResolvers<void>();
  let reading = sweeps;
  return {
    transaction: async (work) => {
      reading -= 1;
      if (reading === 0) allHaveRead.resolve();
      await allHaveRead.promise;
      return transaction((stores) => {
        const endWaits: VerificationStore['endWaits'] = async (...about) => {
          await stores.verification.endWaits(...about);
          return waiting;
        };
        return work({ ...stores, verification: { ...stores.verification, endWaits } });
      });
    },
  };
}
