import { expect, test } from '@jest/globals';
import { refreshInstrument } from '../../../application/market/refresh-symbols.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { LISTING } from '../../builders/prices.ts';
import { memoryBench, type SweepBench } from './bench.ts';

test('an instrument that a source knows is verified with its listing, and its records go on to evaluation', async () => {
  const bench = await memoryBench('BTC');
  const ids = [await bench.submit(), await bench.submit({ direction: 'bearish' })];
  expect(await verifyInstruments(bench.ports)).toBe(false);
  for (const id of ids) expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'verified' });
  expect(await known(bench, 'BTC')).toMatchObject({
    status: 'verified',
    listing: LISTING,
    attempts: 0,
    retry_at: null,
  });
  expect(await bench.dueJobs()).toEqual(['evaluate-due']);
  expect(bench.prices.asked).toEqual(['describe BTC']);
});

test('an instrument that no source knows is rejected, and asks for no evaluation', async () => {
  const bench = await memoryBench();
  const id = await bench.submit({ symbol: 'NOCOIN' });
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'rejected', due_at: null });
  expect(await known(bench, 'NOCOIN')).toMatchObject({ status: 'rejected', listing: null });
  expect(await bench.dueJobs()).toEqual([]);
});

test('a source that is down leaves records waiting, ever longer up to an hour, and a recovery ends that', async () => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit();
  bench.prices.failures.set('BTC', new SourceUnavailable('the line is dead'));
  const waits = [];
  for (let i = 0; i < 8; i++) {
    const now = await bench.ports.clock.now();
    await verifyInstruments(bench.ports);
    const { retry_at, attempts, last_error } = await known(bench, 'BTC');
    expect([attempts, last_error]).toEqual([i + 1, 'the line is dead']);
    const wait = Number(retry_at) - now.getTime();
    waits.push(wait / MINUTE);
    await bench.arrange.advance(wait - 1);
    await verifyInstruments(bench.ports);
    expect((await known(bench, 'BTC')).attempts).toBe(i + 1);
    await bench.arrange.advance(1);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'pending_verify' });
  bench.prices.failures.clear();
  await verifyInstruments(bench.ports);
  expect(await known(bench, 'BTC')).toMatchObject({
    status: 'verified',
    attempts: 0,
    retry_at: null,
    last_error: null,
  });
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'verified' });
});

test('a source that stays down ends the wait 8 days after the window, with the reason; a refresh revives it', async () => {
  const announced: unknown[] = [];
  const bench = await memoryBench('BTC');
  const ports = { ...bench.ports, announceUnverified: (...about: unknown[]) => void announced.push(about) };
  const id = await bench.submit({ horizon_value: 3_600 });
  bench.prices.failures.set('BTC', new SourceUnavailable('the line is dead'));
  await bench.arrange.advance(HOUR + 8 * DAY - 1);
  await verifyInstruments(ports);
  const waiting = { lifecycle_state: 'pending_verify', attempts: 1, last_error: 'the line is dead' };
  expect(await bench.read(id)).toMatchObject(waiting);
  expect((await bench.read(id)).due_at).toEqual((await known(bench, 'BTC')).retry_at);
  await bench.arrange.advance(MINUTE);
  await verifyInstruments(ports);
  const reason = 'No source could verify the instrument within 8 days. The last attempt: the line is dead';
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'rejected', due_at: null, last_error: reason });
  expect(announced).toEqual([['crypto:BTC:COINBASE:spot:USD', 1]]);

  await refreshInstrument(ports, BTC, 'an operator');
  await verifyInstruments(ports);
  expect(await bench.read(id)).toMatchObject(waiting);
  bench.prices.failures.clear();
  await bench.arrange.advance(MINUTE);
  await verifyInstruments(ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'verified', last_error: null });
  expect(announced).toHaveLength(1);
});

test('a refresh that found no source for 8 days revives the records when it does', async () => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit({ horizon_value: 3_600 });
  bench.prices.failures.set('BTC', new SourceUnavailable('the line is dead'));
  await bench.arrange.advance(9 * DAY);
  await refreshInstrument(bench.ports, BTC, 'an operator');
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'pending_verify' });
  await bench.arrange.advance(8 * DAY);
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'rejected' });
  bench.prices.failures.clear();
  await bench.arrange.advance(HOUR);
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'verified', last_error: null });
});

test('a second refresh of an instrument whose first is still queued gives its records another 8 days', async () => {
  const bench = await memoryBench('BTC');
  bench.prices.failures.set('BTC', new SourceUnavailable('the line is dead'));
  await refreshInstrument(bench.ports, BTC, 'an operator');
  const id = await bench.submit({ horizon_value: 3_600 });
  await bench.arrange.advance(9 * DAY);
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'rejected' });
  expect(await refreshInstrument(bench.ports, BTC, 'an operator')).toMatchObject({ status: 'already_queued' });
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'pending_verify', last_error: 'the line is dead' });
  await bench.arrange.advance(8 * DAY);
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'rejected' });
});

test('bar files that fail by a fault of ours are reported, and delay no other instrument', async () => {
  const bench = await memoryBench('ETH');
  const broken = await bench.submit({ symbol: 'BTC' });
  const sound = await bench.submit({ symbol: 'ETH' });
  const fault = new TypeError('secret internals');
  const coverage = () => Promise.reject(fault);
  bench.prices.failures.set('BTC', new SourceUnavailable('the line is dead'));
  await verifyInstruments({ ...bench.ports, barFiles: { ...bench.ports.barFiles, coverage } });
  expect(await bench.read(broken)).toMatchObject({ lifecycle_state: 'pending_verify', last_error: 'the line is dead' });
  expect(await bench.read(sound)).toMatchObject({ lifecycle_state: 'verified' });
  expect(bench.reported).toEqual([{ fault, about: { instrument: 'crypto:BTC:COINBASE:spot:USD' } }]);
});

test('a source that fails by a fault of ours waits like one that is down, is reported, and delays no other', async () => {
  const bench = await memoryBench('BTC', 'ETH');
  const [broken, sound] = [await bench.submit(), await bench.submit({ symbol: 'ETH' })];
  const fault = new TypeError('secret internals');
  bench.prices.failures.set('BTC', fault);
  await verifyInstruments(bench.ports);
  expect(await bench.read(broken)).toMatchObject({ lifecycle_state: 'pending_verify' });
  expect(await bench.read(sound)).toMatchObject({ lifecycle_state: 'verified' });
  expect(bench.reported).toEqual([{ fault, about: { instrument: 'crypto:BTC:COINBASE:spot:USD' } }]);
  expect((await known(bench, 'BTC')).last_error).not.toContain('secret');
});

test('what was verified within the day is not asked for again', async () => {
  const bench = await memoryBench('BTC');
  await bench.submit();
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(24 * HOUR);
  const id = await bench.submit();
  await bench.ports.instruments.put({ ...(await known(bench, 'BTC')), checked_at: await bench.ports.clock.now() });
  await verifyInstruments(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'verified' });
  expect(bench.prices.asked).toEqual(['describe BTC']);
});

test('sweeping again changes nothing', async () => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit();
  await verifyInstruments(bench.ports);
  const before = [await bench.read(id), await known(bench, 'BTC')];
  await bench.arrange.advance(48 * HOUR);
  expect(await verifyInstruments(bench.ports)).toBe(false);
  expect([await bench.read(id), await known(bench, 'BTC')]).toEqual(before);
});

test('a full batch says that there may be more', async () => {
  const symbols = Array.from({ length: 101 }, (_, i) => `C${i}`);
  const bench = await memoryBench(...symbols);
  for (const symbol of symbols) await bench.submit({ symbol });
  expect(await verifyInstruments(bench.ports)).toBe(true);
  expect(await verifyInstruments(bench.ports)).toBe(false);
  expect(new Set(bench.prices.asked).size).toBe(101);
});

const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'COINBASE',
  asset_class: 'spot',
  quote_currency: 'USD',
};

async function known({ ports }: SweepBench, symbol: string) {
  const [record] = await ports.instruments.find([{ ...BTC, symbol }]);
  if (!record) throw new Error(`${symbol} is not known`);
  return record;
}
