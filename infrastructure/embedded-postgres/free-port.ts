import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections and to servers that take any. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 100;

/**
 * A TCP port of 127.0.0.1 that nobody listens on now. Somebody may take it before the caller does, but only one who asks for
 * that very port: no connection that goes out gets it, so that a server can also come back to it after a restart.
 *
 * @throws Error where a hundred ports of those between 20,000 and 32,000 are taken
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
  throw new Error(`Of ${TRIES} TCP ports from ${LOWEST} to ${HIGHEST} none is free.`);
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
