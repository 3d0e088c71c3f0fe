// Holds the OpenAPI document that the service publishes against linters, and against a client that is generated from it:
// `npm run contract`. See docs/contract.md.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, startService } from '../../scripts/demo/service-process.ts';
import { compileClient, makeClient, plantMistake, runClient } from './contract/client.ts';
import { LINTERS } from './contract/linters.ts';
import { PLANTS } from './contract/plants.ts';
import { installTools } from './contract/tools.ts';
import { openTally } from './stage/tally.ts';

/** A word, a member and a path that do not exist, and a type that is not that of the member. */
const MISTAKES: readonly (readonly [right: string, wrong: string])[] = [
  ["direction: 'bullish'", "direction: 'upwards'"],
  ["tags: ['generated']", "tag: ['generated']"],
  ["'/api/v1/agent/wisdom'", "'/api/v1/agent/wisdoms'"],
  ['const wait: number', 'const wait: string'],
];

const tally = openTally('Contract');
const { check } = tally;

installTools();
const folder = mkdtempSync(join(tmpdir(), 'stancebook-contract-'));
// Root hands PostgreSQL to another user, who must reach it.
chmodSync(folder, 0o711);
let starting: Promise<ServiceProcess> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void close().finally(() => process.exit(130)));
}
try {
  mkdirSync(join(folder, 'data'));
  starting = startService(join(folder, 'data'), 0);
  const { url } = await starting;
  const text = await (await fetch(`${url}/openapi.json`)).text();
  tell(text);
  await lintDocument(text);
  await findPlants(text);
  await useClient(text, url);
} finally {
  await close();
}
process.exitCode = tally.close() ? 0 : 1;

function tell(text: string): void {
  const { paths, components } = JSON.parse(text) as Readonly<Record<string, Readonly<Record<string, object>>>>;
  const operations = Object.values(paths ?? {}).flatMap((methods) => Object.keys(methods)).length;
  const schemas = Object.keys(components?.schemas ?? {}).length;
  console.log(
    `The document: ${operations} operations, ${schemas} named schemas, ${Math.round(text.length / 1024)} KiB.`,
  );
}

async function lintDocument(text: string): Promise<void> {
  const file = write('openapi.json', text);
  for (const { name, lint } of LINTERS) {
    const findings = await lint(file);
    for (const severity of ['error', 'warning'] as const) {
      const own = findings.filter((finding) => finding.severity === severity);
      check(
        `${name} has no ${severity}`,
        own.map(({ rule, message }) => `${rule}: ${message}`),
      );
    }
  }
}

/** All plants of a linter at once: each breaks a rule of its own. */
async function findPlants(text: string): Promise<void> {
  for (const { name, lint } of LINTERS) {
    const document = JSON.parse(text);
    const plants = PLANTS.filter(({ linter }) => linter === name);
    for (const { plant } of plants) plant(document);
    const findings = await lint(write('planted.json', JSON.stringify(document)));
    for (const { name: planted, rule } of plants) {
      const isFound = findings.some((finding) => finding.rule === rule);
      check(`${name} finds ${planted}`, isFound ? [] : [`${rule} says nothing of it`]);
    }
  }
}

async function useClient(text: string, url: string): Promise<void> {
  const project = join(folder, 'client');
  mkdirSync(project);
  const made = await makeClient(project, write('openapi.json', text));
  check('types can be made of the document', made.status === 0 ? [] : [made.stderr]);
  const compiled = await compileClient(project);
  check('a client of these types compiles under strict', linesOf(compiled.stdout));
  const { status, stdout, stderr } = await runClient(project, url);
  for (const [, step = ''] of stdout.matchAll(/^held (.+)$/gm)) check(`the client has done: ${step}`, []);
  check('the client came to its end', status === 0 ? [] : linesOf(stderr));
  const files = MISTAKES.map(([right, wrong]) => plantMistake(project, right, wrong));
  const refused = await compileClient(project, files);
  for (const [index, [, wrong]] of MISTAKES.entries()) {
    const isFound = linesOf(refused.stdout).some((line) => line.startsWith(files[index] ?? ''));
    check(`the types refuse ${wrong}`, isFound ? [] : ['it compiles']);
  }
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** Ends the service, then removes all that was written. */
async function close(): Promise<void> {
  const service = await starting?.catch(() => undefined);
  await service?.stop();
  const cluster = join(folder, 'data', 'postgres');
  // It is a link where the user of the database could not reach the folder.
  if (existsSync(cluster)) rmSync(realpathSync(cluster), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}
