import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { SECOND } from '../../../domain/time.ts';
import { isReached, type Position, positionOf } from './log-position.ts';
import type { Sql } from './sql.ts';

/** Thrown where the replica cannot be queried yet. */
export class NotThere extends Error {
  override readonly name = 'NotThere';
  /** Counted in the metrics as the reason. */
  readonly code: 'behind' | 'other_timeline';

  constructor(code: NotThere['code']) {
    super(code === 'behind' ? 'The replica is behind.' : 'The replica is behind, or follows another primary.');
    this.code = code;
  }
}

/** Waits until the replica has replayed so far. @throws NotThere when that takes longer than `patience` milliseconds */
export async function caughtUp(client: pg.ClientBase, wanted: Position, patience: number): Promise<void> {
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
export async function replayedBy(client: pg.ClientBase): Promise<Position | null> {
  const { rows } = await client.query<{ position: string | null }>(REPLAYED);
  const [row] = rows;
  return row?.position ? positionOf(row.position) : null;
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

/** Has the primary write down its timeline, which distinguishes its replicas from those of an earlier primary. */
export async function markedTimeline(primary: Sql): Promise<number> {
  const [row] = await primary.rows<{ timeline: number }>(`
    with own as materialized (select app.own_timeline() as timeline),
    marked as (insert into app.timelines (timeline) select timeline from own on conflict do nothing)
    select timeline::float8 as timeline from own`);
  if (!row) throw new Error('The primary returned no timeline.');
  return row.timeline;
}
