// Starts one PostgreSQL for the whole run; its watchdog stops it when this process ends in any way.
import { join } from 'node:path';
import { TEST_SERVER_VARIABLE } from './database.ts';
import { PREPARED_DATA_VARIABLE } from './prepared-data.ts';
import { startTestServer } from './test-server.ts';

export default async function globalSetup() {
  const { server, folder, stop } = await startTestServer();
  process.env[TEST_SERVER_VARIABLE] = JSON.stringify(server);
  process.env[PREPARED_DATA_VARIABLE] = join(folder, 'prepared');
  globalThis.stopTestServer = stop;
}
