import { onClient } from '../../stage/client.ts';
import type { ServerClock } from './server-clock.ts';

/** `app.now()` of the campaign's database: the clock of its machine plus a shift. */
export interface ServiceClock {
  /** That of PostgreSQL's machine, which this one builds on; null where it cannot be moved. */
  readonly server: ServerClock | null;
  /** The time of the service, to some milliseconds. */
  now(): Date;
  /** Moves it by this many milliseconds, back if negative, for all processes at once. */
  jump(millis: number): Promise<void>;
}

/** Replaces `app.now()`. Every call reads the shift, so a change applies to all processes from its commit on. */
export async function replaceClock(url: () => string, server: ServerClock | null): Promise<ServiceClock> {
  await run(url(), REPLACE);
  let shift = 0;
  return {
    server,
    now: () => new Date(Date.now() + shift + (server?.ahead() ?? 0)),
    async jump(millis) {
      await run(url(), `${JUMP} '${millis} milliseconds'; ${STAY_LOGGED_IN}`);
      shift += millis;
    },
  };
}

async function run(url: string, sql: string): Promise<void> {
  await onClient(url, async (client) => {
    await client.query(sql);
  });
}

const REPLACE = `
  create table app.chaos_clock (shift interval not null);
  insert into app.chaos_clock values ('0');
  grant select on app.chaos_clock to public;
  create or replace function app.now() returns timestamptz language sql volatile as $$
    select date_trunc('milliseconds', clock_timestamp() + shift) from app.chaos_clock
  $$;`;

const JUMP = 'update app.chaos_clock set shift = shift + interval';
/** Skipping a day would end every session as idle. */
const STAY_LOGGED_IN = 'update app.sessions set last_seen_at = app.now();';
