import { readYaml } from '../../../adapters/formats/yaml-text.ts';
import { WORKFLOW } from '../../../domain/limits.ts';
import type { Stage } from './stage.ts';

/** What a parser of YAML finds hard: 64 KiB of each. */
const HARD: readonly (readonly [name: string, text: string])[] = [
  ['commas in a list', filled(',', '[')],
  ['closing brackets', filled(']')],
  ['pairs in a list', filled('a:,', '[')],
  ['open maps', filled('{a: ')],
  ['open lists', filled('[')],
  ['lists in lists', filled('- ')],
  ['aliases', filled('*a ')],
  ['tags', filled('!a ')],
  ['documents', filled('---\n')],
  ['lists of maps', filled('- a:\n')],
];

const AT_ONCE = 8;
const ROUNDS = 5;

/** How long the service's thread was held up while several import what is hard to read, and what reading it takes. */
export async function benchImports({ service }: Stage): Promise<string> {
  const url = `http://127.0.0.1:${service.port}`;
  const cookie = await session(url);
  const send = () => HARD.map(([, text]) => statusOf(url, cookie, text));
  const easy = () => HARD.map(() => statusOf(url, cookie, 'schema_version: v0'));
  await Promise.all(send().slice(0, AT_ONCE));
  await heldUp(url);
  for (let round = 0; round < ROUNDS; round += 1) await Promise.all(easy());
  const calm = await heldUp(url);
  const tally = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const status of await Promise.all(send())) tally.set(status, (tally.get(status) ?? 0) + 1);
  }
  const lag = await heldUp(url);
  const answers = [...tally].map(([status, count]) => `${count} times ${status}`).join(', ');
  return [
    `${HARD.length} at once, ${ROUNDS} times over: answered ${answers}`,
    `the service's thread was held up for at most ${lag.toFixed(0)} ms, by as many small files for at most ${calm.toFixed(0)} ms`,
    ...HARD.map(([name, text]) => `  ${name.padEnd(18)} ${taken(text).toFixed(0).padStart(6)} ms to read`),
  ].join('\n');
}

function filled(unit: string, start = ''): string {
  return start + unit.repeat((WORKFLOW.importBytes - start.length) / unit.length);
}

async function session(url: string): Promise<string> {
  const body = JSON.stringify({ email: 'imports@example.org', password: 'four plain words, spaced' });
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  await fetch(`${url}/api/v1/public/auth/register`, request);
  const { headers } = await fetch(`${url}/api/v1/public/auth/login`, request);
  return headers.getSetCookie().join().replace(/;.*/, '');
}

async function statusOf(url: string, cookie: string, body: string): Promise<number> {
  const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/yaml' };
  const response = await fetch(`${url}/api/v1/owner/workflows/import`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** Milliseconds, the longest since this was last asked. */
async function heldUp(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1_000;
}

function taken(text: string): number {
  const begin = performance.now();
  readYaml(text);
  return performance.now() - begin;
}
