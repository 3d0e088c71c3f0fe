import pg from 'pg';
import { sqlState } from '../../../../adapters/postgres/kit/sql.ts';
import { openPostgres, type PostgresStorage } from '../../../../adapters/postgres/storage.ts';
import { NO_JOBS } from '../../../contracts/decisions/adapters.ts';

/** What a probe saw, as text, and the statements that it ran. */
export interface Seen {
  readonly observed: string;
  readonly texts: ReadonlySet<string>;
}

/** A storage whose statements are noted, and can be replaced; what a probe does is undone. */
export interface PlantedStorage {
  readonly storage: PostgresStorage;
  /**
   * Runs a probe inside a transaction of its own that is rolled back.
   * @param slip a statement and what is sent instead, or SQL that replaces a function
   */
  run(probe: () => Promise<unknown>, slip?: SlipToPlant): Promise<Seen>;
  close(): Promise<void>;
}

export type SlipToPlant = { readonly text: string; readonly planted: string } | { readonly functionSql: string };

type Query = (this: pg.Client, ...args: unknown[]) => Promise<pg.QueryResult>;

/** Opens the storage as the owner of the schema on one connection, so that functions are replaced and undone with the rest. */
export async function openPlanted(url: string): Promise<PlantedStorage> {
  const { database } = new pg.Client({ connectionString: url });
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const send = prototype.query;
  const state = {
    client: null as pg.Client | null,
    texts: new Set<string>(),
    slip: null as SlipToPlant | null,
    inside: false,
    broken: null as unknown,
  };

  const noteFault = (fault: unknown) => {
    if (BROKEN.test(sqlState(fault))) state.broken = fault;
  };
  /** Sends a statement and notes its failure; pg's pool passes a function for the result. */
  const noted = (client: pg.Client, args: readonly unknown[]): Promise<pg.QueryResult> => {
    const done = args.at(-1);
    if (typeof done === 'function') {
      const noting = (fault: unknown, result: unknown) => {
        noteFault(fault);
        done(fault, result);
      };
      return send.call(client, ...args.slice(0, -1), noting);
    }
    const sent = send.call(client, ...args);
    sent.catch(noteFault);
    return sent;
  };

  prototype.query = function (config, ...rest) {
    const client = this as pg.Client & { readonly database?: string };
    if (client.database !== database) return send.call(this, config, ...rest);
    // The pool closes a connection whose statement failed: what follows would not be undone.
    if (state.inside && client !== state.client) throw new Error('The probe has lost its connection.');
    state.client = client;
    const text = typeof config === 'string' ? config : (config as pg.QueryConfig).text;
    const nested = state.inside
      ? NESTED[/^\s*(begin|commit|rollback)\b/i.exec(text)?.[1]?.toLowerCase() ?? '']
      : undefined;
    if (nested) return endOf(send.call(this, nested.sql), nested.command);
    state.texts.add(text);
    const { slip } = state;
    if (!slip || !('text' in slip) || slip.text !== text) return noted(this, [config, ...rest]);
    if (typeof config === 'string') return noted(this, [slip.planted, ...rest]);
    const { name: _, ...unnamed } = config as pg.QueryConfig;
    return noted(this, [{ ...unnamed, text: slip.planted }, ...rest]);
  };

  const replies = { most: 2 ** 30, secret: 'of a test', release: 'a test' };
  const options = { poolSize: 1, connectionTimeout: 30_000, atlasRests: 0, openJobs: async () => NO_JOBS, replies };
  const storage = await openPostgres({ url, ...options });
  const control = async (sql: string) => {
    if (!state.client) throw new Error('The storage has no connection.');
    await send.call(state.client, sql);
  };
  return {
    storage,
    async run(probe, slip) {
      // Of the pool's connection, which it may have replaced.
      await storage.owners.list(null, 1);
      await control('begin');
      try {
        if (slip && 'functionSql' in slip) await control(slip.functionSql);
        Object.assign(state, { texts: new Set(), slip: slip ?? null, inside: true, broken: null });
        const observed = await probe().then(shown, (fault: unknown) => `threw ${String(fault)}`);
        if (state.broken !== null) throw new Error('A slip made no valid SQL.', { cause: state.broken });
        return { observed, texts: state.texts };
      } finally {
        Object.assign(state, { slip: null, inside: false });
        await control('rollback').catch(() => undefined);
      }
    },
    async close() {
      await storage.close();
      prototype.query = send;
    },
  };
}

/** SQLSTATEs of SQL that is wrong, with every row (class 42), not of a guard: a probe would notice that, and nothing of owners. */
const BROKEN = /^42(?!501)/;

/** A transaction inside that of a probe. */
const NESTED: Readonly<Record<string, { readonly sql: string; readonly command: string }>> = {
  begin: { sql: 'savepoint inner_one', command: 'BEGIN' },
  commit: { sql: 'release savepoint inner_one', command: 'COMMIT' },
  rollback: { sql: 'rollback to savepoint inner_one', command: 'ROLLBACK' },
};

async function endOf(sent: Promise<pg.QueryResult>, command: string): Promise<pg.QueryResult> {
  // After a statement that failed outside of such a transaction the server refuses this one, too. The storage would close
  // its connection.
  const result = command === 'ROLLBACK' ? await sent.catch(() => null) : await sent;
  return { ...result, command } as pg.QueryResult;
}

/** As JSON without what differs from run to run: the numbers of sequences. */
function shown(value: unknown): string {
  return JSON.stringify(value, (name, member) => {
    if (name === 'seq') return undefined;
    return member instanceof Map ? [...member] : member;
  });
}
