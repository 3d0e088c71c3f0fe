import { type AgentStore, usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import { type AgentPlace, activeOwner, type OwnerCounts, type OwnerOverview } from '../../../domain/accounts/owner.ts';
import type { AccountData, OwnerDataStore, StoredRows } from '../../../domain/accounts/owner-data.ts';
import type { LegalAcceptance, Preferences, ProfileStore } from '../../../domain/accounts/profile.ts';
import type { LinkPurpose, LinkStore, StoredLink } from '../../../domain/accounts/sign-in/one-time-link.ts';
import { LIFECYCLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import { distributionOf, moveRangeOf, recordGroupOf } from '../../../domain/decisions/own/record-counts.ts';
import { type AgentCounts, agentCounts } from '../../../domain/decisions/own/track-record.ts';
import { uncountedReason } from '../../../domain/decisions/ungraded.ts';
import type { Millis } from '../../../domain/time.ts';
import type { BacktestTables } from '../backtests/backtest-store.ts';
import type { DecisionRow } from '../decisions/decision-tables.ts';
import type { FeedTables } from '../events/event-store.ts';
import { hex, type Table } from '../kit/table.ts';
import type { MailTables } from '../mail/mail-store.ts';
import type { PlanTables } from '../plans/plan-tables.ts';
import { type WebhookTables, webhookOf } from '../webhooks/webhook-store.ts';
import type { SnapshotTables, WorkflowTables } from '../workflows/workflow-store.ts';
import type { FactorTables } from './factor-stores.ts';
import { prefixesOf } from './key-stores.ts';
import type { DeviceSignInTables, IdentityTables, OwnerTables } from './provider-stores.ts';
import type { SessionTables } from './sign-in-stores.ts';
import type { AuditTables, SecurityEventTables } from './trail-stores.ts';

export interface CachedCountsRow {
  readonly counts: AgentCounts;
  readonly cached_at: Date;
}

export interface OverviewTables extends WorkflowTables, BacktestTables {
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
      ungraded: uncountedReason(row),
      move: moveRangeOf(row),
      records: 1,
    };
  });
  const counts = agentCounts(tallies);
  const fresh = { counts, cached_at: at };
  cache.set(agent, fresh);
  return fresh;
}

export type OwnerDataTables = OverviewTables &
  SessionTables &
  FactorTables &
  IdentityTables &
  DeviceSignInTables &
  ProfileTables &
  Pick<FeedTables, 'readMarks'> &
  SnapshotTables &
  AuditTables &
  SecurityEventTables &
  LinkTables &
  MailTables &
  WebhookTables &
  PlanTables;

export function memoryOwnerData(tables: OwnerDataTables): OwnerDataStore {
  return {
    account: async (owner_id) => accountOf(tables, owner_id),

    async rows(owner_id, table, after, limit) {
      const rows = accountOf(tables, owner_id)?.rows[table] ?? [];
      const from = Number(after ?? 0);
      const to = from + limit;
      return { rows: rows.slice(from, to), next: to < rows.length ? String(to) : null };
    },

    async recordIds(owner_id, after, limit) {
      const ids = recordsOf(tables, owner_id)
        .toSorted(bySubmission)
        .map(({ record_id }) => record_id);
      const from = after === null ? 0 : ids.indexOf(after) + 1;
      return ids.slice(from, from + limit);
    },
  };
}

/** Null when there is no such owner. */
export function accountOf(tables: OwnerDataTables, owner_id: string): AccountData | null {
  const { owners, agents, keys, sessions, identities, deviceSignIns, acceptances, preferences } = tables;
  const { workflows, publications, snapshots } = tables;
  const owner = owners.get(owner_id);
  if (!owner) return null;
  const isOwn = (row: { readonly owner_id: string | null }) => row.owner_id === owner_id;
  const subjects = [owner_id, ...keys.where(isOwn).map(({ key_prefix }) => key_prefix)];
  const rows: Readonly<Record<string, readonly object[]>> = {
    owner: [
      { ...owner, preferences: preferences.get(owner_id) ?? {}, events_read: tables.readMarks.get(owner_id) ?? null },
    ],
    identities: identities.where(isOwn),
    agents: agents.where(isOwn),
    api_keys: keys.where(isOwn),
    sessions: sessions.where(isOwn),
    totp_secrets: tables.totpSecrets.where(isOwn),
    recovery_codes: tables.recoveryCodes.where(isOwn),
    factor_resets: tables.factorResets.where(isOwn),
    passkeys: tables.passkeys.where(isOwn),
    device_sign_ins: deviceSignIns.where(isOwn),
    legal_acceptances: (acceptances.get(owner_id) ?? []).map((acceptance) => ({ owner_id, ...acceptance })),
    webhooks: tables.webhooks.where(isOwn).map(webhookOf),
    one_time_links: tables.links.where(isOwn),
    mails: tables.mails.where(isOwn),
    workflows: workflows.where(isOwn),
    workflow_publications: publications.where(isOwn).map((row) => ({ ...row, ...snapshots.get(row.hash) })),
    plans: tables.plans.where(isOwn).map(({ opened, ...plan }) => ({
      ...{ ...plan, salt: opened?.salt ?? null, statement: opened?.statement ?? null },
    })),
    backtest_sets: tables.backtestSets.where((set) => isOwn(set) && !set.removed),
    backtest_rows: tables.backtestRows.where(({ set_id }) =>
      tables.backtestSets.where((set) => isOwn(set) && !set.removed).some((set) => set.set_id === set_id),
    ),
    asked_questions: tables.askedQuestions.where(isOwn).map(({ first_asked_at }) => ({ first_asked_at })),
    security_events: tables.securityEvents.where(isOwn),
    audit_log: tables.audit.where(
      ({ subject, actor }) =>
        subjects.includes(subject) || actor === owner_id || tables.decisions.get(subject)?.owner_id === owner_id,
    ),
  };
  const shown = Object.fromEntries(Object.entries(rows).map(([name, kept]) => [name, kept.map(withoutSecrets)]));
  return { rows: shown, records: recordsOf(tables, owner_id).length };
}

function bySubmission(a: DecisionRow, b: DecisionRow): number {
  const millis = a.submission_time.getTime() - b.submission_time.getTime();
  return millis || (a.record_id < b.record_id ? -1 : 1);
}

function recordsOf(tables: OwnerDataTables, owner: string) {
  return tables.decisions.where(({ owner_id }) => owner_id === owner);
}

function withoutSecrets(row: object): StoredRows[number] {
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => name !== 'password_hash' && !(value instanceof Uint8Array)),
  );
}

export interface ProfileTables extends OwnerTables {
  /** By owner, the newest last. */
  readonly acceptances: Table<string, readonly LegalAcceptance[]>;
  /** By owner; nothing before the first change. */
  readonly preferences: Table<string, Preferences>;
}

export function memoryProfiles({ acceptances, preferences, owners }: ProfileTables): ProfileStore {
  return {
    async accept(owner_id, acceptance) {
      if (!owners.get(owner_id)) return false;
      acceptances.set(owner_id, [...(acceptances.get(owner_id) ?? []), acceptance]);
      return true;
    },

    lastAcceptance: async (owner_id) => acceptances.get(owner_id)?.at(-1) ?? null,

    preferences: async (owner_id) => (owners.get(owner_id) ? (preferences.get(owner_id) ?? {}) : null),

    lockPreferences: async (owner_id) => (owners.get(owner_id) ? (preferences.get(owner_id) ?? {}) : null),

    async setPreferences(owner_id, changed) {
      if (owners.get(owner_id)) preferences.set(owner_id, structuredClone(changed));
    },
  };
}

export function memoryAgents(tables: OverviewTables, now: () => Date): AgentStore {
  const { owners, agents, keys, decisions } = tables;
  const find = (owner_id: string, agent_id: string) => {
    activeOwner(owners.get(owner_id));
    const agent = agents.get(agent_id);
    return agent?.owner_id === owner_id ? agent : null;
  };
  const validKeys = (agent_id: string) => keys.where((key) => key.agent_id === agent_id && key.revoked_at === null);
  return {
    async archive(owner_id, agent_id) {
      const found = usableAgent(find(owner_id, agent_id), agent_id);
      const at = now();
      const agent = { ...found, archived_at: at };
      agents.set(agent_id, agent);
      const valid = validKeys(agent_id);
      for (const key of valid) keys.set(hex(key.key_hash), { ...key, revoked_at: at });
      return { agent, keys: prefixesOf(valid) };
    },

    async restore(owner_id, agent_id, atMost) {
      const found = find(owner_id, agent_id);
      if (found?.archived_at == null) return found;
      if (agents.where((agent) => agent.owner_id === owner_id && agent.archived_at === null).length >= atMost)
        return 'full';
      const agent = { ...found, archived_at: null };
      agents.set(agent_id, agent);
      return agent;
    },

    async remove(owner_id, agent_id) {
      const agent = find(owner_id, agent_id);
      if (!agent) return null;
      const isOwn = (row: { readonly agent_id: string }) => row.agent_id === agent_id;
      if (decisions.where(isOwn).length > 0 || tables.backtestSets.where(isOwn).some(({ removed }) => !removed))
        return 'has_records';
      const valid = validKeys(agent_id);
      keys.deleteWhere((key) => key.agent_id === agent_id);
      tables.agentCounts.delete(agent_id);
      agents.delete(agent_id);
      return { agent, keys: prefixesOf(valid) };
    },
  };
}

export interface LinkTables extends OwnerTables {
  /** By owner and purpose. */
  readonly links: Table<string, StoredLink>;
}

export function memoryLinks({ links, owners }: LinkTables, now: () => Date): LinkStore {
  const isOpen = (owner_id: string) => owners.get(owner_id)?.suspended_at === null;
  const valid = (token_hash: Uint8Array, purpose: LinkPurpose) =>
    links.where(
      (link) =>
        hex(link.token_hash) === hex(token_hash) &&
        link.purpose === purpose &&
        link.expires_at > now() &&
        isOpen(link.owner_id),
    )[0] ?? null;
  return {
    async put(link, life) {
      if (!isOpen(link.owner_id)) return null;
      const created_at = now();
      const expires_at = new Date(created_at.getTime() + life);
      links.set(keyOf(link), { ...link, created_at, expires_at });
      return expires_at;
    },

    find: async (token_hash, purpose) => valid(token_hash, purpose),

    async redeem(token_hash, purpose) {
      const link = valid(token_hash, purpose);
      if (link) links.delete(keyOf(link));
      return link;
    },

    async prune() {
      return links.deleteWhere(({ expires_at }) => expires_at <= now());
    },
  };
}

function keyOf({ owner_id, purpose }: Pick<StoredLink, 'owner_id' | 'purpose'>): string {
  return `${owner_id} ${purpose}`;
}
