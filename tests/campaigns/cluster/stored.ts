import { setTimeout as sleep } from 'node:timers/promises';
import { onClient } from '../stage/client.ts';
import type { DatabaseHost } from './database-hosts.ts';
import { onHost } from './database-hosts.ts';
import type { Front } from './front.ts';

/** A record of the database. */
export interface StoredRecord {
  readonly record_id: string;
  /** `meta.key` of its submission. */
  readonly key: string;
}

/** Runs a query as the superuser on the leader. */
export async function rowsOf<Row extends object>({ superuserUrl }: Front, sql: string): Promise<readonly Row[]> {
  const url = new URL(superuserUrl);
  url.pathname = '/stancebook';
  return onClient(url.href, async (client) => (await client.query<Row>(sql)).rows);
}

export function storedRecords(front: Front): Promise<readonly StoredRecord[]> {
  return rowsOf(
    front,
    `select record_id, (statement::jsonb -> 'body' ->> 'meta')::jsonb ->> 'key' as key from app.decision_documents`,
  );
}

/** A digest of the records of each member, after the standbys have caught up. */
export async function digestsOf(hosts: readonly DatabaseHost[], patience = 120_000): Promise<readonly string[]> {
  const deadline = Date.now() + patience;
  for (;;) {
    const digests = await Promise.all(hosts.map((host) => onHost(host, DIGEST, 10, 'stancebook')));
    const texts = digests.map((digest) => digest ?? 'no answer');
    if (new Set(texts).size === 1 || Date.now() > deadline) return texts;
    await sleep(500);
  }
}

const DIGEST = `select count(*) || ' ' || md5(string_agg(record_id || lifecycle_state, ' ' order by record_id)) from app.decisions`;

/** How many of the service's connections read from standbys. */
export async function connectionsOfReaders(hosts: readonly DatabaseHost[]): Promise<number> {
  const counts = await Promise.all(hosts.map((host) => onHost(host, READERS)));
  return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
}

const READERS = `select count(*) from pg_stat_activity where application_name = 'stancebook-reads' and query_start > now() - interval '10 seconds' and pg_is_in_recovery()`;

/** How many due submissions have an outcome after the workers had time for them, and how many are due. */
export async function outcomes(
  front: Front,
  patience = 120_000,
): Promise<{ readonly due: number; readonly ended: number }> {
  const deadline = Date.now() + patience;
  for (;;) {
    const [row] = await rowsOf<{ due: number; ended: number }>(
      front,
      `select count(*)::int as due, count(o.record_id)::int as ended
       from app.decisions d left join app.decision_outcomes o using (record_id) where d.market = 'stock'`,
    );
    if (row && (row.due === row.ended || Date.now() > deadline)) return row;
    await sleep(500);
  }
}
