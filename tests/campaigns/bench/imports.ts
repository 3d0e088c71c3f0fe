import { readYaml } from '../../../adapters/formats/yaml-text.ts';
import { WORKFLOW } from '../../../domain/limits.ts';
import type { Stage } from './stage.ts';

/** Texts of 64 KiB that are slow to parse as YAML. */
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

/** How long the service's thread was blocked while clients import such texts, and the time to parse each; as lines. */
export async function benchImports({ service }: Stage): Promise<string> {
  const url = `http://127.0.0.1:${service.port}`;
  const cookies: string[] = [];
  for (const index of HARD.keys()) cookies.push(await session(url, index));
  const sendEach = (text: (index: number) => string) =>
    cookies.map((cookie, index) => statusOf(url, cookie, text(index)));
  const send = () => sendEach((index) => HARD[index]?.[1] ?? '');
  const easy = () => sendEach(() => 'schema_version: v0');
  await Promise.all(send().slice(0, AT_ONCE));
  await longestBlock(url);
  for (let round = 0; round < ROUNDS; round += 1) await Promise.all(easy());
  const calm = await longestBlock(url);
  const statuses = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const status of await Promise.all(send())) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const lag = await longestBlock(url);
  const answers = [...statuses].map(([status, count]) => `${count} times ${status}`).join(', ');
  return [
    `${HARD.length} at once, ${ROUNDS} times over: answered ${answers}`,
    `the service's thread was blocked for at most ${lag.toFixed(0)} ms, and by as many small files for at most ${calm.toFixed(0)} ms`,
    ...HARD.map(([name, text]) => `  ${name.padEnd(18)} ${parseTime(text).toFixed(0).padStart(6)} ms to parse`),
  ].join('\n');
}

function filled(unit: string, start = ''): string {
  return start + unit.repeat((WORKFLOW.importBytes - start.length) / unit.length);
}

/** One owner has one import at a time. */
async function session(url: string, index: number): Promise<string> {
  const body = JSON.stringify({ email: `imports${index}@example.org`, password: 'four plain words, spaced' });
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

/** The longest block of the thread since the last call, in milliseconds. */
async function longestBlock(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1_000;
}

function parseTime(text: string): number {
  const begin = performance.now();
  readYaml(text);
  return performance.now() - begin;
}
