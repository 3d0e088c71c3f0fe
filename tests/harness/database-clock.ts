import pg from 'pg';

/** The clock of one test database. */
export interface DatabaseClock {
  /** Stops the clock at that time, in whole milliseconds, until it is moved. */
  freeze(at: Date): Promise<void>;
  /** Moves the clock by that many milliseconds, forwards or backwards, frozen or running. */
  advance(millis: number): Promise<void>;
  close(): Promise<void>;
}

/** Replaces `app.now()` in the test's own database; it follows the machine's clock until it is frozen or moved. */
export async function databaseClock(ownerUrl: string): Promise<DatabaseClock> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  let last: Promise<void> = Promise.resolve();
  // Changes that are made at once wait for one another.
  const execute = (sql: string): Promise<void> => {
    const made = last.then(async () => void (await client.query(sql)));
    last = made.catch(() => undefined);
    return made;
  };
  await execute(REPLACE);
  return {
    freeze: (at) => execute(`update app.test_clock set frozen = '${at.toISOString()}', shift = '0'`),
    advance: (millis) =>
      execute(`update app.test_clock set frozen = frozen + ${interval(millis)}, shift = shift + ${interval(millis)}`),
    close: () => last.then(() => client.end()),
  };
}

function interval(millis: number): string {
  return `interval '${millis} milliseconds'`;
}

const REPLACE = `
  create table app.test_clock (frozen timestamptz, shift interval not null);
  insert into app.test_clock values (null, '0');
  grant select on app.test_clock to public;
  create or replace function app.now() returns timestamptz language sql volatile as $$
    select date_trunc('milliseconds', coalesce(frozen, clock_timestamp() + shift)) from app.test_clock
  $$;`;
