import { beforeEach, expect, test } from '@jest/globals';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { InstrumentRecord } from '../../../domain/market/instrument-store.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { endOf, evaluateAll, FAR, inMinutes } from './evaluated.ts';
import { found } from './intake-acceptance.ts';

export const verificationContract: DecisionContract = {
  name: 'verification',
  promises(bench) {
    beforeEach(() => evaluateAll(bench));

    test('each instrument that records wait for is returned once', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      await bench.accepted(agent);
      await bench.accepted(agent, { symbol: 'ETH' });
      const { verification } = bench.storage();
      const waiting = await verification.awaitingVerification(await bench.now(), 10);
      expect(waiting).toHaveLength(2);
      expect(waiting).toEqual(expect.arrayContaining([pair('BTC'), pair('ETH')]));
      expect(await verification.awaitingVerification(await bench.now(), 1)).toHaveLength(1);
    });

    test('an instrument whose source could not be asked waits for its next try', async () => {
      const agent = await bench.agent();
      const now = await bench.now();
      const instrument = pair('LATER');
      await bench.accepted(agent, { symbol: 'LATER' });
      await bench.storage().instruments.put(unreachable(instrument, inMinutes(now, 1)));
      const { verification } = bench.storage();
      expect(await verification.awaitingVerification(new Date(inMinutes(now, 1).getTime() - 1), 10)).toEqual([]);
      expect(await verification.awaitingVerification(inMinutes(now, 1), 10)).toEqual([instrument]);
    });

    test('those that wait move on together, to be evaluated when their prices are settled', async () => {
      const agent = await bench.agent();
      const moved = [await bench.accepted(agent), await bench.accepted(agent)];
      const other = await bench.accepted(agent, { symbol: 'ETH' });
      const { verification } = bench.storage();
      expect(await verification.settleVerification(pair('BTC'), 'verified')).toBe(2);
      for (const { record_id, settles_at } of moved) {
        const due_at = new Date(settles_at);
        expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'verified', due_at });
      }
      expect(await found(bench, other.record_id)).toMatchObject({ lifecycle_state: 'pending_verify', due_at: null });
      expect(await verification.settleVerification(pair('BTC'), 'rejected')).toBe(0);
    });

    test('the instrument is all five fields', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent, { venue: 'BINANCE', quote_currency: 'USDT' });
      const { verification } = bench.storage();
      const other = { ...pair('BTC'), venue: 'BINANCE', quote_currency: 'USDC' };
      expect(await verification.settleVerification(other, 'verified')).toBe(0);
      expect(await verification.settleVerification({ ...other, quote_currency: 'USDT' }, 'verified')).toBe(1);
    });

    test('a rejected record is due for nothing', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent, { symbol: 'NOCOIN' });
      const { verification, evaluations } = bench.storage();
      expect(await verification.settleVerification(pair('NOCOIN'), 'rejected', 'There is none.')).toBe(1);
      const rejected = { lifecycle_state: 'rejected', due_at: null, last_error: 'There is none.' };
      expect(await found(bench, record_id)).toMatchObject(rejected);
      expect(await evaluations.nextDue()).toBeNull();
    });

    test('failed records are revived: to be verified again, or due at once with no attempt counted', async () => {
      const agent = await bench.agent();
      const rejected = await bench.accepted(agent, { symbol: 'AGAIN' });
      const { verification, evaluations } = bench.storage();
      await verification.settleVerification(pair('AGAIN'), 'rejected');
      const unavailable = await bench.accepted(agent, { symbol: 'AGAIN' });
      const other = await bench.accepted(agent, { symbol: 'OTHER' });
      for (const symbol of ['AGAIN', 'OTHER']) await verification.settleVerification(pair(symbol), 'verified');
      await exhaust(bench);
      const now = await bench.now();
      expect(await verification.revive(pair('AGAIN'), now)).toEqual({ rejected: 1, data_unavailable: 1 });
      expect(await verification.revive(pair('AGAIN'), now)).toEqual({ rejected: 0, data_unavailable: 0 });
      expect(await found(bench, rejected.record_id)).toMatchObject({ lifecycle_state: 'pending_verify', due_at: null });
      const due = { lifecycle_state: 'evaluating', due_at: now, attempts: 0, last_error: null };
      expect(await found(bench, unavailable.record_id)).toMatchObject(due);
      expect(await found(bench, other.record_id)).toMatchObject({ lifecycle_state: 'data_unavailable', attempts: 1 });
      const claimed = await evaluations.claimDue(now, inMinutes(now, 1), 10);
      expect(claimed.map(({ decision }) => decision.record_id)).toEqual([unavailable.record_id]);
    });

    test('a revival does not change records that did not fail', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      const { verification } = bench.storage();
      const before = await found(bench, record_id);
      expect(await verification.revive(pair('BTC'), await bench.now())).toEqual({ rejected: 0, data_unavailable: 0 });
      expect(await found(bench, record_id)).toEqual(before);
      await evaluateAll(bench);
      expect(await verification.revive(pair('BTC'), await bench.now())).toEqual({ rejected: 0, data_unavailable: 0 });
      expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'evaluated' });
    });

    test('20 who settle one instrument at once move each record once', async () => {
      const agent = await bench.agent();
      for (let i = 0; i < 5; i++) await bench.accepted(agent);
      const { verification } = bench.storage();
      const moved = await race(20, () => verification.settleVerification(pair('BTC'), 'verified'));
      expect(moved.reduce((sum, count) => sum + count, 0)).toBe(5);
    });

    test('what a transaction settled is waiting again when it is undone', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      const fault = new Error('the work failed');
      const work = bench.storage().transaction(async ({ verification }) => {
        expect(await verification.settleVerification(pair('BTC'), 'verified')).toBe(1);
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'pending_verify', due_at: null });
    });
  },
};

/** Ends everything that waits to be evaluated without an outcome, after one attempt. */
async function exhaust(bench: Bench): Promise<void> {
  const { evaluations } = bench.storage();
  const claimed = await evaluations.claimDue(FAR, inMinutes(FAR, 1), 100);
  const coverage = { kind: 'deferred', reason: 'coverage', detail: 'none of the bars' } as const;
  await evaluations.endEvaluations(
    claimed.map((each) => endOf(each, coverage)),
    await bench.now(),
  );
}

export function pair(symbol: string): Instrument {
  return { market: 'crypto', symbol, venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' };
}

export function unreachable(instrument: Instrument, retry_at: Date): InstrumentRecord {
  const last_error = 'no source answered';
  return { instrument, status: 'unreachable', listing: null, checked_at: retry_at, retry_at, attempts: 1, last_error };
}
