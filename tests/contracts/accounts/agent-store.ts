import { expect, test } from '@jest/globals';
import type { AgentStore } from '../../../domain/accounts/keys/agent-store.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aKeyOf, anAgentOf, anOwner } from '../../builders/accounts.ts';
import { type AgentCaller, NO_LIMITS } from '../../builders/decisions.ts';
import { callerByKey } from '../../harness/known-callers.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';

const ARCHIVED = { code: 'AGENT_ARCHIVED' };
const UNKNOWN = { code: 'NOT_FOUND' };
const GHOST = 'agt_000000000000';

export const agentStoreContract: DecisionContract = {
  name: 'agents that are archived and removed',
  promises(bench) {
    const ownerOf = ({ owner_id }: AgentCaller) => anOwner({ owner_id });
    const keysOf = async ({ owner_id }: AgentCaller) =>
      (await bench.storage().apiKeys.list(owner_id)).map(({ key_prefix }) => key_prefix);
    const listed = async ({ owner_id }: AgentCaller, archived: boolean) => {
      const page = { archived, after: null, limit: 100 };
      const agents = await bench.storage().ownerOverview.agents(owner_id, 5 * MINUTE, page);
      return agents.map(({ agent_id }) => agent_id);
    };

    test('archiving revokes the keys of that agent, and keeps its records; it is done once', async () => {
      const agent = await bench.agent();
      const mate = await bench.agent(agent);
      const { agents, apiKeys, owners, admission, intake } = bench.storage();
      const spare = aKeyOf(ownerOf(agent), { agent_id: agent.agent_id });
      await apiKeys.add(spare, 10);
      const { record_id } = await bench.accepted(agent);
      const late = await bench.draft(agent, { symbol: 'ETH' });
      const archived = await agents.archive(agent.owner_id, agent.agent_id);
      expect([...archived.keys]).toEqual([agent.key_prefix, spare.key_prefix].toSorted());
      expect(archived.agent).toMatchObject({ agent_id: agent.agent_id, archived_at: await bench.now() });
      expect(await owners.findAgent(agent.owner_id, agent.agent_id)).toEqual(archived.agent);
      expect(await callerByKey(admission, spare)).toBeNull();
      expect(await intake.submit(late)).toEqual({ verdict: 'key_revoked' });
      expect(await keysOf(agent)).toEqual([mate.key_prefix]);
      expect(await bench.storage().ownerData.recordIds(agent.owner_id, null, 10)).toEqual([record_id]);
      await expect(agents.archive(agent.owner_id, agent.agent_id)).rejects.toMatchObject(ARCHIVED);
    });

    test('another owner can do nothing with it, and nobody with an agent that never was', async () => {
      const [agent, stranger] = [await bench.agent(), await bench.agent()];
      const { agents, owners } = bench.storage();
      for (const [owner_id, agent_id] of [
        [stranger.owner_id, agent.agent_id],
        [agent.owner_id, GHOST],
      ] as const) {
        await expect(agents.archive(owner_id, agent_id)).rejects.toMatchObject(UNKNOWN);
        expect(await agents.restore(owner_id, agent_id, 10)).toBeNull();
        expect(await agents.remove(owner_id, agent_id)).toBeNull();
      }
      expect(await owners.findAgent(agent.owner_id, agent.agent_id)).toMatchObject({ archived_at: null });
      await expect(agents.archive(anOwner().owner_id, agent.agent_id)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    });

    test('an archived agent gets no key, makes room for another, and comes back if there is room', async () => {
      const agent = await bench.agent();
      const { agents, owners, apiKeys, ownerOverview } = bench.storage();
      const owner = ownerOf(agent);
      await agents.archive(agent.owner_id, agent.agent_id);
      const add = () => apiKeys.add(aKeyOf(owner, { agent_id: agent.agent_id }), 10);
      await expect(add()).rejects.toMatchObject(ARCHIVED);
      const next = anAgentOf(owner);
      expect(await owners.addAgent(next, 1)).toBe(true);
      expect(await listed(agent, false)).toEqual([next.agent_id]);
      expect((await listed(agent, true)).toSorted()).toEqual([agent.agent_id, next.agent_id].toSorted());
      expect((await ownerOverview.counts(agent.owner_id)).agents).toBe(1);
      expect(await agents.restore(agent.owner_id, agent.agent_id, 1)).toBe('full');
      expect(await agents.restore(agent.owner_id, agent.agent_id, 2)).toMatchObject({ archived_at: null });
      expect(await agents.restore(agent.owner_id, agent.agent_id, 2)).toMatchObject({ agent_id: agent.agent_id });
      expect(await keysOf(agent)).toEqual([]);
      expect(await add()).toBe(true);
    });

    test('an agent without records goes with its keys, archived or not', async () => {
      for (const archive of [false, true]) {
        const agent = await bench.agent();
        const { agents, owners, apiKeys } = bench.storage();
        if (archive) await agents.archive(agent.owner_id, agent.agent_id);
        expect(await listed(agent, true)).toEqual([agent.agent_id]);
        const removed = await agents.remove(agent.owner_id, agent.agent_id);
        expect(removed).toMatchObject({ agent: { agent_id: agent.agent_id }, keys: archive ? [] : [agent.key_prefix] });
        expect(await owners.findAgent(agent.owner_id, agent.agent_id)).toBeNull();
        expect(await listed(agent, true)).toEqual([]);
        expect(await keysOf(agent)).toEqual([]);
        const add = apiKeys.add(aKeyOf(ownerOf(agent), { agent_id: agent.agent_id }), 10);
        await expect(add).rejects.toMatchObject(UNKNOWN);
        expect(await bench.submit(agent)).toEqual({ verdict: 'key_revoked' });
      }
    });

    test('an agent with a record stays with its keys, whatever became of the record', async () => {
      const agent = await bench.agent();
      const { agents, owners } = bench.storage();
      const { record_id } = await bench.accepted(agent);
      await bench.arrange().mark(record_id, { quarantine_reason: 'bad data' });
      expect(await agents.remove(agent.owner_id, agent.agent_id)).toBe('has_records');
      expect(await owners.findAgent(agent.owner_id, agent.agent_id)).not.toBeNull();
      expect(await keysOf(agent)).toEqual([agent.key_prefix]);
      await agents.archive(agent.owner_id, agent.agent_id);
      expect(await agents.remove(agent.owner_id, agent.agent_id)).toBe('has_records');
    });

    test('agents are listed page by page in one order, none twice', async () => {
      const first = await bench.agent();
      const others = [await bench.agent(first), await bench.agent(first), await bench.agent(first)];
      const all = await listed(first, true);
      expect(all.toSorted()).toEqual([first, ...others].map(({ agent_id }) => agent_id).toSorted());
      const seen: string[] = [];
      for (let after = null, page = 0; page < 4; page += 1) {
        const wanted = { archived: false, after, limit: 1 };
        const [agent] = await bench.storage().ownerOverview.agents(first.owner_id, 5 * MINUTE, wanted);
        if (!agent) throw new Error('There are four pages.');
        seen.push(agent.agent_id);
        after = agent;
      }
      expect(seen).toEqual(all);
    });

    test('of 20 who archive one agent at once, one does', async () => {
      const agent = await bench.agent();
      const { agents } = bench.storage();
      expect(await archivedBy20(agents, agent)).toBe(1);
    });

    test('agents added and brought back at once stay within the limit', async () => {
      const agent = await bench.agent();
      const { agents, owners, ownerOverview } = bench.storage();
      const owner = ownerOf(agent);
      const archived = [agent, await bench.agent(agent), await bench.agent(agent)];
      for (const { agent_id } of archived) await agents.archive(agent.owner_id, agent_id);
      await race<unknown>(20, (worker) =>
        worker % 2
          ? owners.addAgent(anAgentOf(owner), 4)
          : agents.restore(agent.owner_id, archived[worker % 3]?.agent_id ?? '', 4),
      );
      expect((await ownerOverview.counts(agent.owner_id)).agents).toBe(4);
    });

    test('after an archiving in a race with submissions and new keys, the agent has no key and every record', async () => {
      for (let round = 0; round < bench.runs(5); round += 1) {
        const agent = await bench.agent();
        const { agents, apiKeys, intake, ownerData } = bench.storage();
        const drafts = await Promise.all(
          Array.from({ length: 9 }, () => bench.draft(agent, {}, { limits: NO_LIMITS })),
        );
        const verdicts = await race(9, async (worker) => {
          const draft = drafts[worker];
          if (worker === 4) await agents.archive(agent.owner_id, agent.agent_id);
          else if (worker % 4 === 1) {
            const key = aKeyOf(ownerOf(agent), { agent_id: agent.agent_id });
            await apiKeys.add(key, 10).catch((fault) => expect(fault).toMatchObject(ARCHIVED));
          } else if (draft) return (await intake.submit(draft)).verdict;
          return null;
        });
        expect(await keysOf(agent)).toEqual([]);
        const accepted = verdicts.filter((verdict) => verdict === 'accepted');
        expect(await ownerData.recordIds(agent.owner_id, null, 100)).toHaveLength(accepted.length);
      }
    });

    test('no record loses its agent: a removal in a race with the first submissions, or neither', async () => {
      for (let round = 0; round < bench.runs(8); round += 1) {
        const { agent, isThere, records } = await removedWhileUsed(bench, bench.storage().agents.remove, round % 5);
        expect([isThere, await keysOf(agent)]).toEqual(records > 0 ? [true, [agent.key_prefix]] : [false, []]);
      }
    });
  },
};

/** How many of 20 concurrent calls archived the agent. */
export async function archivedBy20(
  agents: AgentStore,
  { owner_id, agent_id }: Pick<AgentCaller, 'owner_id' | 'agent_id'>,
): Promise<number> {
  const done = await race(20, () =>
    agents.archive(owner_id, agent_id).then(
      () => true,
      (fault: { code?: string }) => {
        if (fault.code !== ARCHIVED.code) throw fault;
        return false;
      },
    ),
  );
  return done.filter(Boolean).length;
}

/** What is left when an agent is removed while it submits for the first time, as the `turn`th of 5 at once. */
export async function removedWhileUsed(bench: Bench, remove: AgentStore['remove'], turn: number) {
  const agent = await bench.agent();
  const { owners, intake, ownerData } = bench.storage();
  const drafts = await Promise.all(Array.from({ length: 5 }, () => bench.draft(agent, {}, { limits: NO_LIMITS })));
  await race(5, async (worker) => {
    const draft = drafts[worker];
    if (worker === turn) await remove(agent.owner_id, agent.agent_id);
    else if (draft) await intake.submit(draft);
  });
  const { length: records } = await ownerData.recordIds(agent.owner_id, null, 100);
  return { agent, records, isThere: (await owners.findAgent(agent.owner_id, agent.agent_id)) !== null };
}
