import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { operatorName } from '../../../../infrastructure/operator-name.ts';
import { aKeyOf, anOwner, aSessionOf } from '../../../builders/accounts.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { adminEnvironment } from '../../../harness/admin-command.ts';
import { roleOf } from '../../../harness/database.ts';

const ada = anOwner({ owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3', email: 'Ada@Example.com' });
const nameless = anOwner({ owner_id: '0193a1c0-7c01-7a3b-8c4d-5e6f708192a3', email: null });

let opened: OpenedDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stancebook-owners-'));
  opened = await onPostgres(2);
});
afterAll(async () => {
  await opened.close();
  await rm(folder, { recursive: true });
});

/** The command line, on the test's database. */
function admin(...args: readonly string[]) {
  return run({ ...adminEnvironment(opened.serviceUrl, folder), MIGRATION_DATABASE_URL: opened.url }, ...args);
}

async function run(env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const code = await runCommand(args, env, { print: say, complain: say });
  return { code, output: lines.join('\n') };
}

const roleNow = async () => (await opened.storage.owners.find(ada.owner_id))?.role;
const cells = (output: string) => output.split('\n').map((line) => line.split(/ {2,}/));

test('list-owners is a table of all of them, the oldest first, without what they log in with', async () => {
  expect(await admin('list-owners')).toEqual({ code: 0, output: expect.stringMatching(/^owner_id +email/) });
  await opened.storage.owners.add(nameless);
  await opened.operators.ownerAdministration.setTier(nameless.owner_id, 'pro');
  await opened.storage.owners.add(ada);
  const { code, output } = await admin('list-owners');
  expect(cells(output)).toEqual([
    ['owner_id', 'email', 'role', 'tier', 'created', 'suspended'],
    expect.anything(),
    [ada.owner_id, 'Ada@Example.com', 'owner', 'free', '2026-01-30T14:30:00Z', 'no'],
    [nameless.owner_id, 'none', 'owner', 'pro', '2026-01-30T14:30:00Z', 'no'],
  ]);
  expect(code).toBe(0);
});

test('grant-admin and revoke-admin change the role and print whose, also when they are repeated', async () => {
  const name = `${ada.owner_id} (Ada@Example.com)`;
  expect(await admin('grant-admin', 'ada@example.com')).toEqual({ code: 0, output: `${name}: is admin now` });
  expect(await roleNow()).toBe('admin');
  expect(await admin('grant-admin', ada.owner_id)).toEqual({ code: 0, output: `${name}: is admin, as before` });
  expect(await admin('revoke-admin', ada.owner_id)).toEqual({ code: 0, output: `${name}: is no admin now` });
  expect(await roleNow()).toBe('owner');
  expect(await admin('revoke-admin', 'ADA@example.com')).toEqual({
    code: 0,
    output: `${name}: is no admin, as before`,
  });
  expect((await admin('grant-admin', nameless.owner_id)).output).toBe(`${nameless.owner_id}: is admin now`);
});

test('suspend-owner and resume-owner print what they ended and restored, and list-owners shows it', async () => {
  const name = `${ada.owner_id} (Ada@Example.com)`;
  await opened.storage.apiKeys.add(aKeyOf(ada), 5);
  await opened.storage.sessions.add(aSessionOf(ada));
  const suspend = () => admin('suspend-owner', 'ada@example.com', '--reason', 'stolen keys');
  const printed = `${name}: is suspended now; keys stopped: 1; sessions ended: 1`;
  expect(await suspend()).toEqual({ code: 0, output: printed });
  expect(await suspend()).toEqual({ code: 0, output: `${name}: is suspended, as before` });
  const since = (await opened.storage.owners.find(ada.owner_id))?.suspended_at?.toISOString() ?? '';
  const row = cells((await admin('list-owners')).output).find(([id]) => id === ada.owner_id);
  expect(row?.at(-1)).toBe(`${since.slice(0, 19)}Z`);
  expect(await admin('resume-owner', ada.owner_id)).toEqual({
    code: 0,
    output: `${name}: is suspended no longer; keys restored: 1`,
  });
  expect(await admin('resume-owner', ada.owner_id)).toEqual({
    code: 0,
    output: `${name}: is not suspended, as before`,
  });
  const [, , , first] = await opened.storage.audit.about(ada.owner_id, 4);
  expect([first?.actor, first?.action, first?.detail.reason]).toEqual([operatorName(), 'suspend_owner', 'stolen keys']);
});

test.each([
  ['grant-admin'],
  ['revoke-admin'],
  ['set-tier', 'pro'],
  ['delete-owner', '--yes'],
  ['suspend-owner', '--reason', 'x'],
  ['resume-owner'],
])('%s changes nothing as the role of the service, and names the variable to set', async (command, ...options) => {
  const before = await opened.storage.owners.find(ada.owner_id);
  const environment = adminEnvironment(opened.serviceUrl, folder);
  const { code, output } = await run(environment, command, ada.owner_id, ...options);
  expect([code, output]).toEqual([
    1,
    `DATABASE_URL connects as the role ${roleOf(opened.serviceUrl)}, which does not own the schema: it may not change the ` +
      'role, the tier or the account of an owner, so nothing was changed. Set MIGRATION_DATABASE_URL to a URL of the role ' +
      `${roleOf(opened.url)}.`,
  ]);
  const wrong = { ...environment, MIGRATION_DATABASE_URL: `${opened.serviceUrl}?application_name=x` };
  expect((await run(wrong, command, ada.owner_id, ...options)).output).toMatch(/^MIGRATION_DATABASE_URL connects as/);
  expect(await opened.storage.owners.find(ada.owner_id)).toEqual(before);
});

test('all of it is in the audit log', async () => {
  const entries = await opened.storage.audit.about(ada.owner_id, 10);
  const ofRoles = entries.filter(({ action }) => action.endsWith('_admin'));
  expect(ofRoles.map(({ actor, action, detail }) => [actor, action, detail.changed])).toEqual([
    [operatorName(), 'revoke_admin', false],
    [operatorName(), 'revoke_admin', true],
    [operatorName(), 'grant_admin', false],
    [operatorName(), 'grant_admin', true],
  ]);
});

test.each([
  [['grant-admin', 'nobody@example.com'], 1, 'There is no owner nobody@example.com.'],
  [['revoke-admin', '0193a1c0-7c00-7a3b-8c4d-000000000000'], 1, 'There is no owner 0193a1c0'],
  [['grant-admin'], 2, 'npm run admin -- grant-admin OWNER'],
  [['grant-admin', 'Ada'], 2, 'Ada is neither an owner_id nor an email'],
  [['grant-admin', 'ada@example.com', 'grace@example.com'], 2, 'Name one owner.'],
  [['revoke-admin', '--all'], 2, 'npm run admin -- revoke-admin OWNER'],
  [['suspend-owner', 'ada@example.com'], 2, 'Send --reason with 1 to 500 characters.'],
  [['suspend-owner', 'ada@example.com', '--reason', 'x'.repeat(501)], 2, 'Send --reason'],
  [['suspend-owner', 'ada@example.com', '--reason', 'stolen', 'keys'], 2, 'in quotes'],
  [['resume-owner', 'ada@example.com', 'grace@example.com'], 2, 'Name one owner.'],
  [['resume-owner', 'nobody@example.com'], 1, 'There is no owner nobody@example.com.'],
  [['list-owners', 'ada@example.com'], 2, 'takes no arguments'],
])('%j ends with %i', async (args, expected, message) => {
  const { code, output } = await admin(...args);
  expect([code, output]).toEqual([expected, expect.stringContaining(message)]);
});
