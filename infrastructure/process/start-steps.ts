import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';

/** The steps of a start with the embedded database, in their order. */
export type StartStep = 'database' | 'prices' | 'service';

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
