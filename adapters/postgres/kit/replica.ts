import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Millis, SECOND } from '../../../domain/time.ts';
import { openPool, SESSION } from './pool.ts';
import { query, type Sql, sqlState } from './sql.ts';

/**
 * Why the primary answered a read that a replica might have: this process does not know a position of the
 * primary's log yet, the replica is not used for a while after trouble, it did not get there in time, it follows another
 * primary (or none), or it failed.
 */
const DETOURS = ['unheard', 'paused', 'behind', 'other_timeline', 'failed'] as const;

/** Thrown where the replica cannot be queried yet. */
class NotThere extends Error {
  override readonly name = 'NotThere';
  /** Counted in the metrics as the reason. */
  readonly code: 'behind' | 'other_timeline';

  constructor(code: NotThere['code']) {
    super(code === 'behind' ? 'The replica is behind.' : 'The replica is behind, or follows another primary.');
    this.code = code;
  }
}

/** A machine that is gone closes no connection: only a time limit detects it. */
const REPLAYED = {
  name: 'replayed',
  query_timeout: SECOND,
  text: `
  select case when pg_is_in_recovery() then
    lpad(to_hex((select max(timeline) from app.timelines)), 8, '0') || ' ' || pg_last_wal_replay_lsn()
  end as position`,
};

export interface ReplicaOptions {
  /** As the service, past any pooler: each connection must lead to one server as long as it lasts. */
  readonly url: string;
  readonly poolSize: number;
  /** The newest position of the primary that this process has seen; null before any. */
  readonly position: () => Position | null;
  /** Called with the reason when reads go to the primary for a while. */
  readonly onTrouble: (error: unknown) => void;
  /** Milliseconds that a read waits for the replica to catch up. */
  readonly patience?: number;
  /** Milliseconds that a statement may take there; by default as on the primary. */
  readonly longestStatement?: Millis;
}

export interface ReplicaSql extends ReplicaUse {
  /** Statements outside of transactions go to the replica where it is up to date, and else to the primary. */
  readonly sql: Sql;
  close(): Promise<void>;
}

/**
 * A read sees all that was committed before its request was admitted: the admission returns how far the primary's log was
 * then, and the replica is queried only after it has replayed the log that far. A replica that does not get there in
 * time, fails, or follows another primary is not used for a while, and the primary answers.
 */
export function readingReplica(primary: Sql, options: ReplicaOptions): ReplicaSql {
  const { position, onTrouble, patience = 100 } = options;
  const pool = poolOf(options);
  let [rest, restsUntil] = [SHORTEST_REST, 0];
  /** The timeline of the primary, which is marked in its log for every replica to replay. */
  let timeline: number | undefined;
  const tally = replicaTally();

  async function read<Row extends object>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]> {
    const onPrimary = (reason: Detour) => {
      tally.primary(reason);
      return primary.rows<Row>(text, values, name);
    };
    const wanted = position();
    if (wanted === null) return onPrimary('unheard');
    if (performance.now() < restsUntil) return onPrimary('paused');
    try {
      await mark(wanted);
      const rows = await onReplica(pool, async (client) => {
        await caughtUp(client, wanted, patience);
        return query<Row>(client, text, values, name);
      });
      rest = SHORTEST_REST;
      tally.replica();
      return rows;
    } catch (error) {
      if (sqlState(error) === STATEMENT_TIMEOUT) throw error;
      if (performance.now() >= restsUntil) backOff(error);
      return onPrimary(error instanceof NotThere ? error.code : 'failed');
    }
  }

  async function mark(wanted: Position): Promise<void> {
    if (timeline !== wanted.timeline) timeline = await markedTimeline(primary);
  }

  /** Each time for twice as long. */
  function backOff(error: unknown): void {
    restsUntil = performance.now() + rest;
    rest = Math.min(2 * rest, LONGEST_REST);
    onTrouble(error);
  }

  async function lag(): Promise<number | null> {
    const [row] = await primary.rows<{ position: string }>(`select ${FLUSHED} as position`);
    const flushed = positionOf(row?.position ?? '');
    await mark(flushed);
    const replayed = await onReplica(pool, replayedBy);
    if (replayed?.timeline !== flushed.timeline) return null;
    return Math.max(0, Number(flushed.lsn - replayed.lsn));
  }

  return {
    sql: { ...primary, rows: read },
    reads: tally.reads,
    lag: () => Promise.race([lag().catch(() => null), sleep(SECOND, null, { ref: false })]),
    close: () => pool.end(),
  };
}

const SHORTEST_REST = SECOND;
const LONGEST_REST = 30 * SECOND;

/** The statement took too long here; on the primary it would take as long. */
const STATEMENT_TIMEOUT = '57014';

function poolOf({ url, poolSize, longestStatement }: ReplicaOptions): pg.Pool {
  const session = { ...SESSION, options: `${SESSION.options} -c default_transaction_read_only=on` };
  const applicationName = 'stancebook-reads';
  const pool = openPool({ url, poolSize, longestStatement, applicationName, session, connectionTimeout: SECOND });
  // A broken idle connection is replaced; the next read shows whether the replica is in trouble.
  pool.on('error', ignore);
  return pool;
}

async function onReplica<T>(pool: pg.Pool, read: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks while it is used fails the statement; without a listener it would also end the process.
  client.on('error', ignore);
  try {
    const result = await read(client);
    client.release();
    return result;
  } catch (error) {
    client.release(!(error instanceof NotThere));
    throw error;
  } finally {
    client.off('error', ignore);
  }
}

const ignore = () => undefined;

/** Waits until the replica has replayed so far. @throws NotThere when that takes longer than `patience` milliseconds */
async function caughtUp(client: pg.ClientBase, wanted: Position, patience: number): Promise<void> {
  const deadline = performance.now() + patience;
  for (let pause = 1; ; pause *= 2) {
    const replayed = await replayedBy(client);
    if (isReached(replayed, wanted)) return;
    if (performance.now() + pause > deadline)
      throw new NotThere(replayed?.timeline === wanted.timeline ? 'behind' : 'other_timeline');
    await sleep(pause);
  }
}

/** Null where the server is no standby, or has no mark of its primary yet. */
async function replayedBy(client: pg.ClientBase): Promise<Position | null> {
  const { rows } = await client.query<{ position: string | null }>(REPLAYED);
  const [row] = rows;
  return row?.position ? positionOf(row.position) : null;
}

/** Has the primary write down its timeline, which distinguishes its replicas from those of an earlier primary. */
async function markedTimeline(primary: Sql): Promise<number> {
  const [row] = await primary.rows<{ timeline: number }>(`
    with own as materialized (select app.own_timeline() as timeline),
    marked as (insert into app.timelines (timeline) select timeline from own on conflict do nothing)
    select timeline::float8 as timeline from own`);
  if (!row) throw new Error('The primary returned no timeline.');
  return row.timeline;
}

type Detour = (typeof DETOURS)[number];

/** What became of the reads of this process that may go to a replica. */
export interface ReplicaUse {
  /** By who answered and, where it was the primary, why; those that were ended because they took too long are left out. */
  reads(): readonly ReadsCounted[];
  /** Bytes of the primary's log that the replica has not replayed; null where that cannot be found out within a second. */
  lag(): Promise<number | null>;
}

interface ReadsCounted {
  readonly answered_by: 'replica' | 'primary';
  readonly reason: Detour | 'up_to_date';
  readonly count: number;
}

function replicaTally() {
  let byReplica = 0;
  const byPrimary = new Map<Detour, number>(DETOURS.map((reason) => [reason, 0]));
  return {
    replica(): void {
      byReplica += 1;
    },
    primary(reason: Detour): void {
      byPrimary.set(reason, (byPrimary.get(reason) ?? 0) + 1);
    },
    reads: (): readonly ReadsCounted[] => [
      { answered_by: 'replica', reason: 'up_to_date', count: byReplica },
      ...[...byPrimary].map(([reason, count]) => ({ answered_by: 'primary' as const, reason, count })),
    ],
  };
}

/** How far a server's write-ahead log is. Positions of different timelines cannot be compared. */
export interface Position {
  /** Counts the promotions that led to this log. */
  readonly timeline: number;
  readonly lsn: bigint;
}

/** On the primary: what every replica must have replayed to know all that has been committed durably until now. */
export const FLUSHED = `substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) || ' ' || pg_current_wal_flush_lsn()`;

/** @throws TypeError when the text is not `timeline lsn` as `FLUSHED` returns it */
export function positionOf(text: string): Position {
  const [, timeline, high, low] = FORM.exec(text) ?? [];
  if (timeline === undefined) throw new TypeError('This text is not a log position.');
  return { timeline: Number.parseInt(timeline, 16), lsn: BigInt(`0x${high}`) * 2n ** 32n + BigInt(`0x${low}`) };
}

const FORM = /^([\dA-F]{8}) ([\dA-F]{1,8})\/([\dA-F]{1,8})$/i;

/** Whether a server that has replayed its log so far knows all that `wanted` stands for; null: it is no standby. */
export function isReached(replayed: Position | null, wanted: Position): boolean {
  return replayed !== null && replayed.timeline === wanted.timeline && replayed.lsn >= wanted.lsn;
}

export interface PositionTracker {
  note(text: string): void;
  /** The newest position that was noted; null before any. */
  newest(): Position | null;
}

export function trackPosition(): PositionTracker {
  let newest: Position | null = null;
  return {
    note(text) {
      const position = positionOf(text);
      if (newest === null || position.timeline > newest.timeline) newest = position;
      else if (position.timeline === newest.timeline && position.lsn > newest.lsn) newest = position;
    },
    newest: () => newest,
  };
}
