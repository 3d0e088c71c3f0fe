import pg from 'pg';
import { SECOND } from '../../domain/time.ts';
import { SESSION } from './data-source.ts';
import { isReached, type Position } from './log-position.ts';
import { query, type Sql, sqlState } from './sql.ts';

export interface ReplicaOptions {
  /** As the service, past any pooler: each connection must lead to one server as long as it lasts. */
  readonly url: string;
  readonly poolSize: number;
  /** The newest position of the primary that this process has been told of; null before any. */
  readonly position: () => Position | null;
  /** Told why reads have gone to the primary for a while. */
  readonly onTrouble: (error: unknown) => void;
  /** Milliseconds that a read waits for the replica to catch up. */
  readonly patience?: number;
}

export interface ReplicaSql {
  /** Statements outside of transactions go to the replica where it is up to date, and else to the primary. */
  readonly sql: Sql;
  close(): Promise<void>;
}

/**
 * A read sees all that was committed before its request was let in: the admission tells how far the primary's log was
 * then, and the replica is asked nothing before it has replayed the log so far. One that does not get there in time, that
 * fails, or that follows another primary is left alone for a while, and the primary answers.
 */
export function readingReplica(primary: Sql, options: ReplicaOptions): ReplicaSql {
  const { url, poolSize: max, position, onTrouble, patience = 100 } = options;
  const session = { ...SESSION, default_transaction_read_only: 'on' };
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: 'stancebook-reads',
    connectionTimeoutMillis: 1_000,
    keepAlive: true,
    ...session,
  });
  // A broken idle connection is replaced; the next read tells whether the replica is in trouble.
  pool.on('error', ignore);
  let [rest, restsUntil] = [SHORTEST_REST, 0];
  /** Of the primary, as every replica of it can tell by now or soon. */
  let timeline: number | undefined;

  async function read<Row extends object>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]> {
    const wanted = position();
    if (wanted === null || performance.now() < restsUntil) return primary.rows<Row>(text, values, name);
    try {
      if (timeline !== wanted.timeline) timeline = await markedTimeline(primary);
      const rows = await onReplica<Row>(pool, wanted, patience, (client) => query<Row>(client, text, values, name));
      rest = SHORTEST_REST;
      return rows;
    } catch (error) {
      if (sqlState(error) === STATEMENT_TIMEOUT) throw error;
      if (performance.now() >= restsUntil) leaveAlone(error);
      return primary.rows<Row>(text, values, name);
    }
  }

  /** For twice as long each time. */
  function leaveAlone(error: unknown): void {
    restsUntil = performance.now() + rest;
    rest = Math.min(2 * rest, LONGEST_REST);
    onTrouble(error);
  }

  return { sql: { ...primary, rows: read }, close: () => pool.end() };
}

const SHORTEST_REST = SECOND;
const LONGEST_REST = 30 * SECOND;

/** It took its time here; the primary would take as long. */
const STATEMENT_TIMEOUT = '57014';

async function onReplica<Row extends object>(
  pool: pg.Pool,
  wanted: Position,
  patience: number,
  read: (client: pg.ClientBase) => Promise<Row[]>,
): Promise<Row[]> {
  const client = await pool.connect();
  // One that breaks while it is used tells the statement; without a listener it would also end the process.
  client.on('error', ignore);
  try {
    await caughtUp(client, wanted, patience);
    const rows = await read(client);
    client.release();
    return rows;
  } catch (error) {
    client.release(!(error instanceof Behind));
    throw error;
  } finally {
    client.off('error', ignore);
  }
}

const ignore = () => undefined;

class Behind extends Error {
  override readonly message = 'The replica is behind, or follows another primary.';
}

async function caughtUp(client: pg.ClientBase, wanted: Position, patience: number): Promise<void> {
  const deadline = performance.now() + patience;
  for (let pause = 1; ; pause *= 2) {
    const [row] = await query<{ position: string | null }>(client, REPLAYED, [], 'replayed');
    if (row && isReached(row.position, wanted)) return;
    if (performance.now() + pause > deadline) throw new Behind();
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Null where it is no standby any more, or has no mark yet. */
const REPLAYED = `
  select case when pg_is_in_recovery() then
    lpad(to_hex((select max(timeline) from app.timelines)), 8, '0') || ' ' || pg_last_wal_replay_lsn()
  end as position`;

/** Has the primary write down its timeline, by which replicas of it can be told from those of an earlier one. */
async function markedTimeline(primary: Sql): Promise<number> {
  const [row] = await primary.rows<{ timeline: number }>(`
    with own as materialized (select app.own_timeline() as timeline),
    marked as (insert into app.timelines (timeline) select timeline from own on conflict do nothing)
    select timeline::float8 as timeline from own`);
  if (!row) throw new Error('The primary did not tell its timeline.');
  return row.timeline;
}
