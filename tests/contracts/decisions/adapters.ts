import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type MemoryStorage, openMemory, type RecordMarks } from '../../../adapters/memory/storage.ts';
import { openPostgres } from '../../../adapters/postgres/storage.ts';
import type { Storage } from '../../../application/ports.ts';
import type { Coin } from '../../../domain/circuits/coin.ts';
import type { JobQueue } from '../../../domain/jobs.ts';
import { bringTo } from '../../builders/circuits.ts';
import { publishSomething } from '../../builders/stored-workflows.ts';
import { freshDatabase } from '../../harness/database.ts';
import { databaseClock } from '../../harness/database-clock.ts';
import { type OperatorStorage, operatorStorage } from '../operator-storage.ts';

/** What happens around the decisions of a test, written past the ports of the decisions. */
export interface Arrange {
  /** The clock stands at that time. */
  freeze(at: Date): Promise<void>;
  advance(millis: number): Promise<void>;
  /** The coin's newest snapshot; its id. */
  circuit(coin: Coin, state: 'normal' | 'warming' | 'tripped'): Promise<string>;
  /** Publishes a workflow of some content of its own; its hash. */
  publish(owner_id: string, visibility: 'private' | 'public'): Promise<string>;
  mark(record_id: string, marks: RecordMarks): Promise<void>;
  /** Waits until every transaction is over that was under way, of other tests too: events are read up to the oldest one. */
  settle(): Promise<void>;
}

export interface OpenedDecisions {
  readonly storage: Storage;
  /** As commands of operators open it. */
  readonly operators: OperatorStorage;
  readonly arrange: Arrange;
  close(): Promise<void>;
}

export interface DecisionAdapter {
  readonly name: string;
  /**
   * The part of the random queries and of the rounds of swaps of a suite that run here, in (0, 1]; 1 unless given. A pool of one differs from a pool of
   * ten only where a method takes a second connection, which each query of its kind shows: a few of each are enough.
   */
  readonly share?: number;
  /** On nothing: no rows of anybody else. The clock stands at noon of some Monday. */
  open(): Promise<OpenedDecisions>;
}

export const decisionAdapters: readonly DecisionAdapter[] = [
  { name: 'memory', open: onMemory },
  { name: 'postgres', open: () => onPostgres(10) },
  { name: 'postgres with one connection', share: 0.05, open: () => onPostgres(1) },
];

export const NOON = new Date('2026-03-02T12:00:00.000Z');

export async function onMemory(): Promise<OpenedDecisions & { readonly storage: MemoryStorage }> {
  let time = NOON.getTime();
  const storage = openMemory({ now: () => new Date(time) });
  const arrange: Arrange = {
    async freeze(at) {
      time = at.getTime();
    },
    async advance(millis) {
      time += millis;
    },
    circuit: (coin, state) => bringTo(storage.circuits, coin, state),
    publish: (owner_id, visibility) => publishSomething(storage.workflowSnapshots, owner_id, visibility),
    mark: (record_id, marks) => storage.arrange.mark(record_id, marks),
    settle: async () => undefined,
  };
  return { storage, operators: storage, arrange, close: async () => undefined };
}

/** The same with ways in for tests of PostgreSQL's own. */
export interface OpenedDatabase extends OpenedDecisions {
  readonly url: string;
  readonly serviceUrl: string;
  /** As the owner of the schema. */
  readonly owner: pg.Client;
}

export async function onPostgres(poolSize: number, database = freshDatabase()): Promise<OpenedDatabase> {
  const { url, serviceUrl, drop } = await database;
  const { close: stopClock, ...clock } = await databaseClock(url);
  await clock.freeze(NOON);
  const owner = connectedByUse(url);
  // Twenty may wait for one connection, on a machine that is busy with other things.
  const replies = { most: 2 ** 30, secret: 'of a test', release: 'a test' };
  const options = { poolSize, connectionTimeout: 30_000, atlasRests: 0, openJobs: async () => NO_JOBS, replies };
  const storage = await openPostgres({ url: serviceUrl, ...options });
  const operators = operatorStorage(() => openPostgres({ url, ...options }));
  return {
    url,
    serviceUrl,
    owner,
    storage,
    operators,
    arrange: {
      ...clock,
      ...arrangedBy(owner),
      circuit: (coin, state) => bringTo(storage.circuits, coin, state),
      publish: (owner_id, visibility) => publishSomething(storage.workflowSnapshots, owner_id, visibility),
    },
    async close() {
      await storage.close();
      await operators.close();
      await owner.end();
      await stopClock();
      await drop();
    },
  };
}

/** A client that connects with its first statement: most suites send none. */
function connectedByUse(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url });
  let connected: Promise<unknown> | undefined;
  client.query = new Proxy(client.query, {
    async apply(query, self, given) {
      connected ??= client.connect();
      await connected;
      return Reflect.apply(query, self, given);
    },
  });
  return client;
}

const NOBODY: JobQueue = { enqueue: async () => undefined };
export const NO_JOBS = {
  queue: NOBODY,
  inTransaction: () => NOBODY,
  states: { states: async () => [] },
  close: async () => undefined,
};

function arrangedBy(owner: pg.Client): Pick<Arrange, 'mark' | 'settle'> {
  return {
    async settle() {
      const { rows } = await owner.query<{ id: string }>('select pg_current_xact_id()::text as id');
      const over = 'select where pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8';
      while ((await owner.query(over, [rows[0]?.id])).rowCount === 0) await sleep(5);
    },

    async mark(record_id, { archived_at, quarantine_reason }) {
      const set = `update app.decisions set archived_at = coalesce($2, archived_at),
          quarantine_reason = coalesce($3, quarantine_reason)
        where record_id = $1`;
      await owner.query(set, [record_id, archived_at, quarantine_reason]);
      if (quarantine_reason === undefined) return;
      const end = `with entry as (
          insert into app.audit_log (actor, action, subject) values ('a test', 'quarantine', $1))
        update app.decisions set lifecycle_state = 'quarantined', due_at = null, eval_token = null,
        quarantined_at = app.now() where record_id = $1`;
      await owner.query(end, [record_id]);
    },
  };
}
