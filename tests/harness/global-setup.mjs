// Starts one PostgreSQL for the whole run; its watchdog stops it when this process ends in any way.
import { TEST_SERVER_VARIABLE } from './database.ts';
import { startTestServer } from './test-server.ts';

export default async function globalSetup() {
  const { server, stop } = await startTestServer();
  process.env[TEST_SERVER_VARIABLE] = JSON.stringify(server);
  globalThis.stopTestServer = stop;
}
