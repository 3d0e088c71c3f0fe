import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeApiKey } from '../../domain/accounts/keys/api-key.ts';
import { runCommand } from '../../infrastructure/commands/run-command.ts';
import { operatorName } from '../../infrastructure/operator-name.ts';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { type Caller, call, newCaller, PASSWORD, type Reply, submit, VECTOR } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, rowsOf, startService, stopService } from './service.ts';

// The machine may be busy with other tests.

const REFRESH = '/api/v1/admin/instruments/stock/MSFT/NASDAQ/spot/USD/refresh';
const CLI = join(import.meta.dirname, '..', '..', 'infrastructure', 'cli.ts');

let folder: string;
let service: RunningService;
let owner: Caller;

beforeAll(async () => {
  folder = makeFolder();
  service = await startService(await copyPreparedData(join(folder, 'data')));
  owner = await newCaller(service, 'operator');
});

afterAll(async () => {
  await stopService(service);
  removeFolder(folder);
});

test('an owner whom the command line made an admin logs in and has an instrument verified again', async () => {
  await submit(service, owner.api_key, VECTOR);
  const verified = await checkedAfter(new Date(0));
  const earlier = await loggedIn();
  expect((await post(REFRESH, earlier)).status).toBe(403);
  expect(await admin('grant-admin', owner.email)).toEqual({
    code: 0,
    output: `${owner.owner_id} (${owner.email}): is admin now; sessions ended: 1`,
  });
  expect((await post(REFRESH, earlier)).status).toBe(403);
  const jar = await loggedIn();
  const { status, body } = await post(REFRESH, jar);
  expect([status, body.instrument?.symbol]).toEqual([202, 'MSFT']);
  const again = await checkedAfter(verified);
  expect(again.getTime()).toBeGreaterThan(verified.getTime());
  expect((await post('/api/v1/owner/auth/logout', jar)).status).toBe(204);
  expect((await post(REFRESH, jar)).body.error.code).toBe('ADMIN_REQUIRED');
});

test('a session survives a kill of the service, and revoke-admin ends the role at once', async () => {
  const jar = await loggedIn();
  expect((await post(REFRESH, jar)).status).toBe(202);
  expect(await stopService(service, 'SIGKILL')).toBe('SIGKILL');
  service = await startService(join(folder, 'data'));
  expect((await post(REFRESH, jar)).status).toBe(202);
  expect((await adminHere('revoke-admin', owner.owner_id)).code).toBe(0);
  expect((await post(REFRESH, jar)).body.error.code).toBe('ADMIN_REQUIRED');
});

test('a key from standard input reads for the owner at once, and its record is under quarantine at once', async () => {
  const { key, key_prefix } = makeApiKey(randomBytes);
  const imported = await adminReading(`${key}\n`, 'import-key', owner.email);
  expect(imported).toEqual({ code: 0, output: expect.stringContaining(`${key_prefix}: reads for ${owner.owner_id}`) });
  const { body: status } = await call(service, '/api/v1/public/auth/status', { key });
  expect([status.owner_id, status.can_query, status.can_submit]).toEqual([owner.owner_id, true, false]);
  const [row] = await rowsOf(service.dataDir, 'select record_id from app.decisions');
  const record_id = String(row?.record_id);
  expect((await adminHere('quarantine', record_id, 'a stolen key')).code).toBe(0);
  const { body: record } = await call(service, `/api/v1/agent/decisions/${record_id}`, { key });
  expect([record.lifecycle_state, record.quarantine_reason]).toEqual(['quarantined', 'a stolen key']);
  const { output } = await adminHere('audit', '--actor', operatorName(), '--limit', '2');
  expect(output).toMatch(/import_key .*\n.*quarantine /);
});

/** The header Cookie of a browser that has logged in. */
async function loggedIn(): Promise<string> {
  const body = { email: owner.email, password: PASSWORD };
  const { status, headers } = await call(service, '/api/v1/public/auth/login', { body });
  expect(status).toBe(200);
  return headers
    .getSetCookie()
    .map((cookie) => cookie.replace(/;.*/, ''))
    .join('; ');
}

/** A request as a browser sends it from a page of the service. */
function post(path: string, cookie: string): Promise<Reply> {
  return call(service, path, { method: 'POST', headers: { cookie, 'sec-fetch-site': 'same-origin' } });
}

/** The time of the last verification; waits until it is after `before` and nothing is queued. */
async function checkedAfter(before: Date): Promise<Date> {
  const deadline = Date.now() + 90_000;
  const ask = `select checked_at, exists (select from app.instrument_refreshes) as queued
    from app.instruments where symbol = 'MSFT'`;
  for (;;) {
    const [row] = await rowsOf(service.dataDir, ask);
    const at = row?.checked_at;
    if (at instanceof Date && at > before && row?.queued === false) return at;
    if (Date.now() > deadline) throw new Error('The instrument was not verified.');
    await sleep(100);
  }
}

/** Runs the admin command line while the service runs, as an operator does. */
function admin(...args: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  return adminReading('', ...args);
}

async function adminReading(standardInput: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, ...args], {
    cwd: '/',
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, DATA_DIR: service.dataDir },
  });
  child.stdin.end(standardInput);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output: output.trimEnd() };
}

/** The same within this process, where a start of its own shows nothing more. */
async function adminHere(...args: readonly string[]) {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const code = await runCommand(args, { DATA_DIR: service.dataDir }, { print: say, complain: say });
  return { code, output: lines.join('\n') };
}
