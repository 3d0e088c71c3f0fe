import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { instrumentKey } from '../../domain/market/instrument.ts';
import { SECOND } from '../../domain/time.ts';
import type { Config } from '../config/config.ts';
import { errorCode } from '../error-code.ts';
import { StartRefused } from '../start-refused.ts';
import { VERSION } from '../version.ts';

/** What an operator does about an address that this process may not use. */
export const LISTEN_ADVICE = 'Set PORT above 1023, or HOST to an address of this machine.';

/** The next steps for a person who has just started the service. */
export async function welcome(url: string, config: Config): Promise<string> {
  const { database, marketData } = config;
  const account = '{"email":"you@example.org","password":"a long pass phrase"}';
  const isEmbedded = database.url === null;
  const { marketLines } = await import('../served-markets.ts');
  const [first, ...others] = await marketLines(marketData);
  return [
    '',
    `Stancebook ${VERSION} is ready at ${url}`,
    `  Page       ${url}/`,
    `  Reference  ${url}/docs`,
    `  First key  curl -s ${url}/api/v1/public/auth/quick-setup -H 'content-type: application/json' -d '${account}'`,
    '  Next       README.md walks through a first decision and its grade.',
    ...((await hasFirstPrices(marketData.barsDir)) ? [] : [`             ${missingPrices(isEmbedded)}`]),
    `  Markets    ${first}`,
    ...others.map((line) => `             ${line}`),
    `  Log        ${evidenceLogLine(config)}`,
    ...(isEmbedded ? ['  Ctrl-C     stops it, its database included; the data stay in the data folder.'] : []),
    '',
  ].join('\n');
}

/** The instrument of the first decision in README.md. */
const FIRST = 'stock:MSFT:NASDAQ:spot:USD';

async function hasFirstPrices(barsDir: string): Promise<boolean> {
  const { instrumentsIn } = await import('../../adapters/market/files/bar-folder.ts');
  return (await instrumentsIn(barsDir)).some((instrument) => instrumentKey(instrument) === FIRST);
}

function missingPrices(isEmbedded: boolean): string {
  return isEmbedded
    ? 'Its prices are not installed: npm start installs them.'
    : 'Its prices are not loaded: npm run admin -- load-packaged loads them.';
}

/** The steps of a start with the embedded database, in their order. */
type StartStep = 'database' | 'prices' | 'service';

/**
 * Prints each step of a start as it begins, with the seconds since the process began. With DATABASE_URL nothing is
 * printed: there the log says what happens.
 */
export function startSteps({ database, dataDir }: Config): (step: StartStep) => void {
  if (database.url !== null) return () => undefined;
  const isMade = existsSync(join(dataDir, 'postgres', 'data'));
  const texts: Readonly<Record<StartStep, string>> = {
    database: isMade
      ? `Starting PostgreSQL; its data are in ${dataDir}`
      : `Making a PostgreSQL database in ${dataDir} (once)`,
    prices: 'PostgreSQL runs. Loading the price history of the examples, where it is not there yet',
    service: 'Starting the service',
  };
  return (step) => console.error(`${(performance.now() / 1000).toFixed(1).padStart(5)} s  ${texts[step]}...`);
}

/** Whether this process keeps the evidence log, and if not, why; for the lines of a start. */
export function evidenceLogLine({ evidenceLog, server }: Pick<Config, 'evidenceLog' | 'server'>): string {
  if (evidenceLog) {
    const { interval, lastSeen } = evidenceLog;
    return `kept, a signed batch every ${interval / SECOND} s; the newest tree is noted in ${lastSeen}`;
  }
  if (server.role === 'api') return 'kept by the processes with ROLE=worker, if they have LOG_KEY_FILE';
  return 'off, because DATABASE_URL is set and LOG_KEY_FILE is not: there are no receipts (docs/log-operation.md)';
}

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
