// Starts one PostgreSQL for the whole run; its watchdog stops it when this process ends in any way.
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { TEST_SERVER_VARIABLE } from './database.ts';
import { PREPARED_DATA_VARIABLE } from './prepared-data.ts';
import { startTestServer } from './test-server.ts';

export default async function globalSetup() {
  const [{ server, folder, stop }] = await Promise.all([startTestServer(), compileService()]);
  process.env[TEST_SERVER_VARIABLE] = JSON.stringify(server);
  process.env[PREPARED_DATA_VARIABLE] = join(folder, 'prepared');
  // Python compiles a module once for a run, beyond the sources.
  process.env.PYTHONPYCACHEPREFIX = join(folder, 'python');
  globalThis.stopTestServer = stop;
}

/**
 * Compiles the service once, while PostgreSQL starts. Node.js stores what it has compiled when a process ends: else all
 * workers of a fresh clone, and the first services that they start, would each compile it. Suites report what does not
 * load.
 */
async function compileService() {
  await Promise.all([import('./service.ts'), import('../../infrastructure/service.ts')]).catch(() => undefined);
  flushCompileCache();
}
