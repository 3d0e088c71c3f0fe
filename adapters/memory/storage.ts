import { AsyncLocalStorage } from 'node:async_hooks';
import type { Storage, Stores } from '../../application/ports.ts';
import { aroundEachCall, type OpenTransaction, transactionScope } from '../../application/transaction-scope.ts';
import type { Job } from '../../domain/jobs.ts';
import { type KeyTables, memoryApiKeys } from './api-key-store.ts';
import { type InstrumentTables, memoryInstruments } from './instrument-store.ts';
import { type JobTables, memoryJobs, nextJobAt, takeDueJobs } from './job-queue.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { memoryOwners } from './owner-store.ts';
import { Journal, Table } from './table.ts';

export interface MemoryOptions {
  /** The clock of this storage; the machine's unless told. */
  readonly now?: () => Date;
}

type BaseStores = Omit<Stores, 'decisions'>;

export interface MemoryStorage extends BaseStores, Pick<Storage, 'clock'> {
  transaction<T>(work: (stores: BaseStores) => Promise<T>): Promise<T>;
  /** Takes the sweeps off the queue that are due now, for whoever runs them. */
  takeDueJobs(): Promise<readonly Job[]>;
  /** When the next sweep is due; null when none is asked for. */
  nextJobAt(): Promise<Date | null>;
}

/**
 * The storage of the service in the memory of one process, with every promise of the ports: each call of a store and
 * each transaction happens as a whole and alone, and leaves no trace when it throws.
 */
export function openMemory({ now = () => new Date() }: MemoryOptions = {}): MemoryStorage {
  const journal = new Journal();
  const tables = makeTables(journal);
  const inTurn = oneAtATime();
  const wholly = <T>(work: () => Promise<T>): Promise<T> => inTurn(() => journal.keepOrUndo(work));
  const scope = transactionScope(new AsyncLocalStorage<OpenTransaction>());

  const stores: BaseStores = {
    owners: memoryOwners(tables),
    apiKeys: memoryApiKeys(tables, now),
    instruments: memoryInstruments(tables),
    jobs: memoryJobs(tables, now),
  };
  const alone = {
    ...stores,
    clock: { now: async () => now(), lastSeen: async () => now() },
    takeDueJobs: async () => takeDueJobs(tables, now()),
    nextJobAt: async () => nextJobAt(tables),
    transaction: <T>(work: (own: BaseStores) => Promise<T>) => scope.inside(stores, work),
  };
  return scope.outside(aroundEachCall(alone, (_, call) => wholly(async () => call())));
}

function makeTables(journal: Journal): KeyTables & InstrumentTables & JobTables {
  const table = <Row extends object>() => new Table<string, Row>(journal);
  return { owners: table(), agents: table(), keys: table(), instruments: table(), jobs: table() };
}
