import { expect, test } from '@jest/globals';
import type { ListedDecision } from '../../../domain/decisions/own/owner-records.ts';
import { HOUR } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { endOf, FAR } from '../decisions/evaluated.ts';
import { found } from '../decisions/intake-acceptance.ts';
import { EVERYTHING } from './filters.ts';

export const heldRecordsContract: DecisionContract = {
  name: 'lists of an agent after a change',
  promises(bench) {
    test('a record is listed as it is after each change of it or of its instrument', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent, { symbol: 'LTC' });
      await bench.accepted(agent, { symbol: 'DOT' });
      const states: string[] = [];
      for (const change of CHANGES) {
        await listTwice(bench, agent);
        await change(bench, record_id);
        const listed = (await listTwice(bench, agent)).find((record) => record.record_id === record_id);
        const { lifecycle_state, due_at, last_error, attempts, evaluated_at } = await found(bench, record_id);
        expect(listed).toMatchObject({ lifecycle_state, due_at, last_error, attempts, evaluated_at });
        states.push(`${lifecycle_state} ${last_error}`);
      }
      expect(states).toEqual([
        'pending_verify no route',
        'pending_verify no answer',
        'verified null',
        'evaluating null',
        'evaluated null',
        'quarantined null',
        'evaluated null',
      ]);
    });

    test('an archived record, and all of a removed owner, are on no later list', async () => {
      const agent = await bench.agent();
      const [first, second] = [await bench.accepted(agent), await bench.accepted(agent, { symbol: 'SOL' })];
      const ids = async () => (await listTwice(bench, agent)).map(({ record_id }) => record_id).toSorted();
      expect(await ids()).toEqual([first.record_id, second.record_id].toSorted());
      await bench.storage().ownerRecords.archive(agent.owner_id, first.record_id, 'a mistake');
      expect(await ids()).toEqual([second.record_id]);
      await bench.operators().ownerAdministration.remove(agent.owner_id);
      expect(await ids()).toEqual([]);
    });

    test('another owner does not get what was listed for the owner', async () => {
      const [agent, stranger] = [await bench.agent(), await bench.agent()];
      await bench.accepted(agent);
      expect(await listTwice(bench, agent)).toHaveLength(1);
      expect(await listTwice(bench, { ...agent, owner_id: stranger.owner_id })).toEqual([]);
      expect(await listTwice(bench, { ...stranger, owner_id: agent.owner_id })).toEqual([]);
    });
  },
};

const CHANGES: readonly ((bench: Bench, record_id: string) => Promise<unknown>)[] = [
  (bench, record_id) => unreachable(bench, record_id, 'no route'),
  (bench, record_id) => unreachable(bench, record_id, 'no answer'),
  async (bench, record_id) =>
    bench.storage().verification.settleVerification(await instrumentOf(bench, record_id), 'verified'),
  (bench) => bench.storage().evaluations.claimDue(FAR, FAR, 100),
  async (bench) => {
    const { evaluations } = bench.storage();
    const claimed = await evaluations.claimDue(new Date(FAR.getTime() + HOUR), new Date(FAR.getTime() + HOUR), 100);
    await evaluations.endEvaluations(
      claimed.map((each) => endOf(each)),
      await bench.now(),
    );
  },
  async (bench, record_id) =>
    auditedModeration(bench.storage()).quarantine(record_id, 'a test', new Date(FAR.getTime() + 2 * HOUR)),
  (bench, record_id) => auditedModeration(bench.storage()).release(record_id),
];

async function unreachable(bench: Bench, record_id: string, last_error: string): Promise<void> {
  const [instrument, now] = [await instrumentOf(bench, record_id), await bench.now()];
  const retry_at = new Date(now.getTime() + HOUR);
  const state = { status: 'unreachable', listing: null, checked_at: now, retry_at, attempts: 1, last_error } as const;
  await bench.storage().instruments.put({ instrument, ...state });
}

async function instrumentOf(bench: Bench, record_id: string) {
  const { market, symbol, venue, asset_class, quote_currency } = await found(bench, record_id);
  return { market, symbol, venue, asset_class, quote_currency };
}

/** The second list is the same as the first one, which a process may hold. */
async function listTwice(bench: Bench, { owner_id, agent_id }: AgentCaller): Promise<readonly ListedDecision[]> {
  const list = () =>
    bench.storage().ownerRecords.list(owner_id, { ...EVERYTHING, include_archived: false, agent_id }, null, 20);
  const listed = await list();
  expect(await list()).toEqual(listed);
  return listed;
}
