import { openJobQueue } from '../../adapters/jobs/job-queue.ts';
import { openMemory } from '../../adapters/memory/storage.ts';
import { openPostgres, type PostgresStorage } from '../../adapters/postgres/storage.ts';
import { freshDatabase } from '../harness/database.ts';
import { type OperatorStorage, operatorStorage } from './operator-storage.ts';

/** What every adapter offers; a contract may rely on nothing else. */
export type AnyStorage = Omit<PostgresStorage, 'intake' | 'close' | 'poolUse' | 'hasDiskRoom' | 'replica' | 'replyUse'>;

export interface Opened {
  readonly storage: AnyStorage;
  /** As commands of operators open it. */
  readonly operators: OperatorStorage;
  close(): Promise<void>;
}

export interface Adapter {
  readonly name: string;
  /** Opens the storage on nothing: no rows of anybody else. */
  open(): Promise<Opened>;
}

/** A suite of promises, for any adapter. */
export interface Contract {
  readonly name: string;
  readonly promises: (open: () => Promise<Opened>) => void;
}

export const adapters: readonly Adapter[] = [
  { name: 'memory', open: onMemory },
  { name: 'postgres', open: () => onFreshDatabase(10) },
  { name: 'postgres with one connection', open: () => onFreshDatabase(1) },
];

async function onMemory(): Promise<Opened> {
  const storage = openMemory();
  return { storage, operators: storage, close: async () => undefined };
}

async function onFreshDatabase(poolSize: number): Promise<Opened & { readonly storage: PostgresStorage }> {
  const database = await freshDatabase();
  const open = (url: string) =>
    openPostgres({ url, poolSize, atlasRests: 0, openJobs: (sql) => openJobQueue({ sql, log: console }) });
  const storage = await open(database.serviceUrl);
  const operators = operatorStorage(() => open(database.url));
  return {
    storage,
    operators,
    async close() {
      await operators.close();
      await storage.close();
      await database.drop();
    },
  };
}

/** Runs the same work in that many workers at once. @returns the results, in the order of the workers */
export function race<T>(workers: number, work: (worker: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
}
