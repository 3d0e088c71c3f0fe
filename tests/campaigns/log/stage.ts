import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../../../adapters/postgres/migrations/migrate.ts';
import { SERVICE_ROLE } from '../../../infrastructure/embedded-postgres/roles.ts';
import { SERVICE, startChild } from '../../../scripts/child-process.ts';
import { addCallers, type Caller } from '../stage/callers.ts';
import { onClient } from '../stage/client.ts';
import { limitVariables, serviceEnvironment, UNREACHED_LIMITS } from '../stage/environment.ts';
import { evidenceLogEnvironment, type LogKeyFile, makeLogKey } from '../stage/evidence-log.ts';
import { writePrices } from '../stage/prices.ts';
import { type Adopt, startService } from '../stage/server-process.ts';
import { onThrowawayDatabase, type ThrowawayDatabase } from '../stage/throwaway-database.ts';

/** A database with callers and prices, and a key of the evidence log. */
export interface LogStage extends ThrowawayDatabase {
  readonly key: LogKeyFile;
  readonly callers: readonly Caller[];
  /** Starts a process that answers requests, with `all` also one that keeps the log. Returns its URL. */
  startApi(role: 'api' | 'all'): Promise<string>;
  /** Starts a process that runs jobs and, unless it has no key, keeps the log, as on a machine of its own. */
  startWorker(name: string, hasKey?: boolean): Worker;
  /** @param name of the machine, which notes what it saw */
  workerEnvironment(name: string): Readonly<Record<string, string>>;
}

export interface Worker {
  readonly name: string;
  /** Ends it by SIGKILL, and waits until it has ended. */
  kill(): Promise<void>;
}

const OWNERS = 8;

/** Runs work on a stage of its own, which is removed when the work ends. */
export function onLogStage<T>(work: (stage: LogStage) => Promise<T>): Promise<T> {
  return onThrowawayDatabase(async (throwaway) => {
    const { folder, database, adopt } = throwaway;
    await migrate({ url: database.url, serviceRole: SERVICE_ROLE });
    const callers = await onClient(database.url, (client) => addCallers(client, OWNERS, OWNERS));
    const bars = join(folder, 'bars');
    writePrices(bars, new Date());
    const key = makeLogKey(folder);
    const shared = {
      ...serviceEnvironment(database),
      ...limitVariables(UNREACHED_LIMITS),
      MARKET_DATA_BARS_DIR: bars,
      CIRCUIT_MONITOR: 'false',
      LOG_TILES_PER_MINUTE: '1000000',
    };
    const workerEnvironment = (name: string) => ({
      ...shared,
      ...evidenceLogEnvironment(key, join(folder, name)),
      DATA_DIR: join(folder, name),
    });
    return work({
      ...throwaway,
      key,
      callers,
      workerEnvironment,
      startApi: async (ROLE) => {
        const own = ROLE === 'all' ? workerEnvironment(ROLE) : { ...shared, DATA_DIR: join(folder, ROLE) };
        return (await startService({ ...own, ROLE }, adopt)).url;
      },
      startWorker: (name, hasKey = true) =>
        startWorker(name, hasKey ? workerEnvironment(name) : { ...shared, DATA_DIR: join(folder, name) }, adopt),
    });
  });
}

function startWorker(name: string, own: Readonly<Record<string, string>>, adopt: Adopt): Worker {
  const child = startChild(SERVICE, { environment: { ...own, NODE_ENV: 'production', ROLE: 'worker' } });
  adopt(child);
  for (const output of [child.stdout, child.stderr]) output?.resume();
  return {
    name,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Waits until something is there. @throws Error after two minutes, with what was expected */
export async function until<T>(expected: string, look: () => Promise<T | null>, patience = 120_000): Promise<T> {
  for (const end = Date.now() + patience; Date.now() < end; await sleep(100)) {
    const found = await look();
    if (found !== null) return found;
  }
  throw new Error(`After ${patience / 1_000} s there was still not: ${expected}.`);
}
