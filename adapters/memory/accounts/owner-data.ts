import type { AccountData, OwnerDataStore, StoredRows } from '../../../domain/accounts/owner-data.ts';
import type { DecisionRow } from '../decisions/decision-tables.ts';
import type { MailTables } from '../mail/mail-store.ts';
import type { PlanTables } from '../plans/plan-tables.ts';
import { type WebhookTables, webhookOf } from '../webhooks/webhook-store.ts';
import type { SnapshotTables } from '../workflows/snapshot-store.ts';
import type { AuditTables } from './audit-log.ts';
import type { DeviceSignInTables } from './device-sign-in-store.ts';
import type { FactorTables } from './factor-store.ts';
import type { IdentityTables } from './identity-store.ts';
import type { LinkTables } from './link-store.ts';
import type { OverviewTables } from './owner-overview.ts';
import type { ProfileTables } from './profile-store.ts';
import type { SecurityEventTables } from './security-event-store.ts';
import type { SessionTables } from './session-store.ts';

export type OwnerDataTables = OverviewTables &
  SessionTables &
  FactorTables &
  IdentityTables &
  DeviceSignInTables &
  ProfileTables &
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
    owner: [{ ...owner, preferences: preferences.get(owner_id) ?? {} }],
    identities: identities.where(isOwn),
    agents: agents.where(isOwn),
    api_keys: keys.where(isOwn),
    sessions: sessions.where(isOwn),
    totp_secrets: tables.totpSecrets.where(isOwn),
    recovery_codes: tables.recoveryCodes.where(isOwn),
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
