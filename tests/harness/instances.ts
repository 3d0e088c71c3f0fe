import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bcryptPasswords } from '../../adapters/identity/passwords.ts';
import { openPostgres, type PostgresStorage } from '../../adapters/postgres/storage.ts';
import type { Ports } from '../../application/ports.ts';
import { composePorts } from '../../infrastructure/compose/compose-ports.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { createLogger } from '../../infrastructure/logging/logger.ts';
import { NO_JOBS } from '../contracts/decisions/adapters.ts';
import { type OperatorStorage, operatorStorage } from '../contracts/operator-storage.ts';
import { freshDatabase } from './database.ts';
import { appOver, OUT_OF_THE_WAY } from './service.ts';

/** An instance of the service within this process, with its own pool and socket. */
export interface Instance {
  readonly url: string;
  readonly ports: Ports;
  /** As commands of operators open the storage. */
  readonly operators: OperatorStorage;
}

/** Instances that share one database of their own. */
export interface Instances {
  /** @param plant takes the place of ports, to show that a check sees what it should see */
  open(plant?: (storage: PostgresStorage) => Partial<Ports>): Promise<Instance>;
  close(): Promise<void>;
}

/** @param settings in addition to those that lift the limits */
export async function openInstances(settings: Readonly<Record<string, string>> = {}): Promise<Instances> {
  const database = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'stancebook-instances-'));
  const own = { DATA_DIR: folder, LOG_LAST_SEEN: join(folder, 'last-seen.json'), MARKET_DATA_NETWORK: 'false' };
  const config = readConfig({ ...own, ...OUT_OF_THE_WAY, ...settings });
  const log = createLogger({ level: 'silent', format: 'json' });
  const open = (url: string) => openPostgres({ url, poolSize: 5, openJobs: async () => NO_JOBS });
  const operators = operatorStorage(() => open(database.url));
  const closers: (() => Promise<unknown>)[] = [operators.close];
  return {
    async open(plant = () => ({})) {
      const storage = await open(database.serviceUrl);
      const composed = await composePorts({ ...storage, ...plant(storage) }, config, log);
      const ports = {
        ...composed,
        passwords: bcryptPasswords({ ...config.secrets, cost: 4, isBreached: composed.passwords.isBreached }),
      };
      const server = createServer(appOver(ports, config, log));
      // A busy machine may leave a connection idle for long; it must stay open for the next request.
      server.keepAliveTimeout = 0;
      await once(server.listen(0, '127.0.0.1'), 'listening');
      closers.push(async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await composed.workflowYaml.close();
        await storage.close();
      });
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ports, operators };
    },
    async close() {
      for (const close of closers) await close();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}
