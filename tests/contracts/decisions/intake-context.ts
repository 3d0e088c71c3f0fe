import { expect, test } from '@jest/globals';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { VERIFICATION } from '../../../domain/limits.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { InstrumentRecord } from '../../../domain/market/instrument-store.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { NO_LIMITS } from '../../builders/decisions.ts';
import type { DecisionContract } from './bench.ts';
import { found } from './intake-acceptance.ts';

const PAIR = { market: 'crypto', venue: 'BINANCE', asset_class: 'spot' } as const;
const TETHERED: Partial<Submission> = { ...PAIR, quote_currency: 'USDT' };

export const intakeContextContract: DecisionContract = {
  name: 'what a submission meets',
  promises(bench) {
    test.each([
      ['verified just now', { age: 0 }, 'verified', []],
      ['verified a moment less than a day ago', { age: VERIFICATION.cache - 1 }, 'verified', []],
      ['verified a day ago', { age: VERIFICATION.cache }, 'pending_verify', ['INSTRUMENT_UNVERIFIED']],
      ['rejected', { status: 'rejected' }, 'pending_verify', ['INSTRUMENT_UNVERIFIED']],
      ['unreachable', { status: 'unreachable' }, 'pending_verify', ['INSTRUMENT_UNVERIFIED']],
      ['too young', { history_days: 10 }, 'verified', ['INSUFFICIENT_HISTORY']],
    ] as const)('an instrument that is %s', async (name, known, lifecycle_state, warnings) => {
      const agent = await bench.agent();
      const symbol = name
        .replaceAll(/[^a-z]/g, '')
        .slice(0, 8)
        .toUpperCase();
      const instrument = recordOf({ ...PAIR, symbol, quote_currency: 'USDT' }, await bench.now(), known);
      await bench.storage().instruments.put(instrument);
      const draft = await bench.draft(agent, { ...TETHERED, symbol });
      const { verified } = await bench.storage().intake.preview(draft);
      expect(verified).toBe(lifecycle_state === 'verified');
      const receipt = await bench.accepted(agent, { ...TETHERED, symbol });
      expect(receipt).toMatchObject({ lifecycle_state, warnings });
      const { due_at } = await found(bench, receipt.record_id);
      const nextAttempt = instrument.status === 'unreachable' ? instrument.retry_at : null;
      expect(due_at).toEqual(lifecycle_state === 'verified' ? new Date(receipt.settles_at) : nextAttempt);
    });

    test.each([
      ['tripped', 'PEG_TRIPPED'],
      ['warming', 'PEG_WARMING'],
    ] as const)(
      'a %s circuit isolates the record under its snapshot, and a normal one does not',
      async (state, warning) => {
        const agent = await bench.agent();
        await bench.arrange().circuit('USDT', 'normal');
        const folded = await bench.accepted(agent, TETHERED);
        expect(folded).toMatchObject({ cohort_key: 'crypto:btc:spot:usd:bullish:intraday:opinion' });
        expect(await found(bench, folded.record_id)).toMatchObject({ isolation_snapshot_id: null });
        const snapshot = await bench.arrange().circuit('USDT', state);
        const receipt = await bench.accepted(agent, TETHERED);
        expect(receipt).toMatchObject({
          cohort_key: 'crypto:btc:spot:usdt:bullish:intraday:opinion',
          warnings: [warning, 'INSTRUMENT_UNVERIFIED'],
        });
        expect(await found(bench, receipt.record_id)).toMatchObject({ isolation_snapshot_id: snapshot });
        const other = await bench.accepted(agent, { ...TETHERED, quote_currency: 'USDC' });
        expect(other).toMatchObject({ cohort_key: folded.cohort_key, warnings: ['INSTRUMENT_UNVERIFIED'] });
        await bench.arrange().circuit('USDT', 'normal');
      },
    );

    test('where tripped circuits refuse, a warming one does not', async () => {
      const agent = await bench.agent();
      const options = { limits: NO_LIMITS, refuseTripped: true };
      await bench.arrange().circuit('USDC', 'tripped');
      const changes = { ...TETHERED, quote_currency: 'USDC' };
      expect(await bench.submit(agent, changes, options)).toEqual({ verdict: 'circuit_open' });
      await bench.arrange().circuit('USDC', 'warming');
      expect(await bench.submit(agent, changes, options)).toMatchObject({ verdict: 'accepted' });
      await bench.arrange().circuit('USDC', 'normal');
    });

    test('a workflow is attributed when it is public or the owner’s own, else warned of', async () => {
      const [agent, stranger] = [await bench.agent(), await bench.agent()];
      const arrange = bench.arrange();
      const mine = await arrange.publish(agent.owner_id, 'private');
      const theirs = await arrange.publish(stranger.owner_id, 'private');
      const open = await arrange.publish(stranger.owner_id, 'public');
      const attributed = async (hash: string) => {
        const { record_id, workflow_hash, warnings } = await bench.accepted(agent, { workflow_ref: `wf:${hash}` });
        const { workflow_public } = await found(bench, record_id);
        return { workflow_hash, workflow_public, warnings: warnings.filter((code) => code.startsWith('WORKFLOW')) };
      };
      const unresolved = { workflow_hash: null, workflow_public: false, warnings: ['WORKFLOW_REF_UNRESOLVED'] };
      expect(await attributed(mine)).toEqual({ workflow_hash: mine, workflow_public: false, warnings: [] });
      expect(await attributed(open)).toEqual({ workflow_hash: open, workflow_public: true, warnings: [] });
      expect(await attributed(theirs)).toEqual(unresolved);
      expect(await attributed('0'.repeat(64))).toEqual(unresolved);
    });

    test('warnings about the values come first, those about the context after, in one order', async () => {
      const agent = await bench.agent();
      await bench.arrange().circuit('USDT', 'tripped');
      const changes = { ...TETHERED, workflow_ref: `wf:${'f'.repeat(64)}` };
      const expected = ['WORKFLOW_REF_UNRESOLVED', 'PEG_TRIPPED', 'INSTRUMENT_UNVERIFIED'];
      expect((await bench.accepted(agent, changes)).warnings).toEqual(expected);
      const malformed = await bench.accepted(agent, { ...TETHERED, workflow_ref: 'my workflow' });
      expect(malformed.warnings).toEqual(['WORKFLOW_REF_INVALID', 'PEG_TRIPPED', 'INSTRUMENT_UNVERIFIED']);
      await bench.arrange().circuit('USDT', 'normal');
    });

    test('the preview returns the same and writes nothing', async () => {
      const agent = await bench.agent();
      await bench.arrange().circuit('USDT', 'warming');
      const hash = await bench.arrange().publish(agent.owner_id, 'private');
      const draft = await bench.draft(agent, { ...TETHERED, workflow_ref: `wf:${hash}` });
      const calm = {
        received_at: await bench.now(),
        verified: false,
        history_from: null,
        circuit_state: 'warming',
        workflow_found: true,
        refused: [],
        would_wait: [],
      };
      const { intake } = bench.storage();
      expect(await intake.preview(draft)).toEqual(calm);
      expect(await intake.preview(draft)).toEqual(calm);
      expect(await intake.submit(draft)).toMatchObject({ verdict: 'accepted' });
      await bench.arrange().circuit('USDT', 'normal');
    });

    test('the preview returns how old the history is', async () => {
      const agent = await bench.agent();
      const symbol = 'AGED';
      const record = recordOf({ ...PAIR, symbol, quote_currency: 'USDT' }, await bench.now(), {});
      await bench.storage().instruments.put(record);
      const preview = await bench.storage().intake.preview(await bench.draft(agent, { ...TETHERED, symbol }));
      expect(preview).toMatchObject({ verified: true, history_from: new Date(record.listing?.history_from ?? 0) });
    });
  },
};

interface Known {
  readonly age?: number;
  readonly status?: InstrumentRecord['status'];
  readonly history_days?: number;
}

function recordOf(
  instrument: Instrument,
  now: Date,
  { age = 0, status = 'verified', history_days = 900 }: Known,
): InstrumentRecord {
  const listing = {
    source: 'test',
    sizes: ['1m', '1d'],
    history_from: now.getTime() - history_days * DAY,
    delisted_at: null,
    cadence: 'continuous',
  } as const;
  const checked_at = new Date(now.getTime() - age);
  const retry_at = status === 'unreachable' ? new Date(now.getTime() + HOUR) : null;
  return { instrument, status, listing, checked_at, retry_at, attempts: 0, last_error: null };
}
