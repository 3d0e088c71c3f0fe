import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluateDue } from '../../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../../application/market/verify-instruments.ts';
import { HOUR } from '../../../../domain/time.ts';
import { sweepBench } from '../../../application/grading/bench.ts';
import { madePrices } from '../../../builders/prices.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { adminEnvironment, runAdmin } from '../../../harness/admin-command.ts';

export interface GradedDatabase {
  readonly opened: OpenedDatabase;
  /** Of the records, in the order of their symbols. */
  readonly ids: readonly string[];
  /** Of a process that runs the command line. */
  readonly environment: Readonly<Record<string, string>>;
  admin(...args: readonly string[]): ReturnType<typeof runAdmin>;
  /** With more variables. */
  adminWith(more: NodeJS.ProcessEnv, ...args: readonly string[]): ReturnType<typeof runAdmin>;
  close(): Promise<void>;
}

/** A database in which a record of each symbol, BTC or ETH, was submitted and graded, with the operator's commands on it. */
export async function gradedDatabase(symbols: readonly string[]): Promise<GradedDatabase> {
  const opened = await onPostgres(4);
  const bench = await sweepBench(opened, madePrices('BTC', 'ETH'));
  const ids: string[] = [];
  for (const symbol of symbols) ids.push(await bench.submit({ symbol }));
  await verifyInstruments(bench.ports);
  await opened.arrange.advance(2 * HOUR);
  const { ended } = await evaluateDue(bench.ports);
  if (ended !== symbols.length) throw new Error(`${ended} of ${symbols.length} records were graded.`);
  const owner = { MIGRATION_DATABASE_URL: opened.url };
  // The last step: when one before it fails, nobody removes the folder.
  const dataDir = mkdtempSync(join(tmpdir(), 'stancebook-admin-'));
  return {
    opened,
    ids,
    environment: { ...adminEnvironment(opened.serviceUrl, dataDir), ...owner },
    admin: (...args) => runAdmin(opened.serviceUrl, dataDir, args, owner),
    adminWith: (more, ...args) => runAdmin(opened.serviceUrl, dataDir, args, { ...owner, ...more }),
    async close() {
      rmSync(dataDir, { recursive: true });
      await opened.close();
    },
  };
}
