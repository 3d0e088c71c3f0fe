import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { oneTimeCodes } from '../../../../adapters/identity/factors.ts';
import { bcryptPasswords } from '../../../../adapters/identity/passwords.ts';
import { hashOfRecoveryCode } from '../../../../application/accounts/factors/factor-change.ts';
import { resetDueFactors } from '../../../../application/accounts/factors/factor-reset.ts';
import { issueKey } from '../../../../application/accounts/keys/issue-key.ts';
import { logIn } from '../../../../application/accounts/sign-in/log-in.ts';
import { registerOwner } from '../../../../application/accounts/sign-in/register-owner.ts';
import { FACTOR } from '../../../../domain/limits.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { operatorName } from '../../../../infrastructure/operator-name.ts';
import { A_CLIENT, A_SOURCE, ACCOUNT_SETTINGS, anAgentOf, anOwner } from '../../../builders/accounts.ts';
import { aDraft, aSubmission, NO_LIMITS } from '../../../builders/decisions.ts';
import { NOON, type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { adminEnvironment } from '../../../harness/admin-command.ts';

const SECRET = 'a secret of the tests, long enough for them';
const PASSWORD = 'four plain words, spaced';
const RECOVERY_CODE = 'k2x4-9wqd-0r7m-tz5c-8hvp-3ya6';

let opened: OpenedDatabase;
let folder: string;

const META = '{"n":1.10,"10":0,"9":9007199254740993}';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stancebook-owner-data-'));
  opened = await onPostgres(4);
});
afterAll(async () => {
  await opened.close();
  await rm(folder, { recursive: true });
});

/** The command line, on the test's database. */
async function admin(args: readonly string[], input = '') {
  const env = {
    ...adminEnvironment(opened.serviceUrl, folder),
    PASSWORD_PEPPER: SECRET,
    MIGRATION_DATABASE_URL: opened.url,
  };
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const code = await runCommand(args, env, { print: say, complain: say, input: async () => input });
  return { code, output: lines.join('\n') };
}

function ports() {
  const { storage } = opened;
  const passwords = bcryptPasswords({ pepper: SECRET, cost: 4 });
  return { ...storage, passwords, oneTimeCodes: oneTimeCodes(), ...ACCOUNT_SETTINGS };
}

const CLIENT = { ...A_CLIENT, session: undefined, device: undefined };

const passes = (email: string, password: string) =>
  logIn(ports(), { email, password }, CLIENT).then(
    () => 'in',
    ({ code }) => code,
  );

let count = 0;
async function aRegistered() {
  count += 1;
  return registerOwner(ports(), { email: `Owner.${count}@Example.com`, password: PASSWORD }, CLIENT);
}

/** An owner with a session, an agent, its key and a record. */
async function aProducer() {
  const { storage } = opened;
  const owner = await aRegistered();
  const { session_id } = await logIn(ports(), { email: owner.email, password: PASSWORD }, CLIENT);
  const agent = anAgentOf(owner, { name: 'Named by Ada' });
  await storage.owners.addAgent(agent, 10);
  const terms = { agent_id: agent.agent_id, permission_mode: 'read_write', label: 'desk', created_at: NOON } as const;
  const { api_key, key_prefix } = await issueKey(storage, owner, terms, A_SOURCE);
  const caller = { credential: 'api_key', owner_id: owner.owner_id, key_prefix, tier: 'free', ...terms } as const;
  const submission = aSubmission(NOON, { summary: 'what only Ada may read', tags: ['mine'], meta: META });
  const verdict = await storage.intake.submit(aDraft(caller, NOON, submission, { limits: NO_LIMITS }));
  if (!('receipt' in verdict)) throw new Error(verdict.verdict);
  return { owner, agent, api_key, key_prefix, session_id, record_id: verdict.receipt.record_id, caller };
}

describe('reset-factors', () => {
  afterEach(() => opened.arrange.freeze(NOON));

  const WAIT = FACTOR.resetWait;
  const DUE = new Date(NOON.getTime() + WAIT);

  /** An owner with an app and a recovery code, at noon. */
  async function anEnrolled() {
    const { owner } = await aProducer();
    const { owner_id, email } = owner;
    const { factors } = opened.storage;
    const secret = randomBytes(60);
    await factors.beginTotp(owner_id, secret);
    await factors.confirmTotp(owner_id, secret, 1, MINUTE);
    await factors.setRecoveryCodes(owner_id, [hashOfRecoveryCode(owner_id, RECOVERY_CODE)]);
    return { owner_id, email };
  }
  const seen = (named: string) => admin(['reset-factors', named, '--seen', 'identity_document']);
  const eventsOf = async (owner_id: string) => {
    const events = await opened.storage.securityEvents.list({ owner_id }, null, 10);
    return events.filter(({ kind }) => kind.startsWith('factors_reset')).map(({ kind, subject }) => [kind, subject]);
  };
  const sweepAt = async (at: number) => {
    await opened.arrange.freeze(new Date(NOON.getTime() + at));
    await resetDueFactors(opened.storage);
  };

  test('needs to know how the person was identified, and takes no word of its own', async () => {
    const { owner_id, email } = await anEnrolled();
    for (const args of [[], ['--seen', 'email'], ['--seen', 'known_number', '--cancel']]) {
      const { code, output } = await admin(['reset-factors', email, ...args]);
      expect([code, output]).toEqual([2, expect.stringContaining('identity_document, known_in_person')]);
    }
    expect(await opened.storage.factors.requestedReset(owner_id)).toBeNull();
  });

  test('removes nothing before its wait is over, and then all of it, with the evidence in the audit log', async () => {
    const { owner_id, email } = await anEnrolled();
    const { factors, audit, sessions } = opened.storage;
    const { code, output } = await seen(email);
    const words = `${owner_id} (${email}): loses all second factors and all sessions at ${DUE.toISOString()}`;
    expect([code, output]).toEqual([0, expect.stringContaining(words)]);
    expect(output).toContain('The owner gets no mail');
    expect((await seen(email)).output).toContain('is requested already');
    await sweepAt(WAIT - 1);
    expect([await passes(email, PASSWORD), (await sessions.list(owner_id)).length]).toEqual([
      'SECOND_FACTOR_REQUIRED',
      1,
    ]);
    await sweepAt(WAIT);
    expect([(await factors.of(owner_id)).totp, await factors.recoveryCodes(owner_id)]).toEqual([null, 0]);
    expect([await sessions.list(owner_id), await passes(email, PASSWORD)]).toEqual([[], 'in']);
    const actor = operatorName();
    const evidence = 'identity_document';
    expect(await audit.about(owner_id, 2)).toMatchObject([
      { actor, action: 'reset_factors', detail: { sessions_ended: 1, evidence, requested_at: NOON.toISOString() } },
      { actor, action: 'request_factor_reset', detail: { evidence, due_at: DUE.toISOString() } },
    ]);
    expect(await eventsOf(owner_id)).toEqual([
      ['factors_reset', evidence],
      ['factors_reset_requested', evidence],
    ]);
  });

  test('a login with a factor stops it', async () => {
    const { owner_id, email } = await anEnrolled();
    await seen(email);
    expect(await passes(email, PASSWORD)).toBe('SECOND_FACTOR_REQUIRED');
    expect(await opened.storage.factors.requestedReset(owner_id)).not.toBeNull();
    const login = { email, password: PASSWORD, recovery_code: RECOVERY_CODE };
    await logIn(ports(), login, CLIENT);
    await sweepAt(WAIT);
    expect((await opened.storage.factors.of(owner_id)).totp).not.toBeNull();
    const [entry] = await opened.storage.audit.about(owner_id, 1);
    expect(entry).toMatchObject({ actor: owner_id, action: 'cancel_factor_reset', detail: { by: 'login' } });
  });

  test('an operator takes it back, and the sweep does nothing', async () => {
    const { owner_id, email } = await anEnrolled();
    await seen(email);
    const { code, output } = await admin(['reset-factors', email, '--cancel']);
    expect([code, output]).toEqual([0, `${owner_id} (${email}): keeps the second factors`]);
    await sweepAt(WAIT);
    expect(await passes(email, PASSWORD)).toBe('SECOND_FACTOR_REQUIRED');
    expect((await admin(['reset-factors', email, '--cancel'])).code).toBe(1);
    const [entry] = await opened.storage.audit.about(owner_id, 1);
    expect(entry).toMatchObject({ actor: operatorName(), action: 'cancel_factor_reset', detail: { by: 'operator' } });
  });

  test('a suspension takes it back, and a suspended account gets none: its owner could not stop it', async () => {
    const { owner_id, email } = await anEnrolled();
    await seen(email);
    expect((await admin(['suspend-owner', email, '--reason', 'a test'])).code).toBe(0);
    expect(await opened.storage.factors.requestedReset(owner_id)).toBeNull();
    const { code, output } = await seen(email);
    expect([code, output]).toEqual([1, expect.stringContaining('resume it first')]);
    await admin(['resume-owner', email]);
    expect((await seen(email)).code).toBe(0);
  });

  test('an owner without a factor keeps their sessions', async () => {
    const { owner } = await aProducer();
    const { code, output } = await seen(owner.email);
    expect([code, output]).toEqual([1, expect.stringContaining('This account has no second factor.')]);
    expect(await opened.storage.sessions.list(owner.owner_id)).toHaveLength(1);
  });
});

describe('reset-password', () => {
  test('prints a random pass phrase once, the only one that logs in; sessions end, keys and records do not', async () => {
    const { owner, key_prefix } = await aProducer();
    const { code, output } = await admin(['reset-password', owner.email.toLowerCase()]);
    const [report, phrase = ''] = output.split('\n');
    expect([code, report]).toEqual([0, `${owner.owner_id} (${owner.email}): has a new password; sessions ended: 1`]);
    expect(phrase).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/);
    expect([await passes(owner.email, PASSWORD), await passes(owner.email, phrase)]).toEqual([
      'INVALID_CREDENTIALS',
      'in',
    ]);
    expect(await opened.storage.apiKeys.list(owner.owner_id)).toMatchObject([{ key_prefix }]);
    const entries = await opened.storage.audit.about(owner.owner_id, 10);
    expect(entries).toMatchObject([{ actor: operatorName(), action: 'reset_password', detail: { sessions_ended: 1 } }]);
    for (const secret of [phrase, owner.email]) expect(JSON.stringify(entries)).not.toContain(secret);
  });

  test('two phrases are never alike', async () => {
    const { email } = await aRegistered();
    const output = [(await admin(['reset-password', email])).output, (await admin(['reset-password', email])).output];
    expect(output[0]?.split('\n')[1]).not.toBe(output[1]?.split('\n')[1]);
  });

  test('takes a line of standard input, does not print it, and ends the refusal of further logins', async () => {
    const { email } = await aRegistered();
    for (let attempt = 0; attempt < 10; attempt += 1) await passes(email, 'wrong');
    expect(await passes(email, PASSWORD)).toBe('RATE_LIMIT_EXCEEDED');
    const chosen = 'chosen by the operator, in person';
    const { code, output } = await admin(['reset-password', email, '--stdin'], `${chosen}\n`);
    expect([code, output.includes(chosen)]).toEqual([0, false]);
    expect(await passes(email, chosen)).toBe('in');
  });

  test.each([
    ['password1234\n', 1, 'guessed first'],
    ['short', 1, 'at least 12'],
    ['', 2, 'Send one line'],
    [`${PASSWORD}\nand another line`, 2, 'Send one line'],
  ])('the input %j changes nothing', async (input, expected, message) => {
    const { email } = await aRegistered();
    const { code, output } = await admin(['reset-password', email, '--stdin'], input);
    expect([code, output]).toEqual([expected, expect.stringContaining(message)]);
    expect(await passes(email, PASSWORD)).toBe('in');
  });

  test('an account of the identity provider gets no password', async () => {
    const owner = anOwner({ email: null, password_hash: null });
    await opened.storage.owners.add(owner);
    const { code, output } = await admin(['reset-password', owner.owner_id]);
    expect([code, output]).toEqual([1, expect.stringContaining('identity provider')]);
    expect((await opened.storage.owners.find(owner.owner_id))?.password_hash).toBeNull();
  });
});

describe('export-owner', () => {
  test('writes everything stored about the owner and their records, and nothing that could be used to log in', async () => {
    const producer = await aProducer();
    const { owner, agent, key_prefix, record_id } = producer;
    const { code, output } = await admin(['export-owner', owner.owner_id]);
    expect(code).toBe(0);
    const document = JSON.parse(output);
    expect(Object.keys(document)).toEqual(['owner_id', 'exported_at', 'account', 'records']);
    expect(document).toMatchObject({
      owner_id: owner.owner_id,
      account: {
        owner: [{ email: owner.email, tier: 'free', preferences: {} }],
        agents: [{ agent_id: agent.agent_id, name: 'Named by Ada' }],
        api_keys: [{ key_prefix, label: 'desk' }],
        sessions: [{ owner_id: owner.owner_id }],
      },
      records: [
        { record_id, submission: { summary: 'what only Ada may read', tags: ['mine'] }, salt: /^[0-9a-f]{64}$/ },
      ].map((record) => ({ ...record, salt: expect.stringMatching(record.salt) })),
    });
    expect(output).toContain(`"meta":${META}`);
    for (const secret of [producer.api_key, producer.session_id, '$2b$']) expect(output).not.toContain(secret);
  });

  test('contains every record over several pages, and none of another owner', async () => {
    const { owner, caller } = await aProducer();
    await aProducer();
    for (let each = 0; each < 101; each += 1) {
      await opened.storage.intake.submit(aDraft(caller, NOON, aSubmission(NOON), { limits: NO_LIMITS }));
    }
    const { output } = await admin(['export-owner', owner.owner_id]);
    const { records } = JSON.parse(output) as { readonly records: readonly Readonly<Record<string, string>>[] };
    expect(records).toHaveLength(102);
    expect(new Set(records.map(({ record_id }) => record_id)).size).toBe(102);
    expect(new Set(records.map(({ owner_id }) => owner_id))).toEqual(new Set([owner.owner_id]));
  });

  test('writes a file that others cannot read, and never overwrites a file', async () => {
    const { email } = await aRegistered();
    const file = join(folder, 'export.json');
    expect(await admin(['export-owner', email, '--out', file])).toEqual({ code: 0, output: '' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const written = await readFile(file, 'utf8');
    expect(JSON.parse(written)).toMatchObject({ account: { owner: [{ email }] }, records: [] });
    const second = await admin(['export-owner', email, '--out', file]);
    expect([second.code, await readFile(file, 'utf8')]).toEqual([1, written]);
    expect(second.output).toBe(`${file} exists already, so nothing was written. Name a new file.`);
    const elsewhere = join(folder, 'no-such-folder', 'export.json');
    expect(await admin(['export-owner', email, '--out', elsewhere])).toEqual({
      code: 1,
      output: `${elsewhere} cannot be made (ENOENT), so nothing was written. Name a file in a folder of yours.`,
    });
  });

  test('leaves no file behind when there is no such owner', async () => {
    const file = join(folder, 'nobody.json');
    expect((await admin(['export-owner', 'nobody@example.com', '--out', file])).code).toBe(1);
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('delete-owner', () => {
  test('without --yes prints what would happen, and does nothing', async () => {
    const { owner } = await aProducer();
    const { code, output } = await admin(['delete-owner', owner.email]);
    expect(code).toBe(2);
    expect(output.split('\n')).toEqual([
      `${owner.owner_id} (${owner.email})`,
      'Would be removed: the account, 0 identities, 1 agents, 1 api keys, 1 sessions, 0 legal acceptances, 0 workflows.',
      'Would be kept, unlinked: 1 decision records.',
      'Nothing was done: add --yes. It cannot be undone.',
    ]);
    expect(await passes(owner.email, PASSWORD)).toBe('in');
    expect(await opened.storage.audit.about(owner.owner_id, 1)).toEqual([]);
  });

  test('removes the personal data, keeps the evidence under an anonymous owner, and frees the email', async () => {
    const { owner, agent, api_key, caller, record_id } = await aProducer();
    const { storage } = opened;
    const before = await storage.decisions.find([record_id], owner.owner_id);
    const { code, output } = await admin(['delete-owner', owner.owner_id, '--yes']);
    expect([code, output]).toEqual([
      0,
      expect.stringContaining('Removed: the account, 0 identities, 1 agents, 1 api keys'),
    ]);
    expect(output).toContain('Kept, unlinked: 1 decision records.\nErased: the text of 1 of them.');
    const [erased] = await storage.decisions.find([record_id], null);
    const { commitment, lifecycle_state, symbol, direction } = before[0] ?? {};
    expect(erased).toMatchObject({ commitment, lifecycle_state, symbol, direction, salt: null });
    expect(JSON.stringify(erased)).not.toContain('what only Ada may read');
    expect(await storage.owners.find(owner.owner_id)).toBeNull();
    const late = await storage.intake.submit(aDraft(caller, NOON, aSubmission(NOON), { limits: NO_LIMITS }));
    expect(late.verdict).toBe('key_revoked');
    const traces = await opened.owner.query(
      `select (select count(*) from app.agents where name = $1 and agent_id = $2)
        + (select count(*) from app.login_attempts where account_hash = sha256(convert_to($3, 'UTF8'))) as left_over`,
      ['Named by Ada', agent.agent_id, owner.email.toLowerCase()],
    );
    expect(traces.rows).toEqual([{ left_over: '0' }]);
    expect(await passes(owner.email, PASSWORD)).toBe('INVALID_CREDENTIALS');
    expect(api_key.startsWith(caller.key_prefix)).toBe(true);
    const heir = await registerOwner(ports(), { email: owner.email, password: PASSWORD }, CLIENT);
    expect(heir.owner_id).not.toBe(owner.owner_id);
    expect((await storage.ownerData.recordIds(heir.owner_id, null, 10)).length).toBe(0);
  });

  test('is in the audit log without the email, and finds no owner the second time', async () => {
    const { owner } = await aProducer();
    await admin(['delete-owner', owner.email, '--yes']);
    const entries = await opened.storage.audit.about(owner.owner_id, 10);
    expect(entries).toMatchObject([
      { actor: operatorName(), action: 'erase_records', detail: {} },
      { actor: operatorName(), action: 'delete_owner', detail: { records: 1 } },
    ]);
    expect(JSON.stringify(entries).toLowerCase()).not.toContain(owner.email.toLowerCase());
    for (const named of [owner.email, owner.owner_id]) {
      expect((await admin(['delete-owner', named, '--yes'])).code).toBe(1);
    }
  });
});

test.each([
  [['reset-factors'], 2],
  [['reset-factors', 'nobody@example.com'], 2],
  [['reset-factors', 'nobody@example.com', '--seen', 'organisation'], 1],
  [['reset-password'], 2],
  [['reset-password', 'Ada'], 2],
  [['reset-password', 'nobody@example.com'], 1],
  [['export-owner', 'a@b', 'c@d'], 2],
  [['export-owner', 'nobody@example.com'], 1],
  [['delete-owner', '--yes'], 2],
  [['delete-owner', '--all', '--yes'], 2],
  [['delete-owner', '0193a1c0-7c00-7a3b-8c4d-000000000000'], 1],
])('%j ends with %i', async (args, expected) => {
  expect((await admin(args)).code).toBe(expected);
});
