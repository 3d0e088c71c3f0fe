// Checks the published OpenAPI document with linters and with a client that is generated from it: `npm run contract`.
// See docs/contract.md.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceProcess, startService } from '../../scripts/demo/service-process.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { compileClient, makeClient, plantMistake, runClient } from './contract/client.ts';
import { LINTERS } from './contract/linters.ts';
import { PLANTS } from './contract/plants.ts';
import { installTools } from './contract/tools.ts';
import { closeOnSignal } from './stage/interruption.ts';
import { openTally } from './stage/tally.ts';

/** Mistakes in the client: an unknown value, property and path, and a wrong type. */
const MISTAKES: readonly (readonly [right: string, wrong: string])[] = [
  ["direction: 'bullish'", "direction: 'upwards'"],
  ["tags: ['generated']", "tag: ['generated']"],
  ["'/api/v1/agent/wisdom'", "'/api/v1/agent/wisdoms'"],
  ['const wait: number', 'const wait: string'],
];

const tally = openTally('Contract');
const { check } = tally;

installTools();
const folder = makeThrowawayFolder('contract');
let starting: Promise<ServiceProcess> | undefined;
closeOnSignal(close);
try {
  mkdirSync(join(folder, 'data'));
  starting = startService(join(folder, 'data'), 0);
  const { url } = await starting;
  const text = await (await fetch(`${url}/openapi.json`)).text();
  printSize(text);
  await lintDocument(text);
  await findPlants(text);
  await useClient(text, url);
} finally {
  await close();
}
process.exitCode = tally.close() ? 0 : 1;

function printSize(text: string): void {
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

/** Plants all mistakes of a linter at once: each breaks another rule. */
async function findPlants(text: string): Promise<void> {
  for (const { name, lint } of LINTERS) {
    const document = JSON.parse(text);
    const plants = PLANTS.filter(({ linter }) => linter === name);
    for (const { plant } of plants) plant(document);
    const findings = await lint(write('planted.json', JSON.stringify(document)));
    for (const { name: planted, rule } of plants) {
      const isFound = findings.some((finding) => finding.rule === rule);
      check(`${name} finds ${planted}`, isFound ? [] : [`${rule} did not report it`]);
    }
  }
}

async function useClient(text: string, url: string): Promise<void> {
  const project = join(folder, 'client');
  mkdirSync(project);
  const made = await makeClient(project, write('openapi.json', text));
  check('types are generated from the document', made.status === 0 ? [] : [made.stderr]);
  const compiled = await compileClient(project);
  check('a client with these types compiles in strict mode', linesOf(compiled.stdout));
  const { status, stdout, stderr } = await runClient(project, url);
  for (const [, step = ''] of stdout.matchAll(/^held (.+)$/gm)) check(`the client did: ${step}`, []);
  check('the client ran to its end', status === 0 ? [] : linesOf(stderr));
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

/** Stops the service, then removes everything that was written. */
async function close(): Promise<void> {
  const service = await starting?.catch(() => undefined);
  await service?.stop();
  removeThrowawayFolder(folder);
}
