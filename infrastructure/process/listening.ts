import { createServer } from 'node:net';
import type { Config } from '../config/config.ts';
import { errorCode } from '../error-code.ts';
import { StartRefused } from '../start-refused.ts';

/** What an operator does about an address that this process may not use. */
export const LISTEN_ADVICE = 'Set PORT above 1023, or HOST to an address of this machine.';

/**
 * Asks the system for each port of the configuration before anything else starts, so that a service that could not
 * listen leaves no log lines, jobs or database behind.
 * @throws StartRefused where one is taken, or where this user may not listen
 */
export async function requireListening({ host, port, metricsPort, role }: Config['server']): Promise<void> {
  for (const each of [role === 'worker' ? null : port, metricsPort]) {
    const code = each === null ? null : await listenFault(host, each);
    if (code === 'EADDRINUSE') throw new StartRefused(portTaken(each));
    if (code !== null) throw new StartRefused(`This user cannot listen on ${host}:${each}: ${code}. ${LISTEN_ADVICE}`);
  }
}

export function portTaken(port: number | null | undefined): string {
  return `The port ${port} is taken. Stop what uses it, or set PORT or METRICS_PORT to another (0 takes any free one).`;
}

/** The code of the error of listening there for a moment; null if that works. Port 0 is any free one. */
export function listenFault(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(errorCode(error) ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
