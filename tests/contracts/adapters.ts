import { openJobQueue } from '../../adapters/jobs/job-queue.ts';
import { migrateJobs } from '../../adapters/jobs/migrate-jobs.ts';
import { openMemory } from '../../adapters/memory/storage.ts';
import { openPostgres, type PostgresStorage } from '../../adapters/postgres/storage.ts';
import { freshDatabase, roleOf } from '../harness/database.ts';

/** What every adapter offers; a contract may rely on nothing else. */
export type AnyStorage = Omit<PostgresStorage, 'intake' | 'close' | 'poolUse' | 'replica'>;

export interface Opened {
  readonly storage: AnyStorage;
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
  { name: 'memory', open: async () => ({ storage: openMemory(), close: async () => undefined }) },
  { name: 'postgres', open: () => onFreshDatabase(10) },
  { name: 'postgres with one connection', open: () => onFreshDatabase(1) },
];

export async function onFreshDatabase(poolSize: number): Promise<Opened & { readonly storage: PostgresStorage }> {
  const database = await freshDatabase();
  await migrateJobs({ ownerUrl: database.url, serviceRole: roleOf(database.serviceUrl) });
  const storage = await openPostgres({
    url: database.serviceUrl,
    poolSize,
    atlasRests: 0,
    openJobs: (sql) => openJobQueue({ sql, log: console }),
  });
  return {
    storage,
    async close() {
      await storage.close();
      await database.drop();
    },
  };
}

/** Runs the same work in that many workers at once. @returns the results, in the order of the workers */
export function race<T>(workers: number, work: (worker: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
}
