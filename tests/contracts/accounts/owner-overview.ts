import { expect, test } from '@jest/globals';
import type { OwnerCounts } from '../../../domain/accounts/owner.ts';
import { LIFECYCLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aKeyOf, anOwner } from '../../builders/accounts.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { anOutcome } from '../../builders/outcomes.ts';
import { race } from '../adapters.ts';
import type { DecisionContract } from '../decisions/bench.ts';
import { evaluateAll } from '../decisions/evaluated.ts';

const NONE = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };
const HAD_SAID_NONE = { bullish: NONE, bearish: NONE, neutral: NONE };
const NONE_UNGRADED = { rejected: 0, data_unavailable: [], suspected: 0 };
const NO_STATES = Object.fromEntries(LIFECYCLE_STATES.map((state) => [state, 0])) as OwnerCounts['by_state'];
const AGE = 5 * MINUTE;
const ALL = { archived: false, after: null, limit: 100 };

export const ownerOverviewContract: DecisionContract = {
  name: 'an owner at a glance',
  promises(bench) {
    const agentsOf = ({ owner_id }: AgentCaller, maxAge = AGE) =>
      bench.storage().ownerOverview.agents(owner_id, maxAge, ALL);
    const submissionsOf = async (owner: AgentCaller, maxAge?: number) =>
      (await agentsOf(owner, maxAge)).map(({ counts }) => counts.submission_count);

    test('all agents of the owner, with their unrevoked keys and what became of their records', async () => {
      const first = await bench.agent();
      const second = await bench.agent(first);
      await bench.agent();
      const { apiKeys, intake } = bench.storage();
      const owner = anOwner({ owner_id: first.owner_id });
      const spare = aKeyOf(owner, { agent_id: first.agent_id, permission_mode: 'read_only' });
      const revoked = aKeyOf(owner, { agent_id: first.agent_id });
      for (const key of [spare, revoked, aKeyOf(owner)]) await apiKeys.add(key, 100);
      await apiKeys.revoke(first.owner_id, revoked.key_prefix);
      await bench.accepted(first);
      await evaluateAll(bench, anOutcome({ result_bucket: 'weak_correct' }));
      await bench.accepted(first, { symbol: 'ETH' });
      await intake.submit(await bench.hindsight(first, { symbol: 'SOL' }));
      const listed = await agentsOf(first);
      expect(listed.map(({ agent_id }) => agent_id).toSorted()).toEqual([first.agent_id, second.agent_id].toSorted());
      const mine = listed.find(({ agent_id }) => agent_id === first.agent_id);
      expect(
        mine?.keys.map(({ key_prefix, permission_mode }) => `${key_prefix} ${permission_mode}`).toSorted(),
      ).toEqual([`${first.key_prefix} read_write`, `${spare.key_prefix} read_only`].toSorted());
      const counted = {
        submission_count: 2,
        evaluated_count: 1,
        pending_count: 1,
        unavailable_count: 0,
        ungraded: NONE_UNGRADED,
        result_distribution: { ...NONE, weak_correct: 1 },
        // A bullish decision with z = 0.995.
        had_said: {
          bullish: { ...NONE, strong_correct: 1 },
          bearish: { ...NONE, strong_incorrect: 1 },
          neutral: { ...NONE, weak_incorrect: 1 },
        },
      };
      const retroactive = { submission_count: 1, evaluated_count: 0, pending_count: 1, unavailable_count: 0 };
      const apart = { ...retroactive, ungraded: NONE_UNGRADED, result_distribution: NONE, had_said: HAD_SAID_NONE };
      expect(mine?.counts).toEqual({ ...counted, retroactive: apart });
      expect(mine?.cached_at).toEqual(await bench.now());
    });

    test('counts are kept until they are too old, and say when they were counted', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      expect(await submissionsOf(agent)).toEqual([1]);
      const counted_at = await bench.now();
      await bench.accepted(agent, { symbol: 'ETH' });
      await bench.arrange().advance(AGE - 1);
      expect(await submissionsOf(agent)).toEqual([1]);
      expect((await agentsOf(agent))[0]?.cached_at).toEqual(counted_at);
      await bench.arrange().advance(1);
      expect(await submissionsOf(agent)).toEqual([2]);
      expect((await agentsOf(agent))[0]?.cached_at).toEqual(await bench.now());
    });

    test('a clock that was set back makes no count last longer', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      expect(await submissionsOf(agent)).toEqual([1]);
      await bench.accepted(agent, { symbol: 'ETH' });
      await bench.arrange().advance(-1);
      expect(await submissionsOf(agent)).toEqual([2]);
    });

    test('20 who look at once at agents that nobody has counted all see the same', async () => {
      const agent = await bench.agent();
      for (let i = 0; i < 5; i++) await bench.accepted(await bench.agent(agent));
      const seen = await race(20, (worker) => submissionsOf(agent, worker % 2 ? AGE : 0));
      for (const counts of seen) expect(counts.toSorted()).toEqual([0, 1, 1, 1, 1, 1]);
    });

    test('an owner without agents has none', async () => {
      const owner = anOwner();
      await bench.storage().owners.add(owner);
      expect(await bench.storage().ownerOverview.agents(owner.owner_id, AGE, ALL)).toEqual([]);
    });

    test('everything that an owner has is counted, archived records too, and nothing of anybody else', async () => {
      await evaluateAll(bench);
      const agent = await bench.agent();
      const other = await bench.agent(agent);
      const { record_id } = await bench.accepted(agent);
      await bench.accepted(other);
      await bench.accepted(await bench.agent());
      await evaluateAll(bench, anOutcome({ result_bucket: 'strong_incorrect' }));
      const hidden = await bench.accepted(agent, { symbol: 'ETH' });
      await evaluateAll(bench, anOutcome({ result_bucket: 'weak_incorrect' }));
      await bench.arrange().mark(hidden.record_id, { quarantine_reason: 'made up' });
      await bench.accepted(other, { symbol: 'SOL' });
      await bench.arrange().mark(record_id, { archived_at: await bench.now() });
      await bench.storage().apiKeys.revoke(other.owner_id, other.key_prefix);
      expect(await bench.storage().ownerOverview.counts(agent.owner_id)).toEqual({
        agents: 2,
        keys: 1,
        workflows: 0,
        by_state: { ...NO_STATES, pending_verify: 1, evaluated: 2, quarantined: 1 },
        by_bucket: { ...NONE, strong_incorrect: 2 },
        archived: 1,
        at: await bench.now(),
      });
    });

    test('an owner who has nothing gets zeros', async () => {
      const nothing = { agents: 0, keys: 0, workflows: 0, by_state: NO_STATES, by_bucket: NONE, archived: 0 };
      const counts = await bench.storage().ownerOverview.counts(anOwner().owner_id);
      expect(counts).toEqual({ ...nothing, at: await bench.now() });
    });
  },
};
