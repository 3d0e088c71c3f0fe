import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import { sha256Hex } from '../../../application/sha256.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { commitmentOf, statementOf } from '../../../domain/decisions/submission/commitment.ts';
import { RECORD_ID } from '../../../domain/identifiers.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { aKeyOf } from '../../builders/accounts.ts';
import { NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import type { Bench, DecisionContract } from './bench.ts';

export const intakeAcceptanceContract: DecisionContract = {
  name: 'taking decisions in',
  promises(bench) {
    test('the receipt and the record say what was decided', async () => {
      const agent = await bench.agent();
      const now = await bench.now();
      const receipt = await bench.accepted(agent, { symbol: 'btc/usd', perspective_type: 'macro' });
      const plus = (millis: number) => new Date(now.getTime() + millis);
      expect(receipt).toMatchObject({
        record_id: expect.stringMatching(RECORD_ID),
        lifecycle_state: 'pending_verify',
        submission_time: now.toISOString(),
        submission_origin: 'realtime',
        cohort_key: 'crypto:btc:spot:usd:bullish:intraday:opinion',
        anchor_time: now.toISOString(),
        end_time: plus(HOUR).toISOString(),
        settles_at: plus(HOUR + MINUTE + 120 * SECOND).toISOString(),
        workflow_hash: null,
        warnings: ['INSTRUMENT_UNVERIFIED'],
      });
      expect(receipt.record_id.slice(4, 12)).toBe(now.toISOString().slice(0, 10).replaceAll('-', ''));
      const decision = await found(bench, receipt.record_id);
      expect(decision).toMatchObject({
        owner_id: agent.owner_id,
        agent_id: agent.agent_id,
        symbol: 'BTC',
        submitted_symbol: 'BTC/USD',
        perspective_type: 'macro',
        submission_time: now,
        anchor_time: now,
        end_time: plus(HOUR),
        settles_at: new Date(receipt.settles_at),
        lifecycle_state: 'pending_verify',
        due_at: null,
        attempts: 0,
        evaluated_at: null,
        facts: null,
        bars: null,
        archived_at: null,
        quarantine_reason: null,
        related: [],
        commitment: receipt.commitment,
      });
    });

    test('the commitment seals the body as sent, in RFC 8785 form, and opens with salt and statement', async () => {
      const agent = await bench.agent();
      const meta = '{"€":1.10,"10":9007199254740993,"b":[1e21,0.1,"ü"],"2":{"z":null,"A":"\\u2028\\"\\\\"}}';
      const submission = { summary: 'kept as it was said', meta };
      const receipt = await bench.accepted(agent, submission);
      const decision = await found(bench, receipt.record_id);
      const { record_id, submission_time, commitment } = receipt;
      const body = decision.submission;
      expect(body).toMatchObject(submission);
      expect(decision.statement).toBe(canonicalize({ body, record_id, submission_time }));
      const salt = Buffer.from(String(decision.salt), 'hex');
      expect(salt).toHaveLength(32);
      expect(createHash('sha256').update(salt).update(decision.statement).digest('hex')).toBe(commitment);
    });

    test.each(SAID)('statement and commitment are those of the domain: %j', async (summary) => {
      await bench.arrange().advance(7);
      const draft = await bench.draft(await bench.agent(), { summary }, { limits: NO_LIMITS });
      const { record_id, commitment } = receiptOf(await bench.storage().intake.submit(draft));
      const { statement, salt } = await found(bench, record_id);
      expect(statement).toBe(statementOf(draft.body, record_id, await bench.now()));
      expect(salt).toBe(Buffer.from(draft.salt).toString('hex'));
      expect(commitment).toBe(commitmentOf(draft.salt, statement, sha256Hex));
    });

    test('what is said twice is two records, with ids, salts and commitments of their own', async () => {
      const agent = await bench.agent();
      const receipts = [await bench.accepted(agent), await bench.accepted(agent)];
      const decisions = await Promise.all(receipts.map(({ record_id }) => found(bench, record_id)));
      for (const field of ['record_id', 'salt', 'commitment'] as const) {
        expect(new Set(decisions.map((decision) => decision[field])).size).toBe(2);
      }
    });

    test('a retroactive decision is anchored at its data, however late it is received', async () => {
      const agent = await bench.agent();
      const draft = await bench.hindsight(agent, {}, { limits: NO_LIMITS });
      await bench.arrange().advance(5 * MINUTE);
      const receipt = receiptOf(await bench.storage().intake.submit(draft));
      const anchor = draft.data_cutoff.getTime();
      expect(receipt).toMatchObject({
        submission_origin: 'retroactive',
        submission_time: (await bench.now()).toISOString(),
        anchor_time: draft.data_cutoff.toISOString(),
        end_time: new Date(anchor + HOUR).toISOString(),
        settles_at: new Date(anchor + HOUR + MINUTE + 120 * SECOND).toISOString(),
      });
    });

    test('a window that ends with a session keeps its end when the decision is received a little later', async () => {
      const agent = await bench.agent();
      const stock = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ' };
      const days = { ...stock, horizon_kind: 'trading_days', horizon_value: 2 } as const;
      const draft = await bench.draft(agent, days, { limits: NO_LIMITS });
      await bench.arrange().advance(1);
      const receipt = receiptOf(await bench.storage().intake.submit(draft));
      const { end } = draft.plan;
      expect(Date.parse(receipt.anchor_time)).toBe(draft.planned_at.getTime() + 1);
      expect(Date.parse(receipt.end_time)).toBe('at' in end ? end.at : null);
      expect(Date.parse(receipt.settles_at)).toBe(draft.planned_at.getTime() + draft.settles_after);
    });

    test('a plan holds from its first instant to the last before its end; at any other it is asked for anew', async () => {
      const agent = await bench.agent();
      const { intake } = bench.storage();
      const planned = await bench.draft(agent, {}, { limits: NO_LIMITS });
      const until = planned.plan.until;
      const verdictAt = async (at: number) => {
        await bench.arrange().freeze(new Date(at));
        return intake.submit(planned);
      };
      const start = planned.planned_at.getTime();
      expect(await verdictAt(start - 1)).toEqual({ verdict: 'replan', received_at: new Date(start - 1) });
      expect(await verdictAt(start)).toMatchObject({ verdict: 'accepted' });
      expect(await verdictAt(until - 1)).toMatchObject({ verdict: 'accepted' });
      expect(await verdictAt(until)).toEqual({ verdict: 'replan', received_at: new Date(until) });
    });

    test('a key revoked since it was authenticated writes nothing, and replays nothing either', async () => {
      const agent = await bench.agent();
      const { intake, apiKeys } = bench.storage();
      const draft = await bench.draft(agent, {}, { idempotencyKey: 'k', limits: NO_LIMITS });
      expect(await intake.submit(draft)).toMatchObject({ verdict: 'accepted' });
      await apiKeys.revoke(agent.owner_id, agent.key_prefix);
      expect(await intake.submit(draft)).toEqual({ verdict: 'key_revoked' });
      expect(await intake.submit(await bench.draft(agent, { direction: 'neutral' }))).toEqual({
        verdict: 'key_revoked',
      });
    });

    test('a key set to read_only since it was authenticated writes nothing, and replays nothing either', async () => {
      const agent = await bench.agent();
      const { intake, apiKeys } = bench.storage();
      const draft = await bench.draft(agent, {}, { idempotencyKey: 'k', limits: NO_LIMITS });
      expect(await intake.submit(draft)).toMatchObject({ verdict: 'accepted' });
      await apiKeys.change(agent.owner_id, agent.key_prefix, { permission_mode: 'read_only' });
      expect(await intake.submit(draft)).toEqual({ verdict: 'key_read_only' });
      const other = await bench.draft(agent, { direction: 'neutral' });
      expect(await intake.submit(other)).toEqual({ verdict: 'key_read_only' });
      await apiKeys.change(agent.owner_id, agent.key_prefix, { permission_mode: 'read_write' });
      expect(await intake.submit(other)).toMatchObject({ verdict: 'accepted' });
    });

    test('a key that has expired since it was authenticated writes nothing, and replays nothing either', async () => {
      const agent = await bench.agent();
      const { intake, apiKeys } = bench.storage();
      const end = new Date((await bench.now()).getTime() + SECOND);
      const key = aKeyOf(agent, { agent_id: agent.agent_id, expires_at: end });
      await apiKeys.add(key, 100);
      const caller = { ...agent, key_prefix: key.key_prefix };
      const draft = await bench.draft(caller, {}, { idempotencyKey: 'k', limits: NO_LIMITS });
      const other = await bench.draft(caller, { direction: 'neutral' });
      await bench.arrange().freeze(new Date(end.getTime() - 1));
      expect(await intake.submit(draft)).toMatchObject({ verdict: 'accepted' });
      await bench.arrange().freeze(end);
      expect(await intake.submit(draft)).toEqual({ verdict: 'key_expired' });
      expect(await intake.submit(other)).toEqual({ verdict: 'key_expired' });
      await apiKeys.change(agent.owner_id, key.key_prefix, { permission_mode: 'read_only' });
      expect(await intake.submit(other)).toEqual({ verdict: 'key_expired' });
    });

    test('a key that never was writes nothing', async () => {
      const agent = await bench.agent();
      const draft = await bench.draft({ ...agent, key_prefix: 'sbk_nobodys0' });
      expect(await bench.storage().intake.submit(draft)).toEqual({ verdict: 'key_revoked' });
    });

    test('one that cannot be written fails alone, leaves no trace and harms none of those that came with it', async () => {
      const agents = await Promise.all(Array.from({ length: 6 }, () => bench.agent()));
      const drafts = await Promise.all(agents.map((agent) => bench.draft(agent, {}, { idempotencyKey: 'once' })));
      const broken = new Set([1, 4]);
      const sent = drafts.map((draft, index) => (broken.has(index) ? { ...draft, body: 'no JSON' } : draft));
      const ends = await Promise.allSettled(sent.map((draft) => bench.storage().intake.submit(draft)));
      const outcomes = ends.map((end) => (end.status === 'fulfilled' ? end.value.verdict : end.status));
      expect(outcomes).toEqual(sent.map((_, index) => (broken.has(index) ? 'rejected' : 'accepted')));
      for (const index of broken) {
        const draft = drafts[index];
        expect(draft && (await bench.storage().intake.submit(draft))).toMatchObject({ verdict: 'accepted' });
      }
    });
  },
};

export async function found(bench: Bench, record_id: string, viewer: string | null = null): Promise<Decision> {
  const [decision] = await bench.storage().decisions.find([record_id], viewer);
  if (!decision) throw new Error(`There is no record ${record_id}`);
  return decision;
}

const SAID = ['', 'plain', 'ü € 😀', '"quoted" \\ and\ttabbed', '\u2028\u0001\u007f', "it's ''$1''", '{"body":{}}'];
