import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { oneTimeCodes } from '../../../../adapters/identity/factors.ts';
import { bcryptPasswords } from '../../../../adapters/identity/passwords.ts';
import { logIn } from '../../../../application/accounts/sign-in/log-in.ts';
import { resetByLink } from '../../../../application/accounts/sign-in/password-reset.ts';
import { registerOwner } from '../../../../application/accounts/sign-in/register-owner.ts';
import { operatorName } from '../../../../infrastructure/operator-name.ts';
import { A_CLIENT, ACCOUNT_SETTINGS } from '../../../builders/accounts.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { runAdmin } from '../../../harness/admin-command.ts';
import { openMailbox } from '../../../harness/mailbox.ts';

const SECRET = 'a secret of the tests, long enough for them';
const NEXT = 'five other words, spaced alike';
const CLIENT = { ...A_CLIENT, session: undefined, device: undefined };

let opened: OpenedDatabase;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stancebook-reset-link-'));
  opened = await onPostgres(4);
});
afterAll(async () => {
  await opened.close();
  await rm(folder, { recursive: true });
});

const admin = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runAdmin(opened.serviceUrl, folder, args, { MIGRATION_DATABASE_URL: opened.url, ...env });
const ports = () => ({
  ...opened.storage,
  passwords: bcryptPasswords({ pepper: SECRET, cost: 4 }),
  oneTimeCodes: oneTimeCodes(),
  ...ACCOUNT_SETTINGS,
});

let count = 0;
async function anAccount() {
  count += 1;
  const email = `linked.${count}@example.com`;
  return registerOwner(ports(), { email, password: 'four plain words, spaced' }, CLIENT);
}

describe('reset-password --link', () => {
  test('prints a link by which the owner chooses a password, once; the audit log has no token', async () => {
    const { owner_id, email } = await anAccount();
    const { code, output } = await admin(['reset-password', email, '--link']);
    const [, token = ''] = /^http:\/\/127\.0\.0\.1:3000\/#\/reset\/([\w-]{43})$/m.exec(output) ?? [];
    expect([code, token.length]).toEqual([0, 43]);
    const reset = () => resetByLink(ports(), { token, new_password: NEXT, revoke_keys: false }, A_CLIENT);
    await expect(reset()).resolves.toEqual({ sessions_ended: 0, keys_revoked: 0 });
    await expect(reset()).rejects.toMatchObject({ code: 'LINK_INVALID' });
    await expect(logIn(ports(), { email, password: NEXT }, CLIENT)).resolves.toMatchObject({ owner: { owner_id } });
    const entries = await opened.storage.audit.about(owner_id, 10);
    expect(entries).toMatchObject([{ actor: operatorName(), action: 'make_reset_link' }]);
    expect(JSON.stringify(entries)).not.toContain(token);
    expect((await opened.storage.owners.find(owner_id))?.email_confirmed_at).toBeNull();
    const events = await opened.storage.securityEvents.list({ owner_id, kind: 'password_reset_requested' }, null, 5);
    expect(events).toMatchObject([{ actor: operatorName(), client: 'command_line' }]);
  });

  test('begins with PUBLIC_URL, and replaces the link before', async () => {
    const { owner_id } = await anAccount();
    const env = { PUBLIC_URL: 'https://stancebook.example' };
    const [first, second] = [
      (await admin(['reset-password', owner_id, '--link'], env)).output,
      (await admin(['reset-password', owner_id, '--link'], env)).output,
    ].map((output) => /^https:\/\/stancebook\.example\/#\/reset\/(\S+)$/m.exec(output)?.[1] ?? '');
    const reset = (token = '') => resetByLink(ports(), { token, new_password: NEXT, revoke_keys: false }, A_CLIENT);
    await expect(reset(first)).rejects.toMatchObject({ code: 'LINK_INVALID' });
    await expect(reset(second)).resolves.toBeDefined();
  });

  test('makes none for a suspended account, and none for nobody', async () => {
    const { email } = await anAccount();
    await admin(['suspend-owner', email, '--reason', 'a test']);
    const suspended = await admin(['reset-password', email, '--link']);
    expect([suspended.code, suspended.output]).toEqual([1, expect.stringContaining('suspended')]);
    expect((await admin(['reset-password', 'nobody@example.com', '--link'])).code).toBe(1);
    expect((await admin(['reset-password', email, '--link', '--stdin'])).code).toBe(2);
  });
});

test('a suspension by the command line queues a notice where mail is set up', async () => {
  const { email, owner_id } = await anAccount();
  const mailbox = await openMailbox();
  const env = {
    SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`,
    MAIL_FROM: 'us@example.com',
    PUBLIC_URL: 'https://stancebook.example',
  };
  await admin(['suspend-owner', email, '--reason', 'a test'], env);
  const { rows = {} } = (await opened.storage.ownerData.account(owner_id)) ?? {};
  expect(rows.mails).toMatchObject([{ kind: 'account_suspended', status: 'pending' }]);
  const doctor = await admin(['doctor'], env);
  expect(doctor.output).toMatch(/^ok +mail: 127\.0\.0\.1:\d+ takes mails from us@example\.com$/m);
  await mailbox.close();
  expect((await admin(['doctor'], env)).output).toMatch(/^failed +mail: .* connection_failed$/m);
});
