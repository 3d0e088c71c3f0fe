// Installs the package of `npm run pack` by npm as a user would, and uses it with an empty home until a receipt of a decision is
// verified; then compares an idle service of the package with one of the checkout: `npm run package [-- --short]`.
// It needs the npm registry, or npm's cache. See docs/testing.md.
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf, exitOf, SERVICE, startChild } from '../../scripts/child-process.ts';
import { packInto } from '../../scripts/pack.ts';
import { programOutput } from '../harness/program-output.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { closeOnSignal } from './stage/interruption.ts';
import { memoryOf } from './stage/memory.ts';
import { stopServer } from './stage/server-process.ts';
import { openTally } from './stage/tally.ts';

/** Seconds that an idle service rests before its memory is read. */
const IDLE = process.argv.includes('--short') ? 5 : 60;

/** That of the README. */
const DECISION = {
  ...{ market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' },
  ...{ direction: 'bullish', horizon_kind: 'trading_days', horizon_value: 5 },
  ...{ data_cutoff: '2003-02-13T14:00:00Z', key_factors: ['Stock split announced'] },
};

type Variables = Readonly<Record<string, string>>;

const tally = openTally('Package');
const { holds } = tally;
const folder = makeThrowawayFolder('package');
const project = join(folder, 'project');
const home = join(folder, 'home');
const dataDir = join(home, '.local/share/stancebook');
const ofUser = { HOME: home };
const quiet = { MARKET_DATA_NETWORK: 'false', CIRCUIT_MONITOR: 'false', LOG_INTERVAL_SECONDS: '1', PORT: '0' };
let running: ChildProcess | undefined;
closeOnSignal(close);
try {
  const program = await install();
  await walk(program);
  await compare(program);
} catch (error) {
  holds('the package is installed and used', false, error instanceof Error ? error.message : String(error));
} finally {
  await close();
}
process.exitCode = tally.close() ? 0 : 1;

async function close(): Promise<void> {
  if (running) await stopServer(running);
  removeThrowawayFolder(folder, dataDir);
}

/** Makes the package and installs it with what it needs; returns its program. */
async function install(): Promise<string> {
  for (const each of [project, home]) mkdirSync(each);
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  const file = await packInto(folder);
  const begun = performance.now();
  await ended('npm', ['install', '--no-audit', '--no-fund', file], process.env);
  console.log(`${basename(file)} is installed in ${since(begun)}`);
  return join(project, 'node_modules/stancebook/dist/stancebook.mjs');
}

/** From the first start to a receipt that is verified, by the verbs of the program. */
async function walk(program: string): Promise<void> {
  const begun = performance.now();
  const service = await start(program, ['start', '--no-open'], { ...ofUser, ...quiet });
  console.log(`the first start answers after ${since(begun)}`);
  const env = { ...ofUser, STANCEBOOK_URL: service.url, STANCEBOOK_API_KEY: await keyOf(service.url) };
  const as = (...args: readonly string[]) => ended(process.execPath, [program, ...args], env);
  writeFileSync(join(project, 'decision.json'), JSON.stringify(DECISION));
  const { record_id } = JSON.parse(await as('submit', 'decision.json'));
  const { outcome } = JSON.parse(await as('watch', record_id));
  holds('the decision is graded', outcome?.result_bucket === 'strong_correct', outcome);
  writeFileSync(join(project, 'receipt'), await as('receipt', record_id, '--wait'));
  writeFileSync(join(project, 'policy'), await (await fetch(`${service.url}/log/policy`)).text());
  const verified = await as('verify', 'receipt', '--policy', 'policy');
  holds(`its receipt is verified ${since(begun)} after the first start`, /holds +inclusion/.test(verified), verified);
  holds('the list has it', (await as('list')).includes(record_id));
  const status = await service.stop();
  holds('Ctrl-C stops it in order', status === 0, status);
}

/** Starts the package and the checkout on the same data, one after the other. */
async function compare(program: string): Promise<void> {
  const variables = { ...ofUser, ...quiet, DATA_DIR: dataDir };
  const ofPackage = await idle('package', program, ['start', '--no-open'], variables);
  const ofCheckout = await idle('checkout', SERVICE, [], variables);
  if (ofPackage === null || ofCheckout === null) return;
  holds('an idle service of the package uses less memory', ofPackage < ofCheckout, { ofPackage, ofCheckout });
}

/** Prints how long a start took, and what the idle process takes, which it returns. */
async function idle(name: string, program: string, args: readonly string[], env: Variables): Promise<number | null> {
  await (await start(program, args, env)).stop();
  const begun = performance.now();
  const { pid, stop } = await start(program, args, env);
  const ready = since(begun);
  await sleep(IDLE * 1_000);
  const memory = memoryOf(pid);
  console.log(`${name}: the second start answers after ${ready}; ${memory?.toFixed(0) ?? '?'} MiB after ${IDLE} s`);
  await stop();
  return memory;
}

async function start(program: string, args: readonly string[], environment: Variables) {
  const child = startChild(program, { args, folder: project, environment });
  running = child;
  const gone = exitOf(child);
  const { url } = await addressOf(child);
  const stop = () => {
    child.kill('SIGINT');
    return gone;
  };
  return { url, pid: child.pid ?? 0, stop };
}

async function keyOf(url: string): Promise<string> {
  const body = JSON.stringify({ email: 'you@example.org', password: 'a long pass phrase' });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}/api/v1/public/auth/quick-setup`, { method: 'POST', headers, body });
  return ((await reply.json()) as { readonly api_key: string }).api_key;
}

function ended(program: string, args: readonly string[], own: NodeJS.ProcessEnv): Promise<string> {
  return programOutput(program, args, { cwd: project, env: { PATH: process.env.PATH, ...own } });
}

function since(begun: number): string {
  return `${((performance.now() - begun) / 1_000).toFixed(2)} s`;
}
