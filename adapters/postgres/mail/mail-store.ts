import { MAIL } from '../../../domain/limits.ts';
import {
  type ClaimedMail,
  hourlyLimit,
  isOnRequest,
  type MailBacklog,
  type MailLimit,
  type MailStore,
  type NewMail,
  type QueuedMail,
} from '../../../domain/mail/mail.ts';
import { HOUR } from '../../../domain/time.ts';
import { deleteExpired, interval, olderThan } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: counts under a lock of the address, and claims one after the other. */
export function postgresMails(sql: Sql): MailStore {
  return {
    add: (mail, limits) => sql.atomically((own) => add(own, mail, limits)),
    claim: (limit, lease) => sql.atomically((own) => claim(own, limit, interval(lease))),

    async address(mail_id, token, owner_id, content) {
      return (await sql.rows(ADDRESS, [mail_id, token, owner_id, content])).length > 0;
    },

    settle: ({ mail_id, token }, rule) =>
      sql.atomically(async (own) => {
        const [row] = await own.rows<{ readonly now: Date }>(LOCK, [mail_id, token]);
        if (!row) return false;
        const { status, failure, due_at } = rule(row.now);
        await own.rows(SETTLE, [mail_id, status, failure, due_at, row.now]);
        return true;
      }),

    async nextDue() {
      const [row] = await sql.rows<{ due_at: Date | null }>(NEXT_DUE);
      return row?.due_at ?? null;
    },

    async backlog() {
      const [row] = await sql.rows<MailBacklog>(BACKLOG);
      if (!row) throw new Error('A count returned no row.');
      return row;
    },

    prune: () => deleteExpired(sql, olderThan('mails', 'created_at', MAIL.kept)),
  };
}

async function add(sql: Sql, mail: NewMail, limits: readonly MailLimit[]): Promise<QueuedMail> {
  const { mail_id, kind, owner_id, address_hash, content, life } = mail;
  const onRequest = isOnRequest(kind);
  await sql.rows(LOCK_ADDRESS, [Buffer.from(address_hash).toString('hex')]);
  const [counted] = await sql.rows<{ readonly at: Date; readonly free_at: Date | null }>(COUNT, [
    ...[address_hash, onRequest, limits.map(({ of }) => (of === 'kind' ? kind : null))],
    ...[limits.map(({ within }) => interval(within)), limits.map(({ most }) => most)],
  ]);
  if (!counted) throw new Error('app.mails: the count returned no row.');
  const { at, free_at } = counted;
  if (free_at !== null) return { admitted: false, at, free_at };
  await sql.rows(ADD, [mail_id, kind, onRequest, owner_id, address_hash, content, at, interval(life)]);
  return { admitted: true, at, free_at };
}

/** Until the transaction ends: the count of another one for the address sees this row. */
const LOCK_ADDRESS = `select pg_advisory_xact_lock(hashtextextended('mails to ' || $1, 0))`;

/** For each limit the row that has to age first: the oldest of the newest `most`. */
const COUNT = `
  with clock as materialized (select app.now() as at)
  select clock.at, (
    select max(full_at.created_at + l.within)
    from unnest($3::text[], $4::interval[], $5::integer[]) as l (kind, within, most)
      cross join lateral (
        select m.created_at from app.mails m
        where m.address_hash = $1 and m.on_request = $2 and (l.kind is null or m.kind = l.kind)
          and m.created_at > clock.at - l.within
        order by m.created_at desc offset l.most - 1 limit 1
      ) full_at
  ) as free_at
  from clock`;

const ADD = `
  insert into app.mails (mail_id, kind, on_request, owner_id, address_hash, content, created_at, due_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $7, $7::timestamptz + $8::interval)`;

async function claim(sql: Sql, limit: number, lease: string): Promise<readonly ClaimedMail[]> {
  await sql.rows(LOCK_CLAIMS);
  const mosts = (['password_reset', 'lockout'] as const).map((kind) => hourlyLimit(kind).most);
  return sql.rows<ClaimedMail>(CLAIM, [limit, lease, ...mosts, interval(MAIL.heldBack), interval(HOUR)]);
}

/** Claims come one after the other, also those of other processes, so that they count each other's mails. */
const LOCK_CLAIMS = `select pg_advisory_xact_lock(hashtextextended('claims of mails', 0))`;

/** Those over the limit of their address, on request ($3) or not ($4), are due again later. */
const CLAIM = `
  with clock as materialized (select app.now() as now), due as (
    select m.mail_id, m.due_at, m.created_at, m.on_request,
      row_number() over (partition by m.address_hash, m.on_request order by m.created_at, m.mail_id) + (
        select count(*) from app.mails s
        where s.address_hash = m.address_hash and s.on_request = m.on_request and s.mail_id <> m.mail_id
          and (s.status = 'sent' and s.ended_at > clock.now - $6::interval
            or s.status = 'pending' and s.token is not null and s.due_at > clock.now)
      ) as place
    from clock, app.mails m where m.status = 'pending' and m.due_at <= clock.now
  ), judged as (
    select mail_id, created_at, place <= case when on_request then $3::integer else $4::integer end as admitted from due
  ), held as (
    update app.mails m set due_at = clock.now + $5::interval, token = null
    from clock, judged j where m.mail_id = j.mail_id and not j.admitted
  ), picked as (
    select mail_id from judged where admitted order by created_at, mail_id limit $1
  ), claimed as (
    update app.mails m set due_at = clock.now + $2::interval, token = gen_random_uuid(), attempts = m.attempts + 1
    from clock, picked p where m.mail_id = p.mail_id
    returning m.mail_id, m.kind, m.owner_id, m.content, m.attempts, m.created_at, m.expires_at, m.token
  )
  select * from claimed order by created_at, mail_id`;

const ADDRESS = `
  update app.mails set owner_id = $3, content = $4
  where mail_id = $1 and token = $2 and status = 'pending' returning mail_id`;

const LOCK = `
  select app.now() as now from app.mails where mail_id = $1 and token = $2 and status = 'pending' for update`;

const SETTLE = `
  update app.mails set status = $2, failure = $3, due_at = $4, token = null,
    content = case when $4::timestamptz is not null then content end,
    ended_at = case when $4::timestamptz is null then $5::timestamptz end
  where mail_id = $1`;

const NEXT_DUE = `select min(due_at) as due_at from app.mails where status = 'pending'`;

const BACKLOG = `
  select (count(*) filter (where is_due))::int as due, min(created_at) filter (where is_due) as since,
    count(failure)::int as failed, min(created_at) filter (where failure is not null) as failed_since,
    mode() within group (order by failure) as failure
  from (
    select created_at, failure, due_at <= (select app.now()) as is_due from app.mails where status = 'pending'
  ) queued`;
