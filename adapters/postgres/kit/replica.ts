import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Millis, SECOND } from '../../../domain/time.ts';
import { FLUSHED, type Position, positionOf } from './log-position.ts';
import { openPool, SESSION } from './pool.ts';
import { caughtUp, markedTimeline, NotThere, replayedBy } from './replica-progress.ts';
import { type Detour, type ReplicaUse, replicaTally } from './replica-use.ts';
import { query, type Sql, sqlState } from './sql.ts';

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
