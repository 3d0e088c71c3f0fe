// Checks the published OpenAPI document with linters, with clients that are generated from it, and with a proxy that
// compares every exchange with it: `npm run contract`.
// See docs/contract.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_TYPES } from '../../scripts/client-types/written-types.mjs';
import { type ServiceProcess, startService } from '../../scripts/demo/service-process.ts';
import { clientTypesOf } from '../../scripts/write-client-types.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { ORIGIN, PORT } from './contract/calls.ts';
import { compileClient, makeClient, plantMistake, runClient } from './contract/client.ts';
import { callAll, type DocumentedService, probeAll } from './contract/exchanges.ts';
import {
  compileGenerated,
  GENERATORS,
  installGenerators,
  prepareProject,
  useGenerated,
} from './contract/generators.ts';
import { judged, LINTERS } from './contract/linters.ts';
import { PLANTS } from './contract/plants.ts';
import { startProxy, type ValidatingProxy } from './contract/proxy.ts';
import { sendTo } from './contract/send.ts';
import { installTools } from './contract/tools.ts';
import { closeOnSignal } from './stage/interruption.ts';
import { openTally } from './stage/tally.ts';

/** Mistakes in the client: an unknown value, property and path, and a wrong type. */
const MISTAKES: readonly (readonly [right: string, wrong: string])[] = [
  ["direction: 'bullish'", "direction: 'upwards'"],
  ["tags: ['generated']", "tag: ['generated']"],
  ["'/api/v1/agent/wisdom'", "'/api/v1/agent/wisdoms'"],
  ['let wait: number', 'let wait: string'],
];

const tally = openTally('Contract');
const { check, holds } = tally;

installTools();
installGenerators();
const folder = makeThrowawayFolder('contract');
let starting: Promise<ServiceProcess> | undefined;
const proxies: Promise<ValidatingProxy>[] = [];
closeOnSignal(close);
try {
  mkdirSync(join(folder, 'data'));
  // Passkeys need the name of a host, whatever address the proxy sends requests to.
  starting = startService(join(folder, 'data'), PORT, { PUBLIC_URL: ORIGIN, ALLOWED_HOSTS: '127.0.0.1' });
  await starting;
  const url = `http://127.0.0.1:${PORT}`;
  const text = await (await fetch(`${url}/openapi.json`)).text();
  printSize(text);
  const isFresh = readFileSync(CLIENT_TYPES, 'utf8').endsWith(`\n${clientTypesOf(text)}`);
  holds("the TypeScript client's types are those of the document", isFresh, CLIENT_TYPES);
  const [proxied] = await Promise.all([startProxies(text, url), lintDocument(text)]);
  await Promise.all([findPlants(text), exchange(text, proxied)]);
  await useGenerators(text, url);
} finally {
  await close();
}
process.exitCode = tally.close() ? 0 : 1;

interface Proxies {
  readonly refusing: ValidatingProxy;
  readonly reporting: ValidatingProxy;
  /** Its document contradicts the service. */
  readonly planted: ValidatingProxy;
}

/** Prism in front of the service. */
async function startProxies(text: string, url: string): Promise<Proxies> {
  const planted = JSON.parse(text);
  planted.paths['/api/v1/nodes'].get.responses['200'].content['application/json'].schema = { required: ['never'] };
  // Prism starts anew, on another port, when its document is written again.
  const file = write('proxied.json', text);
  const [refusing, reporting, contradicting] = await Promise.all([
    openProxy(file, url, 'refused'),
    openProxy(file, url, 'reported'),
    openProxy(write('contradicting.json', JSON.stringify(planted)), url, 'refused'),
  ]);
  return { refusing, reporting, planted: contradicting };
}

async function openProxy(...place: Parameters<typeof startProxy>): Promise<ValidatingProxy> {
  const proxy = startProxy(...place);
  proxies.push(proxy);
  return proxy;
}

/** The client runs first: it expects that no other decision is stored. */
async function exchange(text: string, proxied: Proxies): Promise<void> {
  const refuses = await useClient(text, proxied.refusing.url);
  await Promise.all([refuses(), compareExchanges(JSON.parse(text), proxied, join(folder, 'data'))]);
}

async function compareExchanges(document: DocumentedService, open: Proxies, dataFolder: string): Promise<void> {
  const { calls, faults } = await callAll(document, open.refusing.url, dataFolder);
  check('prism finds no violation in valid calls of all operations', faults);
  const probed = await probeAll(document, open.reporting.url, calls);
  check(`prism finds no contradiction in ${probed.probes} calls at and beyond the bounds`, probed.faults);
  const { status } = await sendTo(open.planted.url)('GET /api/v1/nodes', {});
  holds('prism finds a reply that a planted document does not describe', status === 500, status);
}

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
    const { open, unused } = judged(name, await lint(file));
    for (const severity of ['error', 'warning'] as const) {
      const own = open.filter((finding) => finding.severity === severity);
      check(
        `${name} has no ${severity}`,
        own.map(({ rule, message, place }) => `${rule}: ${message} ${place.pointer}`),
      );
    }
    check(
      `each exception of ${name} covers a finding`,
      unused.map(({ rule, why }) => `${rule}: ${why}`),
    );
  }
}

/** Plants all mistakes of a linter at once: each breaks another rule. */
async function findPlants(text: string): Promise<void> {
  for (const { name, lint } of LINTERS) {
    const document = JSON.parse(text);
    const plants = PLANTS.filter(({ linter }) => linter === name);
    for (const { plant } of plants) plant(document);
    const { open } = judged(name, await lint(write('planted.json', JSON.stringify(document))));
    for (const { name: planted, rule } of plants) {
      const isFound = open.some((finding) => finding.rule === rule);
      check(`${name} finds ${planted}`, isFound ? [] : [`${rule} did not report it`]);
    }
  }
}

/** Compiles and runs the client. Returns the check that its types refuse mistakes. */
async function useClient(text: string, url: string): Promise<() => Promise<void>> {
  const project = join(folder, 'client');
  mkdirSync(project);
  const made = await makeClient(project, write('typed.json', text));
  check('types are generated from the document', made.status === 0 ? [] : [made.stderr]);
  const compiled = await compileClient(project);
  check('a client with these types compiles in strict mode', linesOf(compiled.stdout));
  const { status, stdout, stderr } = await runClient(project, url);
  for (const [, step = ''] of stdout.matchAll(/^held (.+)$/gm)) check(`the client did: ${step}`, []);
  check('the client ran to its end', status === 0 ? [] : linesOf(stderr));
  return () => refuseMistakes(project);
}

/** What other generators make of the document compiles, and accepts the decision of the README, as the service does. */
async function useGenerators(text: string, url: string): Promise<void> {
  const project = join(folder, 'generated');
  prepareProject(project);
  const document = write('generated.json', text);
  for (const { name, generate } of GENERATORS) {
    const { status, stdout, stderr } = await generate(project, document, url);
    check(`${name} generates a client`, status === 0 ? [] : linesOf(stdout + stderr).slice(-5));
  }
  check('what they generate compiles in strict mode', await compileGenerated(project));
  const account = { email: 'generators@example.com', password: 'four plain words, spaced' };
  const { body } = await sendTo(url)('POST /api/v1/public/auth/quick-setup', { body: account });
  const { api_key } = body as { readonly api_key: string };
  const { stdout, stderr } = await useGenerated(project, url, api_key);
  for (const { name } of GENERATORS) {
    const [, found = stderr] = new RegExp(`^BROKEN ${name}: ([^]*?)(?=\\n(?:held|BROKEN)|$)`, 'm').exec(stdout) ?? [];
    const held = new RegExp(`^held ${name}$`, 'm').test(stdout);
    check(
      `the client of ${name} accepts the decision of the README, and the service answers 201`,
      held ? [] : linesOf(found),
    );
  }
}

async function refuseMistakes(project: string): Promise<void> {
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

/** Stops the proxies and the service, then removes everything that was written. */
async function close(): Promise<void> {
  for (const proxy of proxies) await (await proxy.catch(() => undefined))?.stop();
  const service = await starting?.catch(() => undefined);
  await service?.stop();
  removeThrowawayFolder(folder);
}
