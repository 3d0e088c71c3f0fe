import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Where a demo keeps the port of its service, so that links to it work again after the next start. */
const fileOf = (folder: string) => join(folder, 'port');

/**
 * The port for the service of a demo: the chosen one, else that of its last run if nothing listens there now, else 0 for
 * any free one.
 * @param chosen on the command line or by PORT
 */
export async function portFor(folder: string, chosen: string | undefined): Promise<number> {
  if (chosen !== undefined) return Number(chosen);
  const last = existsSync(fileOf(folder)) ? Number(readFileSync(fileOf(folder), 'utf8')) : 0;
  return Number.isInteger(last) && last > 0 && last <= 65_535 && (await isFree(last)) ? last : 0;
}

/** @param url at which the service listens */
export function keepPort(folder: string, url: string): void {
  writeFileSync(fileOf(folder), new URL(url).port, { mode: 0o600 });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1' }, () => probe.close(() => resolve(true)));
  });
}
