import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CONTRACT_LIMITS } from '../../domain/limits.ts';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { makeFolder, type RunningService, removeFolder, startService, stopService } from './service.ts';

// A client that knows nothing but /llms.txt: this file contains no path, header or member of the interface.

// The machine may be busy with other tests.

let folder: string;
let service: RunningService;

beforeAll(async () => {
  folder = makeFolder();
  // The client obeys the limits in the guide, so the contract's apply.
  const checks = { LIMIT_CHECK_PER_DECISION: String(CONTRACT_LIMITS.checkPerDecision) };
  service = await startService(await copyPreparedData(join(folder, 'data')), { env: checks });
});

afterAll(async () => {
  await stopService(service);
  removeFolder(folder);
});

test('a client that reads only /llms.txt creates an account, gets a record graded and queries a cohort', async () => {
  const guide = await (await fetch(`${service.url}/llms.txt`)).text();
  const [setUp, submit, ask, wisdom, ...others] = requestsIn(guide);
  expect(others).toEqual([]);
  const known: Json = {};
  for (const request of [setUp, submit]) Object.assign(known, (await send(request, known)).body);

  const { waiting, member, value } = pollingIn(guide);
  await pause(known[waiting]);
  let state = await send(ask, known);
  for (const end = Date.now() + 90_000; state.body[member] !== value && Date.now() < end; ) {
    await pause(known[waiting]);
    state = await send(ask, known);
  }
  expect(state.body[member]).toBe(value);
  const { outcome, grade, grades } = gradingIn(guide);
  expect(grades).toHaveLength(4);
  expect(grades).toContain((state.body[outcome] as Json)[grade]);

  const cohort = await send(wisdom, known);
  expect(Object.keys(cohort.body)).toEqual(expect.arrayContaining(membersAfter(wisdom?.place, guide)));
});

test('the guide describes refusals correctly', async () => {
  const guide = await (await fetch(`${service.url}/llms.txt`)).text();
  const [, submit] = requestsIn(guide);
  const [outer = '', members = ''] = [...(/`\{ "(\w+)": \{ ([^}]+) \} \}`/.exec(guide) ?? [])].slice(1);
  const { status, body } = await send({ ...submit, headers: {} } as Sent, {});
  const always = members.split(', ').filter((name) => !name.endsWith('?'));
  const refusal = body[outer] as Json;
  expect(Object.keys(refusal)).toEqual(expect.arrayContaining(always));
  const documented = new RegExp(`^- ${status}: .*\`${refusal[always[0] ?? '']}\``, 'm');
  expect(guide).toMatch(documented);
});

type Json = Record<string, unknown>;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | undefined;
  /** Its position in the guide. */
  readonly place: number;
}

/** The requests of the guide, each a block of its own, in the order in which they are to be sent. */
function requestsIn(guide: string): Sent[] {
  return [...guide.matchAll(/```http\n(.*?)\n```/gs)].map(({ 1: text = '', index }) => {
    const [head = '', content] = text.split('\n\n');
    const [line = '', ...fields] = head.split('\n');
    const [method = '', path = ''] = line.split(' ');
    const headers = Object.fromEntries(fields.map((field) => field.split(': ') as [string, string]));
    return { method, path, headers, content, place: index };
  });
}

/** Sends a request with each `{name}` of its head replaced by the member of that name in earlier replies. */
async function send(request: Sent | undefined, known: Json): Promise<{ status: number; body: Json }> {
  if (!request) throw new Error('The guide has fewer requests than the loop.');
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(known[name]));
  const { method, path, headers, content } = request;
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]));
  const body = content === undefined ? {} : { body: content };
  const response = await fetch(`${service.url}${filled(path)}`, { method, headers: sent, ...body });
  return { status: response.status, body: (await response.json()) as Json };
}

function pause(seconds: unknown): Promise<void> {
  return sleep(Number(seconds) * 1_000);
}

/** The polling instructions of the guide. */
function pollingIn(guide: string) {
  const [, waiting = '', member = '', value = ''] = found(
    /Before each request wait `(\w+)`.*?until `(\w+)` is `(\w+)`/s,
    guide,
  );
  return { waiting, member, value };
}

/** The member that contains the grade, and its possible values, as the guide lists them. */
function gradingIn(guide: string) {
  const [, outcome = '', grade = ''] = found(/`(\w+)` has `(\w+)`/, guide);
  const [, words = ''] = found(new RegExp(`^- \`${grade}\` \\(\`(.*?)\``, 'm'), guide);
  return { outcome, grade, grades: words.split('|') };
}

/** The members of the first example reply after a position. */
function membersAfter(place: number | undefined, guide: string): string[] {
  const [, example = ''] = found(/```json\n(.*?)\n```/s, guide.slice(place));
  return Object.keys(JSON.parse(example));
}

function found(pattern: RegExp, guide: string): RegExpExecArray {
  const match = pattern.exec(guide);
  if (!match) throw new Error(`The guide does not say ${pattern}.`);
  return match;
}
