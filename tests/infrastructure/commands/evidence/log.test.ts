import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../adapters/formats/canonical-json.ts';
import { keepLog } from '../../../../application/log/keep-log.ts';
import { headText } from '../../../../domain/audit-log.ts';
import { hexOf } from '../../../../domain/log/encoding.ts';
import { COSIGNATURE, vkeyText } from '../../../../domain/log/notes/note.ts';
import { DAY, MINUTE } from '../../../../domain/time.ts';
import type { DoctorCheck } from '../../../../infrastructure/commands/doctor-database.ts';
import { composeLogWriter } from '../../../../infrastructure/compose/log-writer.ts';
import { readConfig } from '../../../../infrastructure/config/config.ts';
import { aSigner } from '../../../builders/log.ts';
import { aProcess } from '../../../builders/processes.ts';
import { evidenceLogEnvironment, type LogKeyFile, makeLogKey } from '../../../campaigns/stage/evidence-log.ts';
import { type GradedDatabase, gradedDatabase } from './graded-database.ts';

let folder: string;
let database: GradedDatabase;
let key: LogKeyFile;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-log-commands-'));
  database = await gradedDatabase(['BTC']);
  key = makeLogKey(folder);
  env = { ...evidenceLogEnvironment(key, folder), PUBLIC_URL: 'https://a.example', MARKET_DATA_NETWORK: 'false' };
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.close();
});

/** What a worker does with these variables. */
async function work(): Promise<void> {
  const writer = composeLogWriter(readConfig({ ...database.environment, ...env }));
  if (!writer) throw new Error('This process does not write the log.');
  const { storage } = database.opened;
  const now = await storage.clock.now();
  await storage.processes.report(aProcess({ started_at: now }), [], now);
  await keepLog({ ...storage, canonicalJson, ...writer }, { interval: MINUTE });
}

async function status(more: NodeJS.ProcessEnv = env) {
  const { output } = await database.adminWith(more, 'status');
  const { code, output: json } = await database.adminWith(more, 'status', '--json');
  return { code, text: output, json: JSON.parse(json) };
}

async function doctor(more: NodeJS.ProcessEnv = env): Promise<readonly DoctorCheck[]> {
  const { output } = await database.adminWith({ ...more, PORT: '0' }, 'doctor', '--json');
  const { findings }: { findings: readonly DoctorCheck[] } = JSON.parse(output);
  return findings.filter(({ check }) => check === 'evidence log' || check === 'log key');
}

const lastSeen = () => join(folder, 'last-seen.json');

test('before there is a log', async () => {
  expect((await status({ MARKET_DATA_NETWORK: 'false' })).text).toContain(
    'Evidence log: none yet; this process has no LOG_KEY_FILE',
  );
  expect((await status()).text).toContain('Evidence log: none yet; a worker starts it');
  expect((await database.adminWith(env, 'log-resume')).output).toBe('There is no log yet; the worker starts it.');
  expect(await doctor()).toMatchObject([{ check: 'evidence log', state: 'ok' }]);
});

test('a signed log, with the file of the newest tree', async () => {
  await work();
  const { code, text, json } = await status();
  expect([code, json.log]).toEqual([
    0,
    {
      ...{ state: 'signed', origin: 'a.example/log/1', size: 2, signed_at: expect.stringMatching(/Z$/) },
      ...{ pending: 1, late_today: 0, waiting_since: null, reason: null, last_seen: lastSeen(), noted: true },
    },
  ]);
  expect(text).toMatch(
    /^Evidence log: a\.example\/log\/1, signed; 2 leaves, signed at \S+Z; 1 events without a leaf$/m,
  );
  expect(text).toContain(`Newest tree: noted in ${lastSeen()}`);
  expect(await doctor()).toMatchObject([
    { check: 'log key', state: 'ok' },
    {
      check: 'evidence log',
      state: 'ok',
      found: `kept, a signed batch every 1 s; the newest tree is noted in ${lastSeen()}; status shows whether it is signed`,
    },
  ]);
});

test('log-witnesses lists what each witness signed last, and the ones that never did', async () => {
  const witnesses = async (more: NodeJS.ProcessEnv = env) => {
    const { code, output } = await database.adminWith(more, 'log-witnesses');
    const { output: json } = await database.adminWith(more, 'log-witnesses', '--json');
    return { code, output, json: JSON.parse(json) };
  };
  expect(await witnesses()).toMatchObject({
    ...{ code: 0, output: expect.stringContaining('No witness and no time-stamp authority is named') },
    json: { origin: 'a.example/log/1', size: 2, witnesses: [] },
  });
  const cosigned_at = new Date('2026-03-02T12:34:56.000Z');
  const report = { name: 'w.example', id: '0a0b0c0d', size: 2, signature: new Uint8Array(72), cosigned_at };
  await database.opened.storage.signatures.report(1, { ...report, refused: true });
  const policy = join(folder, 'policy');
  const silent = aSigner('silent.example', COSIGNATURE, 7).key;
  writeFileSync(
    policy,
    `log ${vkeyText(key.verifierKey('a.example/log/1'))}\nwitness s ${vkeyText(silent)}\nquorum s\n`,
  );
  const { output, json } = await witnesses({ ...env, LOG_POLICY_FILE: policy });
  expect(output).toMatch(
    /^w\.example +0a0b0c0d +2 +2026-03-02T12:34:56Z +yes: it knows another tree, or a larger one$/m,
  );
  expect(output).toMatch(new RegExp(`^silent\\.example +${silent.id} +0 +never +no$`, 'm'));
  expect(json.witnesses).toEqual([
    { name: 'w.example', key_id: '0a0b0c0d', size: 2, cosigned_at: cosigned_at.toISOString(), refused: true },
    { name: 'silent.example', key_id: silent.id, size: 0, cosigned_at: null, refused: false },
  ]);
  await database.opened.owner.query('delete from app.log_witnesses');
});

test('a log that is shorter than what was seen is a problem until log-new starts the next one', async () => {
  const root = hexOf(new Uint8Array(32));
  writeFileSync(lastSeen(), `${JSON.stringify({ origin: 'a.example/log/1', log: 1, size: 9, root })}\n`);
  await expect(work()).rejects.toThrow('9 leaves of a.example/log/1 were seen');
  const { code, json } = await status();
  expect([code, json.log.state, json.problems]).toEqual([1, 'stopped', [expect.stringContaining('9 leaves')]]);
  const refused = await database.adminWith(env, 'log-new');
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch(
    /^The configured key signed a\.example\/log\/1 already, .* Make one \(openssl genpkey .*set LOG_KEY_FILE to it, and run log-new again\.$/,
  );
  const second = join(folder, 'second');
  mkdirSync(second);
  env = { ...env, ...evidenceLogEnvironment(makeLogKey(second), folder) };
  const next = await database.adminWith(env, 'log-new');
  expect([next.code, next.output.split('\n')]).toEqual([
    0,
    [
      'a.example/log/2 goes on with the 2 leaves that are stored; a.example/log/1 was signed, or about to be, with 9.',
      'Gone for good: 7 leaves. The log says so, and verifiers of readers who saw them print FAILS.',
      `a.example/log/2 is noted in ${lastSeen()}; the worker signs it at its next run.`,
    ],
  ]);
  await work();
  expect((await status()).json.log).toMatchObject({ state: 'signed', origin: 'a.example/log/2', noted: true });
});

test('log-resume notes the stored tree in the file that it names', async () => {
  const root = hexOf(new Uint8Array(32));
  writeFileSync(lastSeen(), `${JSON.stringify({ origin: 'a.example/log/2', log: 2, size: 9, root })}\n`);
  const { code, output } = await database.adminWith(env, 'log-resume');
  expect([code, output]).toEqual([0, expect.stringContaining(lastSeen())]);
  await work();
  expect((await status()).json.log.state).toBe('signed');
});

test('doctor names a key of another log, a missing key and a note that cannot be written', async () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  const another = evidenceLogEnvironment(makeLogKey(other), folder);
  expect(await doctor({ ...env, ...another })).toMatchObject([
    { check: 'log key', state: 'failed', found: expect.stringContaining('a.example/log/2 is signed by the key') },
    { state: 'ok' },
  ]);
  expect(await doctor({ MARKET_DATA_NETWORK: 'false' })).toMatchObject([
    { check: 'log key', state: 'failed', found: expect.stringContaining('this process has none') },
    { state: 'ok', found: expect.stringContaining('LOG_KEY_FILE is not') },
  ]);
  expect(await doctor({ ROLE: 'api' })).toMatchObject([{ check: 'evidence log', state: 'ok' }]);
  const inData = join(database.environment.DATA_DIR ?? '', 'seen.json');
  expect(await doctor({ ...env, LOG_LAST_SEEN: inData })).toMatchObject([
    { state: 'ok' },
    { state: 'failed', found: expect.stringContaining('is in DATA_DIR') },
  ]);
  expect(await doctor({ ...env, LOG_LAST_SEEN: join(key.file, 'seen.json') })).toMatchObject([
    { state: 'ok' },
    { state: 'failed', found: expect.stringContaining('cannot be written') },
  ]);
});

test('a key file that cannot be read is named', async () => {
  const { code, output } = await database.adminWith({ LOG_KEY_FILE: join(folder, 'none.pem') }, 'status');
  expect([code, output]).toEqual([
    1,
    expect.stringContaining(`LOG_KEY_FILE: ${join(folder, 'none.pem')} cannot be read (ENOENT)`),
  ]);
});

test('audit --head --day shows what opens the leaf of a day', async () => {
  const { storage, arrange } = database.opened;
  await storage.audit.append({ actor: 'ada', action: 'tried', subject: 'something', detail: {} });
  await arrange.advance(DAY);
  await work();
  const [logged] = (await storage.log.heads()).slice(-1);
  if (!logged) throw new Error('No head is logged.');
  const { day, head, salt, index } = logged;
  const { code, output } = await database.admin('audit', '--head', '--day', day);
  const [shown, leaf, shownSalt] = output.split('\n');
  expect([code, shown, shownSalt]).toEqual([0, headText(head), `salt ${hexOf(salt)}`]);
  expect(leaf).toMatch(new RegExp(`^leaf ${index} of a\\.example/log/\\d+$`));
  const { output: json } = await database.admin('audit', '--head', '--day', day, '--json');
  expect(JSON.parse(json)).toMatchObject({ head: headText(head), day, index, salt: hexOf(salt) });
  expect(await database.admin('audit', '--head', '--day', '2020-01-01')).toEqual({
    code: 1,
    output: 'The evidence log has no head of the audit log of 2020-01-01.',
  });
  expect((await database.admin('audit', '--day', day)).code).toBe(2);
});
