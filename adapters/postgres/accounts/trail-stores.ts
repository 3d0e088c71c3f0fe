import { And, LessThan, MoreThanOrEqual, type QueryDeepPartialEntity } from 'typeorm';
import {
  FAMILIAR_KINDS,
  type SecurityEventStore,
  type StoredSecurityEvent,
} from '../../../domain/accounts/security-event.ts';
import type { AuditFilter, AuditLog, LoggedEntry } from '../../../domain/audit-log.ts';
import { LOGIN, SECURITY_EVENTS } from '../../../domain/limits.ts';
import { AUDIT_LOG, type AuditRow } from '../entities/audit-log.ts';
import { deleteExpired, interval, olderThan } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: one statement counts the rows of the day, and adds or counts up one; pages are found by their keys. */
export function postgresSecurityEvents(sql: Sql): SecurityEventStore {
  return {
    async append({ kind, result, owner_id, actor, subject, request_id, network, client }) {
      const most = owner_id === null ? SECURITY_EVENTS.ofUnknown : SECURITY_EVENTS.ofOwner;
      await sql.rows(appendOf(owner_id === null ? 'owner_id is null' : 'owner_id = $3'), [
        ...[kind, result, owner_id, actor, subject, request_id, network, client, most],
      ]);
    },

    list({ owner_id = null, kind = null, result = null, since = null }, after, limit) {
      const place = [after?.at ?? null, after?.seq ?? null];
      return sql.rows<StoredSecurityEvent>(LIST, [owner_id, kind, result, since, ...place, limit]);
    },

    async hasLoggedIn(owner_id, network) {
      return (await sql.rows(HAS_LOGGED_IN, [owner_id, network, interval(LOGIN.known)])).length > 0;
    },

    async isFamiliar(owner_id, network) {
      return (await sql.rows(IS_FAMILIAR, [owner_id, network, interval(LOGIN.known), FAMILIAR_KINDS])).length > 0;
    },

    prune: (keep) => deleteExpired(sql, olderThan('security_events', 'last_at', keep)),
  };
}

/** @param ofOwner the condition that an index serves: with `is not distinct from` none does */
function appendOf(ofOwner: string): string {
  return `
  with clock as materialized (
    select now, date_trunc('day', now, 'UTC') as day from (select app.now() as now) c
  ),
  today as (
    select count(*) >= $9 as is_full from (
      select from app.security_events
      where ${ofOwner} and result = $2 and at >= (select day from clock) limit $9
    ) rows
  )
  insert into app.security_events as e
    (counted_from, at, last_at, count, kind, result, owner_id, actor, subject, request_id, network, client)
  select counted.from_then, now, now, 1, $1, $2, $3, counted.actor, counted.subject, counted.request_id, counted.network,
    counted.client
  from clock, today, lateral (
    select date_trunc('minute', now) as from_then, $4::text as actor, $5::text as subject, $6::text as request_id,
      $7::text as network, $8::text as client where not is_full
    union all
    select day, null, null, null, null, 'other' where is_full
  ) counted
  on conflict on constraint security_events_once do update
    set count = e.count + 1, last_at = greatest(e.last_at, excluded.last_at)`;
}

const LIST = `
  select seq, at, last_at, count, kind, result, owner_id, actor, subject, request_id, network, client
  from app.security_events
  where ($1::uuid is null or owner_id = $1) and ($2::text is null or kind = $2) and ($3::text is null or result = $3)
    and ($4::timestamptz is null or at >= $4)
    and ($5::timestamptz is null or (at, seq) < ($5, $6::bigint))
  order by at desc, seq desc limit $7`;

const IS_FAMILIAR = `
  select from app.security_events
  where owner_id = $1 and network = $2 and at >= app.now() - $3::interval and result = 'success' and kind = any($4::text[])
  limit 1`;

const HAS_LOGGED_IN = `
  with proofs as (
    select at, last_at, kind, network from app.security_events
    where owner_id = $1 and at >= app.now() - $3::interval and result = 'success'
      and kind in ('login', 'password_changed', 'password_reset')
  )
  select from proofs
  where network = $2 and kind <> 'password_reset'
    and last_at >= (select coalesce(max(at), '-infinity') from proofs where kind <> 'login')
  limit 1`;

export function postgresAudit(sql: Sql): AuditLog {
  const newest = async (where: object, limit: number): Promise<readonly LoggedEntry[]> =>
    (await sql.tables.find(AUDIT_LOG, { where, order: { seq: 'desc' }, take: limit })).map(entryOf);
  return {
    async append(entry) {
      await sql.tables.insert(AUDIT_LOG, entry as QueryDeepPartialEntity<AuditRow>);
    },
    about: (subject, limit) => newest({ subject }, limit),
    list: (filter, limit) => newest(conditionsOf(filter), limit),
    async page(filter, before, limit) {
      const where = { ...conditionsOf(filter), ...(before !== null && { seq: LessThan(before) }) };
      const rows = await sql.tables.find(AUDIT_LOG, { where, order: { seq: 'desc' }, take: limit });
      return rows.map((row) => ({ ...entryOf(row), seq: row.seq }));
    },
    async head() {
      const [last] = await sql.tables.find(AUDIT_LOG, { order: { seq: 'desc' }, take: 1 });
      return last ? { seq: last.seq, seal: last.seal } : null;
    },
  };
}

function conditionsOf({ since, until, subject, actor, action }: AuditFilter) {
  const times = [
    ...(since === undefined ? [] : [MoreThanOrEqual(since)]),
    ...(until === undefined ? [] : [LessThan(until)]),
  ];
  return {
    ...(times.length > 0 && { at: And(...times) }),
    ...(subject !== undefined && { subject }),
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
  };
}

function entryOf({ seq, previous, seal, ...entry }: AuditRow): LoggedEntry {
  return entry;
}
