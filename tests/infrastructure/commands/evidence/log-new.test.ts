import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../adapters/formats/canonical-json.ts';
import { openMemory } from '../../../../adapters/memory/storage.ts';
import { keepLog } from '../../../../application/log/keep-log.ts';
import type { Storage } from '../../../../application/ports.ts';
import { MINUTE } from '../../../../domain/time.ts';
import type { CommandContext } from '../../../../infrastructure/commands/command.ts';
import { LOG_COMMANDS } from '../../../../infrastructure/commands/log-commands.ts';
import { composeLogWriter } from '../../../../infrastructure/compose/log-writer.ts';
import { readConfig } from '../../../../infrastructure/config/config.ts';
import { newLogKey } from '../../../../infrastructure/config/evidence-log.ts';
import { replaceSecret, secretFile, storeSecret } from '../../../../infrastructure/config/stored-secrets.ts';
import { aDraft, anAgent, aSubmission, NO_LIMITS } from '../../../builders/decisions.ts';

// A service with the embedded database makes its key by itself; its note is named by the key, in the home folder.
const HOME = process.env.HOME;
let folder: string;
let dataDir: string;
let storage: Storage;
let time: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-log-new-'));
  dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  process.env.HOME = folder;
  time = Date.UTC(2026, 2, 2, 12);
  storage = openMemory({ now: () => new Date(time) });
});
afterEach(() => {
  process.env.HOME = HOME;
  rmSync(folder, { recursive: true });
});

const config = (env: NodeJS.ProcessEnv = {}) => readConfig({ DATA_DIR: dataDir, ...env });

async function work(env: NodeJS.ProcessEnv = {}): Promise<void> {
  time += 2 * MINUTE;
  const writer = composeLogWriter(config(env));
  if (!writer) throw new Error('This process does not write the log.');
  await keepLog({ ...storage, canonicalJson, ...writer }, { interval: MINUTE });
}

async function submit(): Promise<void> {
  const now = new Date(time);
  await storage.intake.submit(aDraft(await anAgent(storage), now, aSubmission(now), { limits: NO_LIMITS }));
}

/** Runs `log-new`; returns its exit code and its lines. */
async function logNew(env: NodeJS.ProcessEnv = {}) {
  const lines: string[] = [];
  const command = LOG_COMMANDS.find(({ name }) => name === 'log-new');
  const context = { storage, config: config(env), print: (line: string) => lines.push(line), report: () => undefined };
  const code = await command?.read([])(context as unknown as CommandContext);
  return { code, lines };
}

const keyNow = () => readFileSync(secretFile(dataDir, 'log-key'), 'utf8');

test('where the service made the key, log-new makes the next one, and what was noted by the old one is known', async () => {
  await work();
  await submit();
  await work();
  const old = keyNow();
  const { code, lines } = await logNew();
  expect(code).toBe(0);
  expect(lines).toEqual([
    `${secretFile(dataDir, 'log-key')} has a new key. Restart the service, and back up the folder.`,
    expect.stringMatching(
      /^stancebook-\w{12}\/log\/2 goes on with the 2 leaves that are stored; \S+\/log\/1 was signed, or about to be, with 2\.$/,
    ),
    expect.stringMatching(/\/log\/2 is noted in \S+\.json; the worker signs it at its next run\.$/),
  ]);
  expect(keyNow()).not.toBe(old);
  expect(existsSync(secretFile(dataDir, 'log-key-next'))).toBe(false);
  await submit();
  await work();
  // With the leaf for the audit log, where the command is.
  expect(await storage.log.signed(2)).toMatchObject({ size: 5 });
  expect((await logNew()).lines[1]).toContain('/log/2 was signed, or about to be, with 5.');
});

test('a run that ended after the log had started, and before its key was in place, is completed by the next one', async () => {
  await work();
  const old = keyNow();
  await logNew();
  const next = keyNow();
  replaceSecret(dataDir, { name: 'log-key', text: old.trim() });
  storeSecret(dataDir, { name: 'log-key-next', text: next.trim() });
  expect(await logNew()).toEqual({ code: 0, lines: [expect.stringContaining('has a new key')] });
  expect([keyNow(), (await storage.log.newest())?.log]).toEqual([next, 2]);
  await work();
  expect(await storage.log.signed(2)).toMatchObject({ size: 3 });
});

test('where the key was lost, the one that was made in its place signs, and the note of the lost one is known', async () => {
  await work();
  await submit();
  await work();
  const lost = keyNow();
  rmSync(secretFile(dataDir, 'log-key'));
  storeSecret(dataDir, { name: 'log-key', text: newLogKey() });
  const made = keyNow();
  expect((await logNew()).lines[0]).toContain('goes on with the 2 leaves that are stored;');
  expect(keyNow()).toBe(made);
  expect(made).not.toBe(lost);
});

test('a database from before a log-new gets a further key: the present one signed the log that is gone', async () => {
  await work();
  const backup = openMemory({ now: () => new Date(time) });
  const writer = composeLogWriter(config());
  if (!writer) throw new Error('This process does not write the log.');
  await keepLog({ ...backup, canonicalJson, ...writer }, { interval: MINUTE });
  await logNew();
  await work();
  const second = keyNow();
  storage = backup;
  await expect(work()).rejects.toThrow('The key');
  const { code, lines } = await logNew();
  expect([code, lines[1]]).toEqual([
    0,
    expect.stringMatching(
      /\/log\/3 goes on with the 1 leaf that is stored; .*\/log\/2 was signed, or about to be, with 3\.$/,
    ),
  ]);
  expect(keyNow()).not.toBe(second);
});

describe("with the operator's keys", () => {
  const env = (key: number) => {
    const file = join(folder, `key-${key}.pem`);
    if (!existsSync(file)) writeFileSync(file, newLogKey(), { mode: 0o600 });
    return { LOG_KEY_FILE: file, LOG_LAST_SEEN: join(folder, 'seen.json') };
  };

  /** A database from before the second log, whose key signed it elsewhere. */
  async function restored(): Promise<void> {
    await work(env(1));
    const backup = openMemory({ now: () => new Date(time) });
    const writer = composeLogWriter(config(env(1)));
    if (!writer) throw new Error('This process does not write the log.');
    await keepLog({ ...backup, canonicalJson, ...writer }, { interval: MINUTE });
    expect((await logNew(env(2))).code).toBe(0);
    await work(env(2));
    storage = backup;
  }

  test('the key of a log that a restored database lacks is refused, and the next one is accepted', async () => {
    await restored();
    for (const key of [1, 2]) {
      const { code, lines } = await logNew(env(key));
      expect([code, lines]).toEqual([
        1,
        [expect.stringMatching(/^The configured key signed .*Make one .*LOG_KEY_FILE/)],
      ]);
    }
    const { code, lines } = await logNew(env(3));
    expect([code, lines[0]]).toEqual([0, expect.stringContaining('/log/3 goes on')]);
    await work(env(3));
    expect((await logNew(env(2))).lines[0]).toContain(
      'signed a log that LOG_LAST_SEEN has seen and this database lacks',
    );
  });

  test('log-resume keeps what was seen of keys', async () => {
    await restored();
    const command = LOG_COMMANDS.find(({ name }) => name === 'log-resume');
    const context = { storage, config: config(env(1)), print: () => undefined, report: () => undefined };
    expect(await command?.read([])(context as unknown as CommandContext)).toBe(0);
    expect((await logNew(env(2))).code).toBe(1);
    expect((await logNew(env(3))).code).toBe(0);
  });

  test('a note of an earlier release, without keys, is read, and the next signature adds them', async () => {
    await work(env(1));
    const { LOG_LAST_SEEN: file } = env(1);
    const { keys, ...earlier } = JSON.parse(readFileSync(file, 'utf8'));
    expect(keys).toHaveLength(1);
    writeFileSync(file, `${JSON.stringify(earlier)}\n`);
    await submit();
    await work(env(1));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ size: 2, keys });
  });
});

test('the name of the host is kept where it is configured', async () => {
  const env = { PUBLIC_URL: 'https://a.example', LOG_LAST_SEEN: join(folder, 'seen.json') };
  await work(env);
  const { lines } = await logNew(env);
  expect(lines[1]).toBe(
    'a.example/log/2 goes on with the 1 leaf that is stored; a.example/log/1 was signed, or about to be, with 1.',
  );
  expect(lines[2]).toContain(join(folder, 'seen.json'));
});

test('without a log there is nothing to go on with', async () => {
  expect(await logNew()).toEqual({ code: 1, lines: ['There is no log yet; the worker starts it.'] });
});
