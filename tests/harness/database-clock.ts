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
    freeze: (at) => execute(`select setval('app.test_frozen', ${micros(at.getTime())}), setval('app.test_shift', 0)`),
    advance: (millis) => execute(`select ${moved('app.test_frozen', millis)}, ${moved('app.test_shift', millis)}`),
    close: () => last.then(() => client.end()),
  };
}

function micros(millis: number): number {
  return Math.round(millis * 1000);
}

/** A sequence that has no value stays without one. */
function moved(sequence: string, millis: number): string {
  return `setval('${sequence}', pg_sequence_last_value('${sequence}') + ${micros(millis)})`;
}

/**
 * The time is in sequences, in microseconds since 1970: a function that reads no table becomes a part of the statement
 * that calls it, as that of production does. A call of one that reads a table takes fifteen times as long.
 */
const REPLACE = `
  create sequence app.test_frozen minvalue ${Number.MIN_SAFE_INTEGER};
  create sequence app.test_shift minvalue ${Number.MIN_SAFE_INTEGER};
  grant select on sequence app.test_frozen, app.test_shift to public;
  select setval('app.test_shift', 0);
  create or replace function app.now() returns timestamptz language sql volatile as $$
    select date_trunc('milliseconds', coalesce(
      timestamptz 'epoch' + pg_sequence_last_value('app.test_frozen') * interval '1 microsecond',
      clock_timestamp() + pg_sequence_last_value('app.test_shift') * interval '1 microsecond'))
  $$;`;

/** What gives a database its own clock back, except for the function of the clock. */
export const WITHOUT_TEST_CLOCK = 'drop sequence app.test_frozen, app.test_shift';
