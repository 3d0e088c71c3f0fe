import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { verificationEndsAt } from '../../../domain/decisions/moderation/verification.ts';
import { VERIFICATION } from '../../../domain/limits.ts';
import { type AgentCaller, NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { evaluateAll, FAR, inMinutes } from './evaluated.ts';
import { found } from './intake-acceptance.ts';
import { pair, unreachable } from './verification.ts';

export const verificationWaitsContract: DecisionContract = {
  name: 'waits for a verification',
  promises(bench) {
    beforeAll(() => evaluateAll(bench));

    test('readers see the attempts of the verification that a record waits for', async () => {
      const agent = await bench.agent();
      const now = await bench.now();
      const { record_id } = await bench.accepted(agent, { symbol: 'UNREACHED' });
      expect(await shown(bench, agent, record_id)).toEqual({ due_at: null, attempts: 0, last_error: null });
      const { verification, instruments } = bench.storage();
      await instruments.put({ ...unreachable(pair('UNREACHED'), inMinutes(now, 4)), attempts: 3 });
      const waiting = { due_at: inMinutes(now, 4), attempts: 3, last_error: 'no source answered' };
      expect(await shown(bench, agent, record_id)).toEqual(waiting);
      await instruments.requestRefresh({ instrument: pair('UNREACHED'), job_id: randomUUID() }, now);
      expect(await shown(bench, agent, record_id)).toEqual({ ...waiting, due_at: null, attempts: 0 });
      await instruments.put({ ...unreachable(pair('UNREACHED'), inMinutes(now, 1)), status: 'rejected' });
      expect(await shown(bench, agent, record_id)).toEqual({ due_at: null, attempts: 0, last_error: null });
      await instruments.put(unreachable(pair('UNREACHED'), inMinutes(now, 1)));
      await verification.settleVerification(pair('UNREACHED'), 'rejected', 'There is none.');
      const rejected = { due_at: null, attempts: 0, last_error: 'There is none.' };
      expect(await shown(bench, agent, record_id)).toEqual(rejected);
    });

    test('the wait of a record is over when the domain says so, and a refresh revives it', async () => {
      const agent = await bench.agent();
      const now = await bench.now();
      const symbol = 'NEVER';
      const early = await bench.accepted(agent, { symbol, horizon_value: 120 });
      const late = await bench.accepted(agent, { symbol, horizon_value: 86_400 });
      const other = await bench.accepted(agent, { symbol: 'OTHERWISE', horizon_value: 120 });
      const { verification } = bench.storage();
      const over = verificationEndsAt(await found(bench, early.record_id), null);
      expect(await verification.endWaits(pair(symbol), 'unreached', new Date(over.getTime() - 1))).toBe(0);
      expect(await verification.endWaits(pair(symbol), 'unreached', over)).toBe(1);
      expect(await verification.endWaits(pair(symbol), 'unreached', over)).toBe(0);
      const ended = { lifecycle_state: 'rejected', due_at: null, last_error: 'unreached' };
      expect(await found(bench, early.record_id)).toMatchObject(ended);
      for (const { record_id } of [late, other]) {
        expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'pending_verify' });
      }
      expect(await verification.revive(pair(symbol), now)).toEqual({ rejected: 1, data_unavailable: 0 });
      expect(await found(bench, early.record_id)).toMatchObject({
        lifecycle_state: 'pending_verify',
        last_error: null,
      });
    });

    test('the wait of a retroactive record counts from its submission', async () => {
      const agent = await bench.agent();
      const draft = await bench.hindsight(agent, { symbol: 'BEFORE' });
      const { record_id } = receiptOf(await bench.storage().intake.submit(draft));
      const { verification } = bench.storage();
      const over = verificationEndsAt(await found(bench, record_id), null);
      expect(over).toEqual(new Date((await bench.now()).getTime() + VERIFICATION.patience));
      expect(await verification.endWaits(draft.instrument, 'unreached', new Date(over.getTime() - 1))).toBe(0);
      expect(await verification.endWaits(draft.instrument, 'unreached', over)).toBe(1);
    });

    test('a queued refresh begins the wait again', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent, { symbol: 'QUEUED' });
      const { verification, instruments } = bench.storage();
      const record = await found(bench, record_id);
      const first = verificationEndsAt(record, null);
      const job_id = await instruments.requestRefresh({ instrument: pair('QUEUED'), job_id: randomUUID() }, first);
      const second = verificationEndsAt(record, first);
      expect(await verification.endWaits(pair('QUEUED'), 'unreached', new Date(second.getTime() - 1))).toBe(0);
      expect(await verification.endWaits(pair('QUEUED'), 'unreached', second)).toBe(1);
      await instruments.endRefresh(job_id);
    });

    test('the retroactive ones are listed by pages, and move on alone', async () => {
      const agent = await bench.agent();
      const symbol = 'LISTED';
      const realtime = await bench.accepted(agent, { symbol });
      const { intake, verification } = bench.storage();
      const drafts = await race(3, () => bench.hindsight(agent, { symbol }, { limits: NO_LIMITS }));
      const receipts = [];
      for (const draft of drafts) receipts.push(receiptOf(await intake.submit(draft)));
      const [first = '', second = '', third = ''] = receipts.map(({ record_id }) => record_id).toSorted();
      const page = await verification.waitingRetroactive(pair(symbol), null, 2);
      expect(page.map(({ record_id }) => record_id)).toEqual([first, second]);
      const { horizon_kind, horizon_value, anchor_time } = await found(bench, first);
      const window = { submission_origin: 'retroactive', horizon_kind, horizon_value, anchor_time };
      expect(page[0]).toMatchObject({ ...pair(symbol), ...window });
      expect(await verification.waitingRetroactive(pair(symbol), second, 2)).toMatchObject([{ record_id: third }]);
      const { instruments } = bench.storage();
      const retry_at = inMinutes(await bench.now(), 1);
      expect(await verification.awaitingRetry(await bench.now(), 10)).not.toContainEqual(pair(symbol));
      await instruments.put(unreachable(pair(symbol), retry_at));
      const before = new Date(retry_at.getTime() - 1);
      expect(await verification.awaitingRetry(before, 10)).toContainEqual(pair(symbol));
      expect(await verification.awaitingRetry(retry_at, 10)).not.toContainEqual(pair(symbol));
      expect(await verification.verifyRecords([first, third])).toBe(2);
      expect(await verification.verifyRecords([first, third])).toBe(0);
      const { settles_at, ...verified } = await found(bench, first);
      expect(verified).toMatchObject({ lifecycle_state: 'verified', due_at: settles_at });
      for (const record_id of [second, realtime.record_id]) {
        expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'pending_verify' });
      }
      expect(await verification.waitingRetroactive(pair(symbol), null, 10)).toMatchObject([{ record_id: second }]);
      await verification.settleVerification(pair(symbol), 'verified');
      expect(await verification.awaitingRetry(before, 10)).not.toContainEqual(pair(symbol));
    });

    test('20 sweeps that end waits and 20 that found the instrument move each record once', async () => {
      const agent = await bench.agent();
      const symbol = 'CONTENDED';
      for (let i = 0; i < 5; i++) await bench.accepted(agent, { symbol });
      const { verification } = bench.storage();
      const moved = await race(40, (n) =>
        n % 2 === 0
          ? verification.endWaits(pair(symbol), 'unreached', FAR)
          : verification.settleVerification(pair(symbol), 'verified'),
      );
      expect(moved.reduce((sum, count) => sum + count, 0)).toBe(5);
    });

    test('a refresh and the end of a wait at once: the record is revived whichever comes first', async () => {
      const agent = await bench.agent();
      for (let round = 0; round < bench.runs(20); round++) {
        const instrument = pair(`REVIVED${round}`);
        const { record_id } = await bench.accepted(agent, { symbol: instrument.symbol });
        const { transaction, instruments } = bench.storage();
        await instruments.put(unreachable(instrument, await bench.now()));
        const refresh = () =>
          transaction(async (stores) => {
            await stores.instruments.requestRefresh({ instrument, job_id: randomUUID() }, FAR);
            await stores.verification.revive(instrument, FAR);
          });
        const expire = () =>
          transaction(async (stores) => {
            await stores.instruments.put(unreachable(instrument, FAR));
            await stores.verification.endWaits(instrument, 'unreached', FAR);
          });
        await race(2, (n) => ((n + round) % 2 === 0 ? refresh() : expire()));
        expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'pending_verify' });
      }
    });
  },
};

/** The fields of a record that its verification decides while it waits, as every reader shows them to its owner. */
async function shown(bench: Bench, { owner_id, agent_id }: AgentCaller, record_id: string) {
  const { decisions, ownerRecords } = bench.storage();
  const [whole] = await decisions.find([record_id], owner_id);
  const [status] = await decisions.findStatus([record_id], owner_id);
  const filter = { ...NO_FILTER, include_archived: true };
  const listed = await ownerRecords.list(owner_id, filter, null, 100);
  const ofAgent = await ownerRecords.list(owner_id, { ...filter, agent_id }, null, 100);
  const items = [...listed, ...ofAgent].filter((each) => each.record_id === record_id);
  const fields = [whole, status, ...items].map((each) => ({
    due_at: each?.due_at,
    attempts: each?.attempts,
    last_error: each?.last_error,
  }));
  expect(fields).toHaveLength(4);
  for (const each of fields) expect(each).toEqual(fields[0]);
  return fields[0];
}

const NO_FILTER = {
  agent_id: null,
  market: null,
  symbols: null,
  venue: null,
  asset_class: null,
  quote_currency: null,
  direction: null,
  lifecycle_state: null,
  result_bucket: null,
  submitted_since: null,
  submitted_until: null,
  evaluated_since: null,
  ...{ submission_origin: null, ended_since: null, ended_until: null },
  group_id: null,
} as const;
