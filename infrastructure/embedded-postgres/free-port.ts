import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems assign to outgoing connections and to servers without a fixed port. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 100;

/**
 * A TCP port of 127.0.0.1 that is free now. Another process may take it before the caller does, but only if it requests
 * exactly this port. Outgoing connections never get it, so a server can use it again after a restart.
 *
 * @throws Error when a hundred random ports between 20,000 and 32,000 are taken
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${TRIES} random TCP ports from ${LOWEST} to ${HIGHEST} is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
