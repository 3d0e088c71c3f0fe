import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashOfKey } from '../../../../application/accounts/keys/issue-key.ts';
import { makeApiKey } from '../../../../domain/accounts/keys/api-key.ts';
import type { Owner } from '../../../../domain/accounts/owner.ts';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { operatorName } from '../../../../infrastructure/operator-name.ts';
import { anOwner } from '../../../builders/accounts.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { type Bench, benchOn } from '../../../contracts/decisions/bench.ts';
import { evaluateAll } from '../../../contracts/decisions/evaluated.ts';
import { found } from '../../../contracts/decisions/intake-acceptance.ts';
import { adminEnvironment } from '../../../harness/admin-command.ts';

import { callerByKey } from '../../../harness/known-callers.ts';

let opened: OpenedDatabase;
let folder: string;

const bench: Bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(2);
    return opened;
  },
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stancebook-operators-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The command line, on the test's database, with that on its standard input. */
async function adminReading(standardInput: string, ...args: readonly string[]) {
  const env = { ...adminEnvironment(opened.serviceUrl, folder), MIGRATION_DATABASE_URL: opened.url };
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const code = await runCommand(args, env, { print: say, complain: say, input: async () => standardInput });
  return { code, output: lines.join('\n') };
}
const admin = (...args: readonly string[]) => adminReading('', ...args);

async function knownOwner(changes: Partial<Owner> = {}): Promise<Owner> {
  const owner = anOwner(changes);
  await opened.storage.owners.add(owner);
  return owner;
}

const callerOf = (key: string) => callerByKey(opened.storage.admission, { key_hash: hashOfKey(key) });

/** What the newest entry about the subject says. */
async function lastEntry(subject: string) {
  const [entry] = await opened.storage.audit.about(subject, 1);
  return entry && [entry.actor, entry.action, entry.detail];
}

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));

describe('set-tier', () => {
  test('changes the tier and prints the old one, also when it is repeated; both runs are in the audit log', async () => {
    const { owner_id, email } = await knownOwner();
    expect(await admin('set-tier', email ?? '', 'pro')).toEqual({
      code: 0,
      output: `${owner_id}: is pro now, was free`,
    });
    expect((await opened.storage.owners.find(owner_id))?.tier).toBe('pro');
    expect(await lastEntry(owner_id)).toEqual([operatorName(), 'set_tier', { tier: 'pro', changed: true }]);
    expect(await admin('set-tier', owner_id, 'pro')).toEqual({ code: 0, output: `${owner_id}: is pro, as before` });
    expect(await lastEntry(owner_id)).toEqual([operatorName(), 'set_tier', { tier: 'pro', changed: false }]);
  });
});

describe('import-key', () => {
  test('adds a key from standard input that reads for the owner and is bound to no agent', async () => {
    const { owner_id, email } = await knownOwner();
    const { key, key_prefix } = makeApiKey(random);
    const { code, output } = await adminReading(`${key}\n`, 'import-key', email ?? '', '--label', ' old laptop ');
    expect(code).toBe(0);
    expect(output).toMatch(`${key_prefix}: reads for ${owner_id}`);
    expect(output).not.toContain(key.slice(13));
    const caller = { credential: 'api_key', owner_id, agent_id: null, key_prefix, permission_mode: 'read_write' };
    expect(await callerOf(key)).toEqual({ ...caller, tier: 'free' });
    expect(await opened.storage.apiKeys.list(owner_id)).toMatchObject([{ key_prefix, label: 'old laptop' }]);
    const detail = { owner_id, agent_id: null, permission_mode: 'read_write' };
    expect(await lastEntry(key_prefix)).toEqual([operatorName(), 'import_key', detail]);
  });

  test('--new makes a key, which is printed only once', async () => {
    const { owner_id } = await knownOwner();
    const { output } = await admin('import-key', owner_id, '--mode', 'read_only', '--new');
    const key = output.split('\n')[1] ?? '';
    expect(await callerOf(key)).toMatchObject({
      owner_id,
      agent_id: null,
      permission_mode: 'read_only',
    });
  });

  test('a label is as long here as over HTTP: in characters, however many units they take', async () => {
    const { owner_id } = await knownOwner();
    const label = '🗝'.repeat(80);
    expect((await admin('import-key', owner_id, '--new', '--label', label)).code).toBe(0);
    expect(await opened.storage.apiKeys.list(owner_id)).toMatchObject([{ label }]);
    expect((await admin('import-key', owner_id, '--new', '--label', `${label}🗝`)).code).toBe(2);
  });

  test('1 for a known key, also a revoked one, which does not change', async () => {
    const [owner, other] = [await knownOwner(), await knownOwner()];
    const { key, key_prefix } = makeApiKey(random);
    await adminReading(key, 'import-key', owner.owner_id);
    const refused = { code: 1, output: `There is or was a key ${key_prefix} here already.` };
    expect(await adminReading(key, 'import-key', other.owner_id)).toEqual(refused);
    await opened.storage.apiKeys.revoke(owner.owner_id, key_prefix);
    expect(await adminReading(key, 'import-key', owner.owner_id)).toEqual(refused);
    expect(await callerOf(key)).toBeNull();
  });

  test('1 at the limit of the tier', async () => {
    const { owner_id } = await knownOwner();
    for (let count = 0; count < 5; count += 1) expect((await admin('import-key', owner_id, '--new')).code).toBe(0);
    const { code, output } = await admin('import-key', owner_id, '--new');
    expect([code, output]).toEqual([1, expect.stringContaining('holds 5 API keys')]);
  });

  test.each(['', 'a long enough secret of another kind', 'sbk_Xk29fQ7b_0123456789abcdefghijABCDEFGHIJ010afxPe'])(
    '1 for what is no key of ours (%j), which is not repeated',
    async (text) => {
      const { owner_id } = await knownOwner();
      const { code, output } = await adminReading(text, 'import-key', owner_id);
      expect([code, output]).toEqual([1, 'This is no API key: they are 51 characters that begin with sbk_.']);
      expect(await opened.storage.apiKeys.list(owner_id)).toEqual([]);
    },
  );
});

describe('quarantine and release', () => {
  test('a graded record is put under quarantine and released unchanged', async () => {
    const { record_id } = await bench.accepted(await bench.agent());
    await evaluateAll(bench);
    const before = await found(bench, record_id);
    expect(await admin('quarantine', record_id, 'a', 'stolen key')).toEqual({
      code: 0,
      output: `${record_id}: is under quarantine now`,
    });
    expect(await found(bench, record_id)).toMatchObject({
      lifecycle_state: 'quarantined',
      quarantine_reason: 'a stolen key',
    });
    expect((await admin('quarantine', record_id, 'another')).output).toBe(
      `${record_id}: is under quarantine, as before`,
    );
    expect((await admin('release', record_id)).output).toBe(`${record_id}: is evaluated now`);
    expect(await found(bench, record_id)).toEqual(before);
    const second = await admin('release', record_id);
    expect(second).toEqual({ code: 0, output: `${record_id}: is evaluated, as before; it was not under quarantine` });
  });

  test('all of it is in the audit log', async () => {
    const { record_id } = await bench.accepted(await bench.agent());
    await admin('quarantine', record_id, 'a stolen key');
    expect(await lastEntry(record_id)).toEqual([
      operatorName(),
      'quarantine',
      { changed: true, reason: 'a stolen key' },
    ]);
    await admin('release', record_id);
    const detail = { changed: true, lifecycle_state: 'pending_verify' };
    expect(await lastEntry(record_id)).toEqual([operatorName(), 'release', detail]);
  });
});

describe('audit', () => {
  const linesOf = (output: string) => output.split('\n').slice(2);

  test('prints the newest entries, the newest last, by subject, actor and time', async () => {
    const { owner_id } = await knownOwner();
    for (const tier of ['pro', 'free', 'pro']) await admin('set-tier', owner_id, tier);
    const { code, output } = await admin('audit', '--subject', owner_id);
    expect([code, output.split('\n')[0]]).toEqual([0, expect.stringMatching(/^at +actor +action +subject +detail$/)]);
    const at = (await bench.now()).toISOString();
    const line = (tier: string) =>
      `${at}  ${operatorName()}  set_tier  ${owner_id}  {"tier":"${tier}","changed":true}`.replaceAll(/ +/g, ' ');
    expect(linesOf(output).map((each) => each.replaceAll(/ +/g, ' '))).toEqual(['pro', 'free', 'pro'].map(line));
    expect(linesOf((await admin('audit', '--subject', owner_id, '--limit', '1')).output)).toHaveLength(1);
    expect(linesOf((await admin('audit', '--subject', owner_id, '--actor', 'somebody')).output)).toEqual([]);
    expect(linesOf((await admin('audit', '--subject', owner_id, '--since', at)).output)).toHaveLength(3);
    expect(linesOf((await admin('audit', '--subject', owner_id, '--since', '2099-01-01')).output)).toEqual([]);
  });

  test('control characters of a reason do not reach the terminal', async () => {
    const { record_id } = await bench.accepted(await bench.agent());
    await admin('quarantine', record_id, 'red \u001b[31m, \u009b31m, \u202eleft');
    const { output } = await admin('audit', '--subject', record_id);
    expect(output).toContain('\\u{202e}left');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(output.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('security-events', () => {
  test('prints the newest that match all options, the newest last, also of a deleted owner', async () => {
    const { owner_id, email } = await knownOwner();
    const rows = async (...options: string[]) => {
      const { code, output } = await admin('security-events', ...options);
      expect(code).toBe(0);
      return output.split('\n').slice(2);
    };
    await admin('set-tier', owner_id, 'pro');
    await admin('grant-admin', owner_id);
    const given = [expect.stringMatching(`tier_changed +success +${owner_id} .* pro +command_line`), ROLE_CHANGED];
    expect(await rows('--owner', email ?? '')).toEqual(given);
    expect(await rows('--owner', owner_id, '--kind', 'role_changed')).toEqual([ROLE_CHANGED]);
    expect(await rows('--owner', owner_id, '--limit', '1')).toEqual([ROLE_CHANGED]);
    expect(await rows('--owner', owner_id, '--result', 'failure')).toEqual([]);
    expect(await rows('--owner', owner_id, '--since', '2099-01-01')).toEqual([]);
    await admin('delete-owner', owner_id, '--yes');
    const removed = ['account_deleted', 'records_erased'].map((kind) => expect.stringContaining(kind));
    expect(await rows('--owner', owner_id)).toEqual([...given, ...removed]);
  });
});

const ROLE_CHANGED = expect.stringMatching(/role_changed +success .* admin +command_line/);

test.each([
  [['security-events', '--kind', 'nothing'], 2, '--kind nothing: send registration, '],
  [['security-events', '--owner', 'ada'], 2, 'neither an owner_id nor an email'],
  [['security-events', '--owner', 'nobody@example.com'], 1, 'There is no owner nobody@example.com.'],
  [['security-events', 'ada@example.com'], 2, 'takes options only'],
  [['set-tier', 'nobody@example.com', 'pro'], 1, 'There is no owner nobody@example.com.'],
  [['set-tier', 'ada@example.com'], 2, 'npm run admin -- set-tier OWNER free|pro'],
  [['set-tier', 'ada@example.com', 'gold'], 2, 'send free, pro.'],
  [['set-tier', 'ada', 'pro'], 2, 'neither an owner_id nor an email'],
  [['import-key', 'nobody@example.com', '--new'], 1, 'There is no owner nobody@example.com.'],
  [['import-key', '--new'], 2, 'Name one owner.'],
  [['import-key', 'ada@example.com', 'sbk_Xk29fQ7b'], 2, 'comes from standard input'],
  [['import-key', 'ada@example.com', '--mode', 'admin'], 2, 'send read_write, read_only.'],
  [['import-key', 'ada@example.com', '--label', ' '], 2, '1 to 80 characters'],
  [['quarantine', 'dec_20260101_00000000', 'why'], 1, 'There is no record dec_20260101_00000000.'],
  [['quarantine', 'dec_20260101_00000000'], 2, 'a reason of 1 to 500 characters'],
  [['quarantine', 'dec_20260101_00000000', 'x'.repeat(501)], 2, 'a reason of 1 to 500 characters'],
  [['quarantine', 'MSFT', 'why'], 2, 'MSFT is no record id'],
  [['release', 'dec_20260101_00000000'], 1, 'There is no record dec_20260101_00000000.'],
  [['release'], 2, 'npm run admin -- release RECORD_ID'],
  [['audit', '--since', 'yesterday'], 2, 'send a UTC date'],
  [['audit', '--since', '2026-13-01'], 2, 'send a UTC date'],
  [['audit', '--limit', '0'], 2, 'a number from 1 to 10000'],
  [['audit', 'everything'], 2, 'takes options only'],
])('%j ends with %i', async (args, expected, message) => {
  const { code, output } = await admin(...args);
  expect([code, output]).toEqual([expected, expect.stringContaining(message)]);
});
