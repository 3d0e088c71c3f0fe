import { expect, test } from '@jest/globals';
import { sha256 } from '../../../application/sha256.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { ERASURE } from '../../../domain/limits.ts';
import { bytesOfHex, hexOf } from '../../../domain/log/encoding.ts';
import { erasedProducer, producerDigest, publicStatement } from '../../../domain/log/leaves/public-statement.ts';
import { SECOND } from '../../../domain/time.ts';
import { aKeyOf, anAgentOf, anOwner, aSessionOf } from '../../builders/accounts.ts';
import { type AgentCaller, NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { evaluateAll, FAR } from '../decisions/evaluated.ts';

const CANARY = 'canary-9f1c';
const SAID = {
  summary: `${CANARY} summary`,
  tags: [`${CANARY} tag`],
  meta: `{"note":"${CANARY} meta"}`,
  inputs: [{ kind: 'data' as const, name: `${CANARY} input`, sha256: '9f'.repeat(32) }],
  confidence: 0.7,
  key_factors: [
    'momentum',
    { factor: 'volume', weight: 0.5, source: { name: `${CANARY} source`, url: 'https://canary.example' } },
  ],
  execution_info: { executed: true, note: `${CANARY} execution` },
  service_interaction: { consulted: true, note: `${CANARY} service` },
};

export const erasureContract: DecisionContract = {
  name: 'erasure of owners',
  promises(bench) {
    const storage = () => bench.storage();
    const erasures = () => storage().erasures;
    const isScheduled = async ({ owner_id }: Pick<Owner, 'owner_id'>) =>
      (await storage().owners.find(owner_id))?.erases_at instanceof Date;

    async function due(agent: AgentCaller) {
      await erasures().schedule(agent.owner_id);
      await bench.arrange().advance(ERASURE.grace);
    }

    async function removed(agent: AgentCaller) {
      await due(agent);
      const account = await erasures().remove(agent.owner_id);
      if (!account) throw new Error('The account is due.');
      return account;
    }

    /** All steps until none is left; how many records they erased. */
    async function erase({ owner_id }: AgentCaller): Promise<number> {
      while ((await erasures().eraseTraces(owner_id, 10)) > 0);
      for (let written = 0; ; ) {
        const step = await erasures().eraseRecords(owner_id, 2);
        written += step.written;
        if (step.state !== 'more') return written;
      }
    }

    test('is scheduled for a week from now, once, and stops the keys; others are not touched', async () => {
      const [agent, mate] = [await bench.agent(), await bench.agent()];
      const now = await bench.now();
      const erases_at = await erasures().schedule(agent.owner_id);
      expect(erases_at).toEqual(new Date(now.getTime() + ERASURE.grace));
      await bench.arrange().advance(SECOND);
      expect(await erasures().schedule(agent.owner_id)).toEqual(erases_at);
      expect(await erasures().schedule(anOwner().owner_id)).toBeNull();
      expect(await storage().apiKeys.list(agent.owner_id)).toEqual([]);
      expect((await bench.submit(agent)).verdict).toBe('key_revoked');
      expect((await storage().apiKeys.list(mate.owner_id)).map(({ key_prefix }) => key_prefix)).toEqual([
        mate.key_prefix,
      ]);
      expect(await isScheduled(mate)).toBe(false);
    });

    test('meanwhile the account gets no key, and may log in and be exported', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      await erasures().schedule(agent.owner_id);
      await expect(storage().apiKeys.add(aKeyOf(agent), 50)).rejects.toMatchObject({ code: 'ERASURE_SCHEDULED' });
      await storage().sessions.add(aSessionOf(agent, { created_at: await bench.now() }));
      expect(await storage().sessions.list(agent.owner_id)).toHaveLength(1);
      expect(await storage().ownerData.recordIds(agent.owner_id, null, 10)).toHaveLength(1);
    });

    test('is taken back with the keys that it stopped and no other, by one of 20', async () => {
      const agent = await bench.agent();
      const other = aKeyOf(agent);
      await storage().apiKeys.add(other, 50);
      await storage().apiKeys.revoke(agent.owner_id, other.key_prefix);
      await erasures().schedule(agent.owner_id);
      const taken = await race(20, () => erasures().takeBack(agent.owner_id));
      expect(taken.filter((keys) => keys !== null)).toEqual([[agent.key_prefix]]);
      expect((await storage().apiKeys.list(agent.owner_id)).map(({ key_prefix }) => key_prefix)).toEqual([
        agent.key_prefix,
      ]);
      expect((await bench.submit(agent)).verdict).toBe('accepted');
      expect(await erasures().takeBack(agent.owner_id)).toBeNull();
    });

    test('keys of an account that is suspended too come back when both have ended', async () => {
      const { ownerAdministration } = bench.operators();
      for (const resumeFirst of [true, false]) {
        const agent = await bench.agent();
        const { owner_id, key_prefix } = agent;
        await erasures().schedule(owner_id);
        await ownerAdministration.suspend(owner_id);
        const ends = [() => ownerAdministration.resume(owner_id), () => erasures().takeBack(owner_id)];
        const [first, second] = resumeFirst ? ends : ends.toReversed();
        expect([await first?.(), await second?.()]).toEqual([[], [key_prefix]]);
        expect((await bench.submit(agent)).verdict).toBe('accepted');
      }
    });

    test('an account that is not due is not removed; one that is due is removed once, and is in no list', async () => {
      const agent = await bench.agent();
      expect(await erasures().remove(agent.owner_id)).toBeNull();
      await erasures().schedule(agent.owner_id);
      await bench.arrange().advance(ERASURE.grace - SECOND);
      expect(await erasures().due(1_000)).not.toContain(agent.owner_id);
      expect(await erasures().remove(agent.owner_id)).toBeNull();
      await bench.arrange().advance(SECOND);
      expect(await erasures().due(1_000)).toContain(agent.owner_id);
      const accounts = await race(20, () => erasures().remove(agent.owner_id));
      expect(accounts.filter((account) => account !== null)).toMatchObject([
        { removed: { agents: 1, api_keys: 1 }, records: 0 },
      ]);
      expect([await erasures().due(1_000), await erasures().takeBack(agent.owner_id)]).toEqual([
        expect.not.arrayContaining([agent.owner_id]),
        null,
      ]);
      expect(await erasures().unfinished(1_000)).toContain(agent.owner_id);
      const names = (await erasures().removedAfter(null, 1_000)).map(({ owner_id }) => owner_id);
      expect(names).toContain(agent.owner_id);
    });

    test('nothing is erased of an account that is there', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent, SAID);
      await due(agent);
      expect(await erasures().eraseRecords(agent.owner_id, 10)).toEqual({ written: 0, state: 'none' });
      expect(await erasures().eraseTraces(agent.owner_id, 10)).toBe(0);
      const [decision] = await storage().decisions.find([record_id], null);
      expect(decision?.submission).toMatchObject({ summary: SAID.summary });
      await erasures().takeBack(agent.owner_id);
    });

    test('what only the owner saw is erased from each record, and what others see stays; others keep theirs', async () => {
      const [agent, mate] = [await bench.agent(), await bench.agent()];
      const ids: string[] = [];
      for (const symbol of ['BTC', 'ETH', 'SOL']) {
        const draft = await bench.hindsight(agent, { ...SAID, symbol }, { limits: NO_LIMITS });
        ids.push(receiptOf(await storage().intake.submit(draft)).record_id);
      }
      await evaluateAll(bench);
      const open = await bench.accepted(agent, { ...SAID, symbol: 'ADA' });
      const kept = await bench.accepted(mate, { ...SAID, symbol: 'ADA' });
      const before = await storage().decisions.find([...ids, open.record_id], null);
      expect((await removed(agent)).records).toBe(4);
      expect(await erase(agent)).toBe(4);
      const after = await storage().decisions.find([...ids, open.record_id], null);
      expect(JSON.stringify(after)).not.toContain('canary');
      expect(after.map(publicStatement)).toEqual(before.map(publicStatement));
      for (const [
        n,
        { salt, commitment, statement, owner_id, agent_id, facts, owner_facts, submitted_symbol, symbol },
      ] of after.entries()) {
        const earlier = before[n];
        if (!earlier?.salt) throw new Error('It had a salt.');
        expect([salt, commitment, facts, submitted_symbol]).toEqual([null, earlier.commitment, earlier.facts, symbol]);
        const producer = producerDigest(bytesOfHex(earlier.salt), { owner_id, agent_id }, sha256);
        expect(erasedProducer(statement)).toBe(hexOf(producer));
        expect(Object.values(owner_facts ?? {}).every((fact) => fact === null)).toBe(true);
      }
      const [others] = await storage().decisions.find([kept.record_id], null);
      expect([others?.submission.summary, others?.salt]).toEqual([SAID.summary, expect.any(String)]);
      expect(await erasures().eraseRecords(agent.owner_id, 10)).toEqual({ written: 0, state: 'none' });
      expect(await erasures().unfinished(1_000)).not.toContain(agent.owner_id);
    });

    test('a record that is being evaluated is erased after its outcome, which brings nothing back', async () => {
      const agent = await bench.agent();
      const draft = await bench.hindsight(agent, { ...SAID, reference_price: 100, symbol: 'BTC' });
      const { record_id } = receiptOf(await storage().intake.submit(draft));
      const { evaluations, verification } = storage();
      await removed(agent);
      for (const instrument of await verification.awaitingVerification(FAR, 1_000))
        await verification.settleVerification(instrument, 'verified');
      const claimed = await evaluations.claimDue(FAR, FAR, 1_000);
      expect(claimed.map(({ decision }) => decision.record_id)).toContain(record_id);
      expect(await erase(agent)).toBe(0);
      expect(await erasures().unfinished(1_000)).toContain(agent.owner_id);
      await evaluateAll(bench);
      expect(await erase(agent)).toBe(1);
      const [decision] = await storage().decisions.find([record_id], null);
      expect(decision).toMatchObject({
        lifecycle_state: 'evaluated',
        salt: null,
        owner_facts: { reference_price: null },
      });
      expect(await erasures().unfinished(1_000)).not.toContain(agent.owner_id);
    });

    test('private snapshots go, and so do public ones that nobody else names', async () => {
      const [agent, mate] = [await bench.agent(), await bench.agent()];
      const hidden = await bench.arrange().publish(agent.owner_id, 'private');
      const shown = await bench.arrange().publish(agent.owner_id, 'public');
      const named = await bench.arrange().publish(agent.owner_id, 'public');
      await bench.accepted(mate, { workflow_ref: `wf:${named}` });
      await removed(agent);
      await erase(agent);
      const found = async (hash: string) => (await storage().workflowSnapshots.find(hash, agent.owner_id)) !== null;
      expect([await found(hidden), await found(shown), await found(named)]).toEqual([false, false, true]);
    });

    test('what is submitted, added and begun in a race with a removal is over with it, or erased', async () => {
      for (let round = 0; round < bench.runs(5); round += 1) {
        const { ownerAdministration } = bench.operators();
        expect(await survivorsOfRemoval(bench, ownerAdministration.remove)).toEqual([]);
      }
    });

    test('what is submitted and added in a race with a schedule is done before it, or refused', async () => {
      for (let round = 0; round < bench.runs(5); round += 1) {
        const agent = await bench.agent();
        const late: string[] = [];
        let isStopped = false;
        await race(12, async (worker) => {
          if (worker === 4) {
            await erasures().schedule(agent.owner_id);
            isStopped = true;
            return;
          }
          const begunAfter = isStopped;
          if (worker % 2 === 0) {
            await storage()
              .apiKeys.add(aKeyOf(agent), 50)
              .catch(({ code }: { code?: string }) => code);
          } else if (
            (await bench.submit(agent, { symbol: SYMBOLS[worker % 5] ?? 'BTC' })).verdict === 'accepted' &&
            begunAfter
          ) {
            late.push('accepted');
          }
        });
        expect([late, await storage().apiKeys.list(agent.owner_id)]).toEqual([[], []]);
        expect((await bench.submit(agent)).verdict).toBe('key_revoked');
      }
    });

    test('of a removal and a taking back at once, one happens', async () => {
      for (let round = 0; round < bench.runs(10); round += 1) {
        const agent = await bench.agent();
        await due(agent);
        const [account, keys] = await Promise.all([
          erasures().remove(agent.owner_id),
          erasures().takeBack(agent.owner_id),
        ]);
        expect([account === null, keys === null].toSorted()).toEqual([false, true]);
        expect((await storage().owners.find(agent.owner_id)) === null).toBe(account !== null);
      }
    });

    test('steps of several workers at once erase each record once, and one of them ends it', async () => {
      const agent = await bench.agent();
      for (const symbol of ['BTC', 'ETH', 'SOL', 'ADA', 'XRP']) await bench.accepted(agent, { ...SAID, symbol });
      await removed(agent);
      const steps = await race(20, async () => {
        const own = [];
        for (let n = 0; n < 10; n += 1) own.push(await erasures().eraseRecords(agent.owner_id, 2));
        return own;
      });
      const all = steps.flat();
      expect(all.reduce((sum, { written }) => sum + written, 0)).toBe(5);
      expect(all.filter(({ state }) => state === 'ended')).toHaveLength(1);
    });

    test('the overview counts what is scheduled, what is under way and what is erased', async () => {
      const before = await erasures().overview();
      const [agent, mate] = [await bench.agent(), await bench.agent()];
      await bench.accepted(agent, SAID);
      await removed(agent);
      await erasures().schedule(mate.owner_id);
      const { scheduled, under_way, records, due_since } = await erasures().overview();
      expect([scheduled, under_way, records]).toEqual([before.scheduled + 1, before.under_way + 1, before.records]);
      expect(due_since).toBeInstanceOf(Date);
      await erase(agent);
      expect(await erasures().overview()).toMatchObject({ under_way: before.under_way, records: before.records + 1 });
    });
  },
};

const SYMBOLS = ['BTC', 'ETH', 'SOL', 'ADA', 'XRP'];

/**
 * Submissions, sessions and agents are added while an account is removed, and what it wrote is erased; what of it is there
 * afterwards.
 */
export async function survivorsOfRemoval(
  bench: Pick<Bench, 'storage' | 'agent' | 'submit' | 'now'>,
  remove: (owner_id: string) => Promise<unknown>,
): Promise<readonly string[]> {
  const { erasures, owners, sessions, decisions } = bench.storage();
  const agent = await bench.agent();
  const { owner_id } = agent;
  const records: string[] = [];
  await race(12, async (worker) => {
    if (worker === 4) return void (await remove(owner_id));
    if (worker % 3 === 0) {
      const verdict = await bench.submit(agent, { ...SAID, symbol: SYMBOLS[worker / 3] ?? 'BTC' });
      if (verdict.verdict === 'accepted') records.push(verdict.receipt.record_id);
      return undefined;
    }
    const adding =
      worker % 3 === 1
        ? owners.addAgent(anAgentOf({ owner_id } as Owner), 50)
        : sessions.add(aSessionOf({ owner_id }, { created_at: await bench.now() }));
    return adding.then(
      () => undefined,
      (fault: { code?: string }) => {
        if (fault.code !== 'UNAUTHORIZED') throw fault;
      },
    );
  });
  for (let state = 'more'; state === 'more'; ) ({ state } = await erasures.eraseRecords(owner_id, 2));
  const found = await decisions.find(records, null);
  const readable = found.filter(({ salt }) => salt !== null).map(({ record_id }) => record_id);
  const left = (await sessions.list(owner_id)).map(() => 'session');
  return [...readable, ...left, ...((await owners.find(owner_id)) ? ['owner'] : [])];
}
