// Backup and restore as docs/operations.md tells them, on throwaway servers: `npm run restore-drill [-- --short]`.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { importPackagedData } from '../../adapters/market/packaged-data.ts';
import { postgresPrograms } from './restore-drill/postgres-programs.ts';
import { programRunner, serverFolder, type ThrowawayServer } from './restore-drill/throwaway-server.ts';
import { walkBoth } from './restore-drill/walks.ts';
import { openTally } from './stage/tally.ts';

/** Of each of the agents. */
const RECORDS = 60;
const FEW = 6;

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const tally = openTally('Restore');
const servers: ThrowawayServer[] = [];
const folder = mkdtempSync(join(tmpdir(), 'stancebook-restore-'));
// Root hands PostgreSQL to another user, who must reach it.
chmodSync(folder, 0o711);
process.on('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

try {
  const place = serverFolder(folder, 'servers');
  const run = programRunner(postgresPrograms(), place);
  console.log(run('postgres', '--version').trim());
  const bars = join(folder, 'bars');
  await importPackagedData(bars);
  const records = values.short ? FEW : RECORDS;
  const secret = randomBytes(32).toString('hex');
  await walkBoth({ run, place, folder, bars, secret, records, note, adopt });
} catch (error) {
  note(false, 'the drill came to its end', error instanceof Error ? error.message : String(error));
}
process.exit(tally.close() ? 0 : 1);

function note(held: boolean, what: string, why = ''): void {
  tally.check(what, held ? [] : [why || 'it does not hold']);
}

function adopt(server: ThrowawayServer): ThrowawayServer {
  const stop = () => {
    servers.splice(servers.indexOf(kept), 1);
    server.stop();
  };
  const kept = { ...server, stop };
  servers.push(kept);
  return kept;
}

function cleanUp(): void {
  for (const server of servers) server.stop();
  rmSync(folder, { recursive: true, force: true });
}
