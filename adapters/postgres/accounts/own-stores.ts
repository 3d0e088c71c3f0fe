import type { QueryDeepPartialEntity } from 'typeorm';
import { type AgentStore, usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import type { ApiKey, KeyInfo } from '../../../domain/accounts/keys/api-key.ts';
import type { Agent } from '../../../domain/accounts/owner.ts';
import type { LegalAcceptance, Preferences, ProfileStore } from '../../../domain/accounts/profile.ts';
import { AGENTS, LEGAL_ACCEPTANCES, type LegalAcceptanceRow, OWNERS, type OwnerRow } from '../entities/owners.ts';
import type { Sql } from '../kit/sql.ts';
import { lockOwner } from './provider-stores.ts';

export function postgresProfiles(sql: Sql): ProfileStore {
  return {
    async accept(owner_id, { terms_version, privacy_version, source, accepted_at }) {
      return (await sql.rows(ACCEPT, [owner_id, accepted_at, terms_version, privacy_version, source])).length > 0;
    },

    async lastAcceptance(owner_id) {
      const last = await sql.tables.findOne(LEGAL_ACCEPTANCES, { where: { owner_id }, order: { seq: 'desc' } });
      return last && acceptanceOf(last);
    },

    async preferences(owner_id) {
      const row = await sql.tables.findOne(OWNERS, { where: { owner_id }, select: { preferences: true } });
      return row?.preferences ?? null;
    },

    async lockPreferences(owner_id) {
      const [row] = await sql.rows<{ preferences: Preferences }>(LOCK_PREFERENCES, [owner_id]);
      return row?.preferences ?? null;
    },

    async setPreferences(owner_id, preferences) {
      await sql.tables.update(OWNERS, { owner_id }, { preferences } as QueryDeepPartialEntity<OwnerRow>);
    },
  };
}

function acceptanceOf({ seq, owner_id, ...acceptance }: LegalAcceptanceRow): LegalAcceptance {
  return acceptance;
}

/** SQL by hand: it locks the owner, so that an owner who is removed meanwhile breaks no foreign key. */
const ACCEPT = `
  insert into app.legal_acceptances (owner_id, accepted_at, terms_version, privacy_version, source)
  select owner_id, $2::timestamptz, $3, $4, $5 from app.owners where owner_id = $1 for key share
  returning seq`;

/** SQL by hand: a lock. */
const LOCK_PREFERENCES = 'select preferences from app.owners where owner_id = $1 for no key update';

export function postgresAgents(sql: Sql): AgentStore {
  return {
    archive: (owner_id, agent_id) =>
      sql.atomically(async (own) => {
        await lockOwner(own, owner_id);
        usableAgent(await own.tables.findOneBy(AGENTS, { owner_id, agent_id }), agent_id);
        const [agent] = await own.rows<Agent>(ARCHIVE, [agent_id]);
        if (!agent) throw new Error('An agent has changed while its owner was locked.');
        const keys = await own.rows<Pick<ApiKey, 'key_prefix'>>(REVOKE_KEYS, [agent_id]);
        return { agent, keys: keys.map(({ key_prefix }) => key_prefix).toSorted() };
      }),

    restore: (owner_id, agent_id, atMost) =>
      sql.atomically(async (own) => {
        await lockOwner(own, owner_id);
        const found: Agent | null = await own.tables.findOneBy(AGENTS, { owner_id, agent_id });
        if (found?.archived_at == null) return found;
        return (await own.rows<Agent>(RESTORE, [owner_id, agent_id, atMost]))[0] ?? 'full';
      }),

    remove: (owner_id, agent_id) =>
      sql.atomically(async (own) => {
        await lockOwner(own, owner_id);
        const agent: Agent | null = await own.tables.findOneBy(AGENTS, { owner_id, agent_id });
        if (!agent) return null;
        const keys = await own.rows<LockedKey>(LOCK_KEYS, [agent_id]);
        if ((await own.rows(HAS_RECORDS, [agent_id])).length > 0) return 'has_records';
        await own.tables.delete(AGENTS, { owner_id, agent_id });
        return { agent, keys: keys.flatMap(({ key_prefix, revoked_at }) => (revoked_at ? [] : key_prefix)) };
      }),
  };
}

type LockedKey = Pick<KeyInfo, 'key_prefix' | 'revoked_at'>;

const AGENT = 'agent_id, owner_id, name, created_at, archived_at';

/** SQL by hand: the clock, a count within an update, and updates that return rows. */
const ARCHIVE = `
  update app.agents set archived_at = app.now() where agent_id = $1 returning ${AGENT}`;

/** A submission holds its key until it commits. */
const REVOKE_KEYS = `
  update app.api_keys set revoked_at = app.now() where agent_id = $1 and revoked_at is null returning key_prefix`;

const RESTORE = `
  update app.agents set archived_at = null where owner_id = $1 and agent_id = $2
    and (select count(*) from app.agents where owner_id = $1 and archived_at is null) < $3
  returning ${AGENT}`;

/** SQL by hand: a lock, which waits for submissions by these keys; later ones wait for it. */
const LOCK_KEYS = `
  select key_prefix, revoked_at from app.api_keys where agent_id = $1 order by key_prefix for update`;

const HAS_RECORDS = `select from app.decisions where agent_id = $1
  union all select from app.backtest_sets where agent_id = $1 and removed_at is null limit 1`;
