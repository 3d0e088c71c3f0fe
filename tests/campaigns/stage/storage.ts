import { openPostgres, type PostgresStorage } from '../../../adapters/postgres/storage.ts';

/** The service's storage on a database, without a job queue: what it enqueues is dropped. */
export function openStorage(serviceUrl: string, poolSize: number): Promise<PostgresStorage> {
  return openPostgres({ url: serviceUrl, poolSize, openJobs: async () => NO_JOBS });
}

const QUEUE = { enqueue: async () => undefined };
const NO_JOBS = {
  queue: QUEUE,
  inTransaction: () => QUEUE,
  states: { states: async () => [] },
  close: async () => undefined,
};
