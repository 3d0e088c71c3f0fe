import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openTotp, sealTotp } from '../../../application/accounts/factors/totp-secret.ts';
import { openMail, sealMail } from '../../../application/mail/queue-mail.ts';
import { sealWebhookSecret, webhookSecret } from '../../../application/webhooks/deliver-webhooks.ts';
import { runCommand } from '../../../infrastructure/commands/run-command.ts';
import { runAdmin } from '../../harness/admin-command.ts';
import { freshDatabase, type TestDatabase } from '../../harness/database.ts';

const ID = '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3';
const [FIRST, SECOND] = ['1'.repeat(32), '2'.repeat(32)] as const;
const MAIL = { to: 'a@example.org' } as unknown as Parameters<typeof sealMail>[2];

let folder: string;
let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-secrets-'));
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const admin = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runAdmin(database.serviceUrl, folder, args, env);
const audited = async () =>
  (await client.query('select action, subject, detail from app.audit_log order by seq desc limit 1')).rows[0];

describe('reseal-secrets', () => {
  const insert = (table: string, row: Readonly<Record<string, unknown>>) =>
    client.query(
      `insert into app.${table} (${Object.keys(row)}) values (${Object.keys(row).map((_, index) => `$${index + 1}`)})`,
      Object.values(row),
    );
  const sealed = async (table: string, column: string) =>
    (await client.query(`select ${column} as sealed from app.${table}`)).rows[0].sealed as Buffer;

  test('seals by the present value what a former one sealed, once, and leaves the rest', async () => {
    const now = new Date();
    const [app, begun] = ['app', 'begun'].map((text) => sealTotp(FIRST, ID, text));
    await insert('owners', { owner_id: ID, created_at: now });
    await insert('totp_secrets', {
      ...{ owner_id: ID, secret: app, confirmed_at: now, last_step: 0, pending: begun, pending_at: now },
    });
    await insert('webhooks', {
      ...{ webhook_id: ID, owner_id: ID, url: 'https://a.example', description: '', history: '', position: 0, seq: 0 },
      ...{ secret: sealWebhookSecret(SECOND, ID, 'new'), former_until: now },
      former_secret: sealWebhookSecret('3'.repeat(32), ID, 'of a lost value'),
    });
    await insert('mails', {
      ...{ mail_id: ID, kind: 'confirm_email', on_request: true, owner_id: ID, address_hash: Buffer.alloc(32) },
      ...{ content: sealMail(FIRST, ID, MAIL), created_at: now, due_at: now, expires_at: now },
    });
    const untouched = await sealed('webhooks', 'secret');
    const env = { SESSION_SECRET: SECOND, SESSION_SECRET_FORMER: FIRST };
    const { code, output } = await admin(['reseal-secrets', '--json'], env);
    expect([code, JSON.parse(output)]).toEqual([0, { resealed: 3, unreadable: 1 }]);
    expect([
      openTotp(SECOND, ID, await sealed('totp_secrets', 'secret')),
      openTotp(SECOND, ID, await sealed('totp_secrets', 'pending')),
      openMail(SECOND, ID, await sealed('mails', 'content')),
      webhookSecret(SECOND, ID, untouched),
    ]).toEqual(['app', 'begun', MAIL, 'new']);
    expect(await sealed('webhooks', 'secret')).toEqual(untouched);
    expect(await audited()).toMatchObject({ action: 'secrets_resealed', detail: { resealed: 3, unreadable: 1 } });
    expect((await admin(['reseal-secrets'], env)).output).toMatch(/^0 rows were sealed again/);
  });
});

describe('secrets', () => {
  test('lists what is set, and prints no secret', async () => {
    const { code, output } = await admin(['secrets', '--json'], { SESSION_SECRET: SECOND, METRICS_TOKEN: FIRST });
    const { secrets } = JSON.parse(output) as { readonly secrets: readonly Readonly<Record<string, string>>[] };
    expect([code, secrets.map(({ name }) => name)]).toEqual([
      0,
      ['SESSION_SECRET', 'PASSWORD_PEPPER', 'DATABASE_URL', 'METRICS_TOKEN'],
    ]);
    expect([output.includes(SECOND), output.includes(FIRST)]).toEqual([false, false]);
  });
});

describe('renew-secret', () => {
  test('--lost notes the present value, with an entry of the audit log', async () => {
    const lost = await admin(['renew-secret', 'session-secret', '--lost'], { SESSION_SECRET: FIRST });
    expect(lost).toMatchObject({ code: 0, output: expect.stringContaining('the present SESSION_SECRET from now on') });
    expect(await audited()).toMatchObject({ action: 'secret_lost', subject: 'SESSION_SECRET' });
    const { code, output } = await admin(['secrets'], { SESSION_SECRET: SECOND });
    expect([code, output]).toEqual([1, expect.stringMatching(/^SESSION_SECRET is not the secret/)]);
    const listed = await admin(['secrets'], { SESSION_SECRET: FIRST });
    expect(listed).toMatchObject({
      code: 0,
      output: expect.stringMatching(/SESSION_SECRET +environment +2.* [0-9a-f]{8} /),
    });
  });

  test.each(['session-secret', 'password-pepper'])('%s of the environment is renewed there', async (name) => {
    const { code, output } = await admin(['renew-secret', name]);
    expect([code, output]).toEqual([1, expect.stringMatching(/_FORMER to the present one, on every node/)]);
  });

  test('of files keeps the former ones, the newest first', async () => {
    const dataDir = join(folder, 'data');
    mkdirSync(join(dataDir, 'secrets'), { recursive: true });
    mkdirSync(join(dataDir, 'postgres'));
    const file = join(dataDir, 'secrets', 'session-secret');
    writeFileSync(file, `${FIRST}\n`);
    const renew = () =>
      runCommand(
        ['renew-secret', 'session-secret'],
        { DATA_DIR: dataDir },
        { print: () => undefined, complain: () => undefined },
      );
    expect(await renew()).toBe(0);
    const second = readFileSync(file, 'utf8');
    expect(await renew()).toBe(0);
    expect(readFileSync(`${file}-former`, 'utf8')).toBe(`${second}${FIRST}\n`);
    expect(readFileSync(file, 'utf8')).not.toBe(second);
    expect([file, `${file}-former`].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  test.each([[], ['no-such'], ['session-secret', 'log-key']])('%j is a wrong call', async (...names) => {
    expect((await admin(['renew-secret', ...names])).code).toBe(2);
  });
});
