import type { AgentPlace, OwnerCounts, OwnerOverview } from '../../../domain/accounts/owner-overview.ts';
import { LIFECYCLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import { distributionOf, moveRangeOf, recordGroupOf } from '../../../domain/decisions/own/record-counts.ts';
import { type AgentCounts, agentCounts } from '../../../domain/decisions/own/track-record.ts';
import { ungradedReason } from '../../../domain/decisions/ungraded.ts';
import type { Millis } from '../../../domain/time.ts';
import type { Table } from '../kit/table.ts';
import type { WorkflowTables } from '../workflows/workflow-store.ts';

export interface CachedCountsRow {
  readonly counts: AgentCounts;
  readonly cached_at: Date;
}

export interface OverviewTables extends WorkflowTables {
  /** By agent. */
  readonly agentCounts: Table<string, CachedCountsRow>;
}

export function memoryOwnerOverview(tables: OverviewTables, now: () => Date): OwnerOverview {
  const { agents, keys, decisions, workflows } = tables;
  const validKeys = (owner: string) =>
    keys.where(({ owner_id, revoked_at }) => owner_id === owner && revoked_at === null);
  return {
    async agents(owner, maxAge, { archived, after, limit }) {
      const valid = validKeys(owner).toSorted(
        (a, b) => Number(a.created_at) - Number(b.created_at) || (a.key_prefix < b.key_prefix ? -1 : 1),
      );
      return agents
        .where(({ owner_id, archived_at }) => owner_id === owner && (archived || archived_at === null))
        .filter((agent) => after === null || order(agent, after) > 0)
        .toSorted(order)
        .slice(0, limit)
        .map((agent) => ({
          ...agent,
          keys: valid
            .filter(({ agent_id }) => agent_id === agent.agent_id)
            .map(({ key_prefix, permission_mode }) => ({ key_prefix, permission_mode })),
          ...cachedCounts(tables, agent.agent_id, now(), maxAge),
        }));
    },

    async counts(owner): Promise<OwnerCounts> {
      const records = decisions.where(({ owner_id }) => owner_id === owner);
      const inState = LIFECYCLE_STATES.map((state) => [
        state,
        records.filter(({ lifecycle_state }) => lifecycle_state === state).length,
      ]);
      return {
        agents: agents.where(({ owner_id, archived_at }) => owner_id === owner && archived_at === null).length,
        keys: validKeys(owner).length,
        workflows: workflows.where(({ owner_id }) => owner_id === owner).length,
        by_state: Object.fromEntries(inState) as OwnerCounts['by_state'],
        by_bucket: distributionOf(records.map((row) => ({ record_group: recordGroupOf(row), records: 1 }))),
        archived: records.filter(({ archived_at }) => archived_at !== null).length,
        at: now(),
      };
    },
  };
}

function order(a: AgentPlace, b: AgentPlace): number {
  return (
    Number(a.created_at) - Number(b.created_at) || (a.agent_id < b.agent_id ? -1 : Number(a.agent_id > b.agent_id))
  );
}

function cachedCounts(
  { agentCounts: cache, decisions }: OverviewTables,
  agent: string,
  at: Date,
  maxAge: Millis,
): CachedCountsRow {
  const cached = cache.get(agent);
  if (cached && cached.cached_at <= at && cached.cached_at.getTime() > at.getTime() - maxAge) return cached;
  const rows = decisions.where(({ agent_id }) => agent_id === agent);
  const tallies = rows.map((row) => {
    return {
      ...row,
      record_group: recordGroupOf(row),
      ungraded: ungradedReason(row),
      move: moveRangeOf(row),
      records: 1,
    };
  });
  const counts = agentCounts(tallies);
  const fresh = { counts, cached_at: at };
  cache.set(agent, fresh);
  return fresh;
}
