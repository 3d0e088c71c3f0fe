import { describe, expect, test } from '@jest/globals';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { refreshInstrument } from '../../../application/market/refresh-symbols.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import { Problem } from '../../../domain/problem.ts';
import { HOUR } from '../../../domain/time.ts';
import { LISTING, madePrices } from '../../builders/prices.ts';
import { decisionAdapters } from '../../contracts/decisions/adapters.ts';
import { memoryBench, type SweepBench, sweepBench } from './bench.ts';

const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'COINBASE',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const KEY = 'crypto:BTC:COINBASE:spot:USD';

test('a verified instrument is asked for again at once, before its cache has run out', async () => {
  const bench = await memoryBench('BTC');
  await bench.submit();
  await verifyInstruments(bench.ports);
  await bench.dueJobs();
  expect(await refreshInstrument(bench.ports, BTC, 'op')).toMatchObject({ instrument: BTC, status: 'queued' });
  expect(await bench.dueJobs()).toEqual(['verify-instruments']);
  await verifyInstruments(bench.ports);
  await verifyInstruments(bench.ports);
  expect(bench.prices.asked).toEqual(['describe BTC', 'describe BTC']);
  expect(await bench.ports.instruments.find([BTC])).toMatchObject([{ status: 'verified', listing: LISTING }]);
});

test('an unknown instrument is queued too, and then rejected', async () => {
  const bench = await memoryBench();
  const instrument = { ...BTC, symbol: 'NOCOIN' };
  await refreshInstrument(bench.ports, instrument, 'op');
  await verifyInstruments(bench.ports);
  expect(await bench.ports.instruments.find([instrument])).toMatchObject([{ status: 'rejected' }]);
});

test('two requests queue it once, under the first id', async () => {
  const bench = await memoryBench('BTC');
  const first = await refreshInstrument(bench.ports, BTC, 'op');
  const again = await refreshInstrument(bench.ports, { ...BTC, symbol: ' btc/usd ', venue: 'coinbase' }, 'op');
  expect(again).toEqual({ ...first, status: 'already_queued' });
  await verifyInstruments(bench.ports);
  const later = await refreshInstrument(bench.ports, BTC, 'op');
  expect(later).toMatchObject({ status: 'queued' });
  expect(later.job_id).not.toBe(first.job_id);
});

test('rejected records are verified again, and go on when the instrument exists now', async () => {
  const bench = await memoryBench();
  const id = await bench.submit();
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'rejected' });
  bench.prices.known.add('BTC');
  await refreshInstrument(bench.ports, BTC, 'op');
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'pending_verify' });
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'verified' });
});

test('a record that a sweep rejected by an older answer, after the refresh was asked for, is revived by its result', async () => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit();
  await refreshInstrument(bench.ports, BTC, 'op');
  await bench.ports.verification.settleVerification(BTC, 'rejected');
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'verified' });
});

test('data_unavailable records are due at once, and the evaluation is asked for', async () => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit();
  await verifyInstruments(bench.ports);
  await fail(bench, id);
  await bench.dueJobs();
  await refreshInstrument(bench.ports, BTC, 'op');
  const now = await bench.ports.clock.now();
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'evaluating', due_at: now, attempts: 0 });
  expect((await bench.dueJobs()).toSorted()).toEqual(['evaluate-due', 'verify-instruments']);
});

test('a refresh outlives a source that is down, and a second one ends the wait', async () => {
  const bench = await memoryBench('BTC');
  bench.prices.failures.set('BTC', new SourceUnavailable('the line is dead'));
  await refreshInstrument(bench.ports, BTC, 'op');
  for (let i = 0; i < 3; i++) await verifyInstruments(bench.ports);
  expect(bench.prices.asked).toEqual(['describe BTC']);
  bench.prices.failures.clear();
  expect(await refreshInstrument(bench.ports, BTC, 'op')).toMatchObject({ status: 'already_queued' });
  await verifyInstruments(bench.ports);
  expect(await bench.ports.instruments.find([BTC])).toMatchObject([{ status: 'verified', attempts: 0 }]);
});

test('who asked, and what came of it, is in the audit log', async () => {
  const bench = await memoryBench();
  await bench.submit();
  await verifyInstruments(bench.ports);
  const { job_id } = await refreshInstrument(bench.ports, BTC, 'an operator');
  expect(await bench.ports.audit.about(KEY, 10)).toEqual([
    {
      at: await bench.ports.clock.now(),
      actor: 'an operator',
      action: 'refresh_instrument',
      subject: KEY,
      detail: { job_id, status: 'queued', revived: { rejected: 1, data_unavailable: 0 } },
    },
  ]);
});

test('an instrument of a venue that is not supported is queued, and rejected when no source knows it', async () => {
  const bench = await memoryBench();
  const mars = { ...BTC, venue: 'MARS' };
  expect(await refreshInstrument(bench.ports, mars, 'op')).toMatchObject({ instrument: mars, status: 'queued' });
  await verifyInstruments({ ...bench.ports, marketData: { ...bench.ports.marketData, describe: async () => null } });
  expect(await bench.ports.instruments.find([mars])).toMatchObject([{ status: 'rejected', retry_at: null }]);
  expect(await bench.ports.instruments.refreshesDue(await bench.ports.clock.now(), 10)).toEqual([]);
});

test('an identity that no instrument can have is refused with every fault at once, and nothing is queued', async () => {
  const bench = await memoryBench();
  const sent = { ...BTC, market: 'bonds', venue: '../MARS' };
  const refused = refreshInstrument(bench.ports, sent, 'op');
  await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR', status: 400 });
  await expect(refused).rejects.toBeInstanceOf(Problem);
  expect(await refused.catch((problem: Problem) => problem.details)).toMatchObject([
    { path: 'market' },
    { path: 'venue' },
  ]);
  expect(await bench.ports.instruments.refreshesDue(await bench.ports.clock.now(), 10)).toEqual([]);
});

test('a failed request changes nothing', async () => {
  const bench = await memoryBench();
  const id = await bench.submit();
  await verifyInstruments(bench.ports);
  const fault = new Error('no audit, no refresh');
  const { transaction } = bench.ports;
  const broken: typeof transaction = (work) =>
    transaction((stores) => work({ ...stores, audit: { ...stores.audit, append: () => Promise.reject(fault) } }));
  await expect(refreshInstrument({ ...bench.ports, transaction: broken }, BTC, 'op')).rejects.toBe(fault);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'rejected' });
  expect(await bench.ports.instruments.refreshesDue(await bench.ports.clock.now(), 10)).toEqual([]);
});

/** Ends the evaluation of the record as data_unavailable. */
async function fail({ ports }: SweepBench, record_id: string): Promise<void> {
  const { evaluations } = ports;
  const due = await evaluations.nextDue();
  if (!due) throw new Error('Nothing is due');
  const [claimed] = await evaluations.claimDue(due, due, 1);
  const result = { kind: 'data_unavailable', reason: 'no_print', detail: 'none' } as const;
  await evaluations.endEvaluations([{ record_id, token: claimed?.token ?? '', result, retry_at: null }], due);
}

describe.each(decisionAdapters.slice(0, 2))('on $name', ({ open }) => {
  test('a record that had ended without an outcome is graded after a refresh, by what the source says now', async () => {
    const opened = await open();
    try {
      const bench = await sweepBench(opened, madePrices('BTC'));
      const id = await bench.submit();
      await verifyInstruments(bench.ports);
      await fail(bench, id);
      await bench.arrange.advance(3 * HOUR);
      await refreshInstrument(bench.ports, BTC, 'op');
      expect(await bench.ports.instruments.find([BTC])).toMatchObject([{ status: 'verified', listing: null }]);
      expect(await evaluateDue(bench.ports)).toMatchObject({ ended: 1 });
      expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'evaluated', attempts: 0 });
      await verifyInstruments(bench.ports);
      expect(await bench.ports.instruments.find([BTC])).toMatchObject([{ status: 'verified', listing: LISTING }]);
      expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'evaluated' });
      expect(await bench.ports.instruments.refreshesDue(await bench.ports.clock.now(), 1)).toEqual([]);
    } finally {
      await opened.close();
    }
  });
});
