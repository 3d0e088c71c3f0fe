import { expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import { sha256Hex } from '../../../application/sha256.ts';
import { commitmentOf, statementOf } from '../../../domain/decisions/submission/commitment.ts';
import type { DecisionDraft, Verdict } from '../../../domain/decisions/submission/decision-intake.ts';
import type { Receipt } from '../../../domain/decisions/submission/receipt.ts';
import { groupId } from '../../../domain/identifiers.ts';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { type AgentCaller, type DraftOptions, NO_LIMITS, randomName, receiptOf } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { Bench, Change, DecisionContract } from './bench.ts';
import { found } from './intake-acceptance.ts';

type Group = readonly [DecisionDraft, ...DecisionDraft[]];

/** Hours of its horizons. */
const SIX = [1, 2, 3, 24, 48, 72];

/** A group of drafts, as the service makes them: one key, and a body of its own for each horizon; of one hour, no group. */
export async function groupOf(
  bench: Bench,
  agent: AgentCaller,
  hours: readonly number[] = [1, 24, 48],
  { retroactive = false, ...options }: DraftOptions & { readonly retroactive?: boolean } = {},
  changes: Change = {},
): Promise<Group> {
  const id = groupId(Buffer.from(randomName().padEnd(12, 'x')));
  const draft = retroactive ? bench.hindsight : bench.draft;
  const drafts = await Promise.all(
    hours.map((value, index) =>
      draft(agent, { ...changes, horizon_value: value * 3_600, confidence: index / 10 }, options),
    ),
  );
  const [first, ...others] = drafts.map((each, index) => {
    const { idempotency = null } = drafts[0] ?? {};
    const group = { id, of: hours.length, place: index + 1 };
    return { ...each, idempotency, ...(hours.length > 1 && { group }) };
  });
  if (!first) throw new Error('A group has horizons.');
  return [first, ...others];
}

export const intakeGroupsContract: DecisionContract = {
  name: 'decision groups',
  promises(bench) {
    const submit = ([draft, ...others]: Group) => bench.storage().intake.submit(draft, others);

    test('every horizon is a record of its own, in order, received at one time', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent, { symbol: 'ETH' });
      const now = await bench.now();
      const group = await groupOf(bench, agent, SIX);
      const receipts = receiptsOf(await submit(group));
      expect(receipts).toHaveLength(SIX.length);
      expect(new Set(receipts.map(({ record_id }) => record_id)).size).toBe(SIX.length);
      const records = await Promise.all(receipts.map(({ record_id }) => found(bench, record_id)));
      const { id } = group[0].group ?? {};
      expect(records.map(({ group_id, group_place, group_of }) => [group_id, group_place, group_of])).toEqual(
        SIX.map((_, index) => [id, index + 1, SIX.length]),
      );
      expect(records.map(({ number }) => number)).toEqual([2, 3, 4, 5, 6, 7]);
      for (const [index, record] of records.entries()) {
        const end_time = new Date(now.getTime() + Number(SIX[index]) * HOUR);
        expect(record).toMatchObject({ horizon_value: Number(SIX[index]) * 3_600, submission_time: now, end_time });
        expect(record).toMatchObject({ anchor_time: now, lifecycle_state: 'pending_verify' });
        expect(record.settles_at.getTime()).toBeGreaterThan(end_time.getTime() + MINUTE);
        expect(receipts[index]).toMatchObject({ end_time: end_time.toISOString(), cohort_key: record.cohort_key });
      }
      expect(records.map(({ cohort_key }) => cohort_key.split(':')[5])).toEqual([
        ...['intraday', 'intraday', 'intraday'],
        ...['swing', 'swing', 'swing'],
      ]);
    });

    test('the statement of each is its own body, with its place among them', async () => {
      const group = await groupOf(bench, await bench.agent(), [1, 24], {}, { summary: 'said once' });
      for (const [index, { record_id, submission_time, commitment }] of receiptsOf(await submit(group)).entries()) {
        const draft = group[index];
        const { statement, salt, submission } = await found(bench, record_id);
        expect(submission).toMatchObject({ summary: 'said once', confidence: index / 10 });
        expect(statement).toBe(canonicalize({ body: submission, group: draft?.group, record_id, submission_time }));
        expect(statement).toBe(statementOf(draft?.body ?? '', record_id, new Date(submission_time), draft?.group));
        expect(commitment).toBe(commitmentOf(Buffer.from(String(salt), 'hex'), statement, sha256Hex));
      }
    });

    test('a decision that is submitted alone is of no group, and its statement and receipt have none', async () => {
      const receipt = await bench.accepted(await bench.agent());
      const record = await found(bench, receipt.record_id);
      expect(record).toMatchObject({ group_id: null, group_place: null, group_of: null });
      expect(JSON.parse(record.statement)).not.toHaveProperty('group');
      expect(receipt).not.toHaveProperty('group');
    });

    test('a group holds one cooldown, in which its first horizon is named', async () => {
      const agent = await bench.agent();
      const [first] = receiptsOf(await submit(await groupOf(bench, agent)));
      const held = {
        verdict: 'cooldown',
        record_id: first?.record_id,
        retry_after_seconds: CONTRACT_LIMITS.cooldownSeconds,
      };
      expect(await submit(await groupOf(bench, agent))).toEqual(held);
      expect(await bench.submit(agent)).toEqual(held);
      expect(await submit(await groupOf(bench, agent, [1, 2], {}, { direction: 'bearish' }))).toMatchObject({
        verdict: 'accepted',
      });
    });

    test('each counts in the hour, and all or none are accepted', async () => {
      const agent = await bench.agent();
      const limits = { ...NO_LIMITS, submitsPerHour: 4 };
      expect(await bench.submit(agent, {}, { limits })).toMatchObject({ verdict: 'accepted' });
      expect(await bench.submit(agent, {}, { limits })).toMatchObject({ verdict: 'accepted' });
      const refused = { verdict: 'frequency', retry_after_seconds: expect.any(Number), left: 2 };
      expect(await submit(await groupOf(bench, agent, [1, 2, 3], { limits }))).toEqual(refused);
      const receipts = receiptsOf(await submit(await groupOf(bench, agent, [1, 2], { limits })));
      expect(await numbersOf(bench, receipts)).toEqual([3, 4]);
      expect(await bench.submit(agent, {}, { limits })).toMatchObject({ verdict: 'frequency' });
    });

    test('each counts in the retroactive quota of the day', async () => {
      const agent = await bench.agent();
      const options = { retroactive: true, limits: { ...NO_LIMITS, retroactivePerDay: 5 } };
      const groups = [await groupOf(bench, agent, [1, 2, 3], options), await groupOf(bench, agent, [1, 2, 3], options)];
      const verdicts = await Promise.all(groups.map(submit));
      expect(verdicts.map(({ verdict }) => verdict).toSorted()).toEqual(['accepted', 'retroactive_quota']);
      const refused = { verdict: 'retroactive_quota', retry_after_seconds: expect.any(Number), left: 2 };
      expect(verdicts).toContainEqual(refused);
      const [draft, ...others] = await groupOf(bench, agent, [1, 2, 3], options);
      expect((await bench.storage().intake.preview(draft, others)).would_wait).toEqual([refused]);
      const many = { ...options, limits: { ...NO_LIMITS, retroactivePerDay: 1 } };
      expect(await submit(await groupOf(bench, await bench.agent(), [1, 2], many))).toEqual({ ...refused, left: 1 });
      const pair = await groupOf(bench, agent, [4, 5], options);
      expect(await numbersOf(bench, receiptsOf(await submit(pair)))).toEqual([4, 5]);
    });

    test('the bodies of all count in the bytes of the hour', async () => {
      const agent = await bench.agent();
      const summary = 'x'.repeat(30_000);
      const limits = { ...NO_LIMITS, submitsPerHour: 8, submitMeanBytes: 10_000 };
      expect(await submit(await groupOf(bench, agent, [1, 2, 3], { limits }, { summary }))).toMatchObject({
        verdict: 'hour_bytes',
        used_bytes: 0,
      });
      expect(await submit(await groupOf(bench, agent, [1, 2], { limits }, { summary }))).toMatchObject({
        verdict: 'accepted',
      });
    });

    test('one key replays all receipts, and refuses another group', async () => {
      const agent = await bench.agent();
      const idempotencyKey = randomName();
      const group = await groupOf(bench, agent, SIX, { idempotencyKey });
      const receipts = receiptsOf(await submit(group));
      await bench.arrange().advance(1);
      const again = await groupOf(bench, agent, SIX, { idempotencyKey });
      const [first] = group;
      const same = again.map((each) => ({ ...each, idempotency: first.idempotency })) as unknown as Group;
      const replay = await submit(same);
      expect(replay.verdict).toBe('replayed');
      expect(receiptsOf(replay)).toEqual(receipts);
      const recorded = await bench.storage().intake.recorded(agent.agent_id, idempotencyKey);
      const { fingerprint } = first.idempotency ?? {};
      expect(recorded).toEqual({ fingerprint, receipt: receipts[0], others: receipts.slice(1) });
      const [shorter, ...rest] = await groupOf(bench, agent, [1, 5], { idempotencyKey });
      const other = { key: idempotencyKey, fingerprint: sha256Hex('another body') };
      expect(await submit([{ ...shorter, idempotency: other }, ...rest])).toEqual({ verdict: 'key_reused' });
    });

    test('a refused group takes nothing: no record, no number, no key, no cooldown', async () => {
      const agent = await bench.agent();
      const idempotencyKey = randomName();
      const limits = { submitsPerHour: 2 };
      const group = await groupOf(bench, agent, [1, 2, 3], { idempotencyKey, limits });
      expect(await submit(group)).toMatchObject({ verdict: 'frequency' });
      expect(await bench.storage().intake.recorded(agent.agent_id, idempotencyKey)).toBeNull();
      const accepted = receiptOf(await bench.submit(agent, {}, { limits }));
      expect(await numbersOf(bench, [accepted])).toEqual([1]);
    });

    test('a plan that ends with one horizon ends for all', async () => {
      const group = await groupOf(bench, await bench.agent());
      const now = await bench.now();
      const ended = group.map((each, index) =>
        index === 2 ? { ...each, plan: { ...each.plan, until: now.getTime() } } : each,
      ) as unknown as Group;
      expect(await submit(ended)).toEqual({ verdict: 'replan', received_at: now });
    });

    test('the preview returns what would refuse all of them, and changes nothing', async () => {
      const agent = await bench.agent();
      const limits = { submitsPerHour: 2, retroactivePerDay: 2 };
      const [draft, ...others] = await groupOf(bench, agent, [1, 2, 3], { retroactive: true, limits });
      const [first, ...rest] = await groupOf(bench, agent, [1, 2], { retroactive: true, limits });
      const { intake } = bench.storage();
      expect((await intake.preview(draft, others)).would_wait.map(({ verdict }) => verdict)).toEqual([
        'frequency',
        'retroactive_quota',
      ]);
      expect((await intake.preview(first, rest)).would_wait).toEqual([]);
      expect(await submit([first, ...rest])).toMatchObject({ verdict: 'accepted' });
    });

    test('20 twins at once are one group, and all are given its receipts', async () => {
      const agent = await bench.agent();
      const group = await groupOf(bench, agent, SIX, { idempotencyKey: randomName() });
      const verdicts = await race(20, () => submit(group));
      expect(verdicts.filter(({ verdict }) => verdict === 'accepted')).toHaveLength(1);
      const [first, ...others] = verdicts.map(receiptsOf);
      for (const each of others) expect(each).toEqual(first);
      expect(await numbersOf(bench, first ?? [])).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test('of groups and decisions at once no more are accepted than the hour allows, and no group in part', async () => {
      const agent = await bench.agent();
      const limits = { ...NO_LIMITS, submitsPerHour: 50 };
      const sizes = [8, 5, 3, 1];
      const sent = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          groupOf(
            bench,
            agent,
            Array.from({ length: sizes[n % 4] ?? 1 }, (__, hour) => hour + 1),
            { limits },
          ),
        ),
      );
      const verdicts = await race(20, (n) => submit(sent[n] ?? raise()));
      const accepted = verdicts.flatMap((verdict) => ('receipt' in verdict ? [receiptsOf(verdict)] : []));
      const refused = verdicts.flatMap(({ verdict }, n) => (verdict === 'frequency' ? [sent[n]?.length ?? 0] : []));
      const numbers = await numbersOf(bench, accepted.flat());
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: numbers.length }, (_, n) => n + 1));
      expect(numbers.length).toBeLessThanOrEqual(50);
      expect(numbers.length + Math.min(...refused)).toBeGreaterThan(50);
      for (const receipts of accepted) {
        const own = await numbersOf(bench, receipts);
        expect(own).toEqual(own.map((_, n) => (own[0] ?? 0) + n));
      }
    });

    test('more decisions at once than a batch has room for are all accepted', async () => {
      const agents = await Promise.all(Array.from({ length: 20 }, () => bench.agent()));
      const sent = await Promise.all(agents.map((agent) => groupOf(bench, agent, [1, 2, 3, 4, 5, 6, 7, 8])));
      const verdicts = await race(20, (n) => submit(sent[n] ?? raise()));
      for (const verdict of verdicts) expect(receiptsOf(verdict)).toHaveLength(8);
    });
  },
};

/** Of a group that must have been taken, in the order of its horizons. */
function receiptsOf(verdict: Verdict): readonly Receipt[] {
  const first = receiptOf(verdict);
  return 'others' in verdict ? [first, ...(verdict.others ?? [])] : [first];
}

async function numbersOf(bench: Bench, receipts: readonly Receipt[]): Promise<number[]> {
  const records = await Promise.all(receipts.map(({ record_id }) => found(bench, record_id)));
  return records.map(({ number }) => number ?? 0);
}

function raise(): never {
  throw new Error('There is a group for each.');
}
