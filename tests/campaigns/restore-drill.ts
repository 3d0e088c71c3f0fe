// Backup and restore as in docs/backup.md, on throwaway servers: `npm run restore-drill [-- --short]`.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { importPackagedData } from '../../adapters/market/files/packaged-data.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { walkErasure } from './restore-drill/erasure-walk.ts';
import { programRunner, serverFolder, type ThrowawayServer } from './restore-drill/throwaway-server.ts';
import { walkBoth } from './restore-drill/walks.ts';
import { requirePostgres } from './stage/debian.ts';
import { makeLogKey } from './stage/evidence-log.ts';
import { openTally } from './stage/tally.ts';

/** Records of each agent. */
const FULL = 60;
const SHORT = 6;
/** Records of the owner who is erased. */
const ERASED = { full: 1_000, short: 100 } as const;

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const tally = openTally('Restore');
const servers = new Set<ThrowawayServer>();
const folder = makeThrowawayFolder('restore');
process.on('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

try {
  const place = serverFolder(folder, 'servers');
  const run = programRunner(requirePostgres('pg_basebackup'), place);
  console.log(run('postgres', '--version').trim());
  const bars = join(folder, 'bars');
  await importPackagedData(bars);
  const records = values.short ? SHORT : FULL;
  const secret = randomBytes(32).toString('hex');
  const log = { key: makeLogKey(folder), machine: join(folder, 'machine') };
  const erased = values.short ? ERASED.short : ERASED.full;
  const drill = { run, place, folder, bars, secret, log, records, erased, tally, adopt };
  await walkBoth(drill);
  await walkErasure(drill);
} catch (error) {
  tally.holds('the drill ran to its end', false, error instanceof Error ? error.message : String(error));
}
process.exit(tally.close() ? 0 : 1);

function adopt(server: ThrowawayServer): ThrowawayServer {
  servers.add(server);
  return {
    ...server,
    stop() {
      servers.delete(server);
      server.stop();
    },
  };
}

function cleanUp(): void {
  for (const server of servers) server.stop();
  removeThrowawayFolder(folder);
}
