import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildInCheckout } from '../../../scripts/build.ts';
import { serviceEnvironment } from '../stage/environment.ts';
import { memoryOf } from '../stage/memory.ts';
import { startServer, stopServer } from '../stage/server-process.ts';
import type { ThrowawayDatabase } from '../stage/throwaway-database.ts';
import type { AimName, NoteRatio } from './aims.ts';
import { median } from './measured.ts';
import { directusOn } from './rivals/directus.ts';
import { parseServerOn } from './rivals/parse-server.ts';
import type { Restarted } from './rivals/rival.ts';

/**
 * What a process costs that nobody calls: the build of the service next to others, on the same PostgreSQL, which runs; as
 * lines.
 * @param idle seconds after which the memory is read
 */
export async function benchFootprint(
  throwaway: ThrowawayDatabase,
  { starts, idle }: { readonly starts: number; readonly idle: number },
  note: NoteRatio,
): Promise<string> {
  const subjects = [await builtService(throwaway), await parseServerOn(throwaway), await directusOn(throwaway)];
  const found: (Footprint & { readonly name: string })[] = [];
  for (const subject of subjects) found.push({ name: subject.name, ...(await footprintOf(subject, starts, idle)) });
  const [service] = found;
  for (const { name, seconds, memory } of found.slice(1)) {
    const [rival] = name.split(/ (?=\d)/);
    note(`seconds of a later start / ${rival}` as AimName, (service?.seconds ?? Number.NaN) / seconds);
    note(`idle memory / ${rival}` as AimName, (service?.memory ?? Number.NaN) / memory);
  }
  const width = Math.max(...found.map(({ name }) => name.length));
  const lines = found.map(
    ({ name, seconds, memory }) =>
      `${name.padEnd(width)} ${seconds.toFixed(2).padStart(12)} ${memory.toFixed(0).padStart(19)}`,
  );
  return [`${''.padEnd(width)}  later start s  MiB after ${idle} s idle`, ...lines].join('\n');
}

interface Footprint {
  readonly seconds: number;
  /** In MiB. */
  readonly memory: number;
}

/** The first start makes tables, and its code is compiled then: it does not count. */
async function footprintOf({ start }: Restarted, starts: number, idle: number): Promise<Footprint> {
  const seconds: number[] = [];
  let memory = Number.NaN;
  for (let n = 0; n <= starts; n += 1) {
    const begun = performance.now();
    const { child, pid } = await start();
    if (n > 0) seconds.push((performance.now() - begun) / 1_000);
    if (n === starts) {
      await sleep(idle * 1_000);
      memory = memoryOf(pid) ?? Number.NaN;
    }
    await stopServer(child);
  }
  return { seconds: median(seconds), memory };
}

async function builtService({ folder, database, adopt }: ThrowawayDatabase): Promise<Restarted> {
  const program = join(await buildInCheckout('node_modules/.cache/built-footprint'), 'stancebook.mjs');
  const data = { DATA_DIR: join(folder, 'service'), MIGRATION_DATABASE_URL: database.url };
  const environment = { NODE_ENV: 'production', ...serviceEnvironment(database), ...data };
  const options = { environment, args: ['start', '--no-open'] };
  return { name: 'service', start: () => startServer(program, options, adopt) };
}
