import { sha256Hex } from '../../../application/sha256.ts';
import {
  FAMILIAR_KINDS,
  type SecurityEventKind,
  type SecurityEventStore,
  type StoredSecurityEvent,
} from '../../../domain/accounts/security-event.ts';
import {
  type AuditFilter,
  type AuditLog,
  BEFORE_THE_FIRST,
  type ChainedEntry,
  type LoggedEntry,
  type PlacedEntry,
  sealOf,
} from '../../../domain/audit-log.ts';
import { LOGIN, SECURITY_EVENTS } from '../../../domain/limits.ts';
import { DAY, later, MINUTE, windowStart } from '../../../domain/time.ts';
import type { Table } from '../kit/table.ts';

export interface SecurityEventTables {
  /** By what equal events have in common, in the order in which they were added. */
  readonly securityEvents: Table<string, StoredSecurityEvent>;
}

export function memorySecurityEvents({ securityEvents }: SecurityEventTables, now: () => Date): SecurityEventStore {
  let added = 0;
  return {
    async append(event) {
      const at = now();
      const { owner_id, kind, result } = event;
      const day = windowStart(at, DAY);
      const rows = securityEvents.where(
        (row) => row.owner_id === owner_id && row.result === result && row.at >= day,
      ).length;
      const isFull = rows >= (owner_id === null ? SECURITY_EVENTS.ofUnknown : SECURITY_EVENTS.ofOwner);
      const counted = isFull ? { kind, result, owner_id, ...WITHOUT_SOURCE } : event;
      const { request_id, ...equal } = counted;
      const key = JSON.stringify([isFull ? day : windowStart(at, MINUTE), Object.entries(equal).toSorted()]);
      const before = securityEvents.get(key);
      if (!before) added += 1;
      securityEvents.set(
        key,
        before
          ? { ...before, count: before.count + 1, last_at: later(before.last_at, at) }
          : { ...counted, seq: String(added), at, last_at: at, count: 1 },
      );
    },

    async list({ owner_id, kind, result, since }, after, limit) {
      return securityEvents
        .where(
          (row) =>
            (owner_id === undefined || row.owner_id === owner_id) &&
            (kind === undefined || row.kind === kind) &&
            (result === undefined || row.result === result) &&
            (since === undefined || row.at >= since) &&
            (after === null || order(row, after) > 0),
        )
        .toSorted(order)
        .slice(0, limit);
    },

    async hasLoggedIn(owner_id, network) {
      const since = now().getTime() - LOGIN.known;
      const proofs = securityEvents.where(
        (row) =>
          row.owner_id === owner_id &&
          row.at.getTime() >= since &&
          row.result === 'success' &&
          PROOFS.includes(row.kind),
      );
      const changes = proofs.filter(({ kind }) => kind !== 'login').map(({ at }) => at.getTime());
      const changed = Math.max(Number.NEGATIVE_INFINITY, ...changes);
      return proofs.some(
        (row) => row.network === network && row.kind !== 'password_reset' && row.last_at.getTime() >= changed,
      );
    },

    async isFamiliar(owner_id, network) {
      const since = now().getTime() - LOGIN.known;
      return (
        network !== null &&
        securityEvents.where(
          (row) =>
            row.owner_id === owner_id &&
            row.network === network &&
            row.at.getTime() >= since &&
            row.result === 'success' &&
            FAMILIAR_KINDS.includes(row.kind),
        ).length > 0
      );
    },

    async prune(keep) {
      const before = new Date(now().getTime() - keep);
      return securityEvents.deleteWhere(({ last_at }) => last_at <= before);
    },
  };
}

const PROOFS: readonly SecurityEventKind[] = ['login', 'password_changed', 'password_reset'];

const WITHOUT_SOURCE = { actor: null, subject: null, request_id: null, network: null, client: 'other' } as const;

type Placed = Pick<StoredSecurityEvent, 'at' | 'seq'>;

/** The newest first. */
function order(a: Placed, b: Placed): number {
  return b.at.getTime() - a.at.getTime() || Number(b.seq) - Number(a.seq);
}

export interface AuditTables {
  /** In the order of the log. */
  readonly audit: Table<string, SealedEntry>;
}

type SealedEntry = LoggedEntry & Pick<ChainedEntry, 'seq' | 'previous' | 'seal'>;

export function memoryAudit({ audit }: AuditTables, now: () => Date): AuditLog {
  return {
    async append(entry) {
      const last = audit.where(() => true).at(-1);
      const seq = String(Number(last?.seq ?? 0) + 1);
      const placed = { ...entry, seq, at: now(), previous: last?.seal ?? BEFORE_THE_FIRST };
      audit.set(seq, { ...placed, seal: sealOf({ ...placed, detail: JSON.stringify(entry.detail) }, sha256Hex) });
    },
    about: async (subject, limit) => newest(audit, { subject }, null, limit).map(withoutPlace),
    list: async (filter, limit) => newest(audit, filter, null, limit).map(withoutPlace),
    page: async (filter, before, limit) => newest(audit, filter, before, limit),
    async head() {
      const last = audit.where(() => true).at(-1);
      return last ? { seq: last.seq, seal: last.seal } : null;
    },
  };
}

function newest(
  log: AuditTables['audit'],
  { since, until, subject, actor, action }: AuditFilter,
  before: string | null,
  limit: number,
): PlacedEntry[] {
  const fitting = log.where(
    (entry) =>
      (since === undefined || entry.at >= since) &&
      (until === undefined || entry.at < until) &&
      (subject === undefined || entry.subject === subject) &&
      (actor === undefined || entry.actor === actor) &&
      (action === undefined || entry.action === action) &&
      (before === null || Number(entry.seq) < Number(before)),
  );
  return fitting
    .toReversed()
    .slice(0, limit)
    .map(({ previous, seal, ...entry }) => entry);
}

function withoutPlace({ seq: _, ...entry }: PlacedEntry): LoggedEntry {
  return entry;
}
