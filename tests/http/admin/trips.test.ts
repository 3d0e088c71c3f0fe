import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { bcryptPasswords } from '../../../adapters/identity/passwords.ts';
import { openPostgres, type PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { changeRole } from '../../../application/accounts/change-role.ts';
import type { Ports } from '../../../application/ports.ts';
import { composeApp, composePorts } from '../../../infrastructure/compose.ts';
import { readConfig } from '../../../infrastructure/config.ts';
import { createLogger } from '../../../infrastructure/logger.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { NO_JOBS } from '../../contracts/decisions/adapters.ts';
import { freshDatabase, type TestDatabase } from '../../harness/database.ts';
import { OUT_OF_THE_WAY } from '../../harness/service.ts';
import { OWN_PAGE } from '../../harness/sessions.ts';
import { tripUnderLoad } from '../../harness/trips.ts';
import { call, newCaller, PASSWORD } from '../../whole/calls.ts';

/** `TRIPS=500 npm run jest -- tests/http/admin/trips` for a long one. */
const TRIPS = Number(process.env.TRIPS ?? 12);
jest.setTimeout(30_000 + TRIPS * 1_000);

let database: TestDatabase;
let folder: string;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'stancebook-trips-'));
});
afterAll(async () => {
  for (const close of closers) await close();
  await database.drop();
  await rm(folder, { recursive: true });
});

interface Instance {
  readonly url: string;
  readonly ports: Ports;
}

/** One process of the service, but for the process: its own pool, its own socket, the one database. */
async function anInstance(plant: (storage: PostgresStorage) => Partial<Ports> = () => ({})): Promise<Instance> {
  const storage = await openPostgres({ url: database.serviceUrl, poolSize: 5, openJobs: async () => NO_JOBS });
  const unhurried = { ...OUT_OF_THE_WAY, LIMIT_COOLDOWN_SECONDS: '0', LIMIT_SUBMITS_PER_HOUR: '1000000' };
  const config = readConfig({ DATA_DIR: folder, MARKET_DATA_NETWORK: 'false', ...unhurried });
  const log = createLogger({ level: 'silent', format: 'json' });
  const composed = await composePorts({ ...storage, ...plant(storage) }, config, log);
  const ports = { ...composed, passwords: bcryptPasswords({ pepper: config.secrets.pepper, cost: 4 }) };
  const server = createServer(composeApp(ports, config, log, async () => ({ service: true })));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await storage.close();
  });
  return { ports, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Somebody who submits and, logged in, may trip. */
async function anOperator({ url, ports }: Instance, name: string) {
  const { owner_id, email, api_key: key } = await newCaller({ url }, name);
  await changeRole(ports, owner_id, 'admin', 'command line');
  const login = await call({ url }, '/api/v1/public/auth/login', { body: { email, password: PASSWORD } });
  return { key, headers: { cookie: (login.headers.get('set-cookie') ?? '').replace(/;.*/, ''), ...OWN_PAGE } };
}

async function campaign(instances: readonly [Instance, ...Instance[]], name: string, trips: number) {
  const operator = await anOperator(instances[0], name);
  const body = aSubmission(new Date(), { venue: 'BINANCE', quote_currency: 'USDT' });
  const urls = instances.map(({ url }) => url);
  return tripUnderLoad({ ...operator, urls, body, trips, circuits: instances[0].ports.circuits });
}

describe('trips on two instances over one database, while agents submit', () => {
  test('no submission that is sent after the reply to a trip lands in the open cohort, on either', async () => {
    const { open, late, escaped } = await campaign([await anInstance(), await anInstance()], 'ada', TRIPS);
    expect(escaped).toBe(0);
    expect(late).toBeGreaterThanOrEqual(TRIPS * 4);
    expect(open).toBeGreaterThanOrEqual(TRIPS);
  });

  test('an instance that remembers circuits for a moment is caught', async () => {
    const { escaped } = await campaign([await anInstance(), await anInstance(remembering)], 'bob', 6);
    expect(escaped).toBeGreaterThan(0);
  });
});

/** The planted fault: a circuit that was normal is taken for normal for 100 ms. */
function remembering({ circuits, intake }: PostgresStorage): Partial<Ports> {
  let normalUntil = 0;
  return {
    intake: {
      ...intake,
      async submit(draft) {
        if (Date.now() < normalUntil) return intake.submit({ ...draft, coin: null });
        const [tether] = await circuits.all();
        if (tether?.state === 'normal') normalUntil = Date.now() + 100;
        return intake.submit(draft);
      },
    },
  };
}
