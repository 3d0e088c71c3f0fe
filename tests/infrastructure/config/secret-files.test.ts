import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { withSecretFiles } from '../../../infrastructure/config/secret-files.ts';
import { SECRET_INVENTORY } from '../../../infrastructure/config/secret-inventory.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-secret-files-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(text: string, mode = 0o400): string {
  const path = join(mkdtempSync(join(folder, 'file-')), 'secret');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function linkTo(path: string): string {
  symlinkSync(path, `${path}-link`);
  return `${path}-link`;
}

function pipe(): string {
  const path = join(mkdtempSync(join(folder, 'pipe-')), 'secret');
  execFileSync('mkfifo', ['-m', '600', path]);
  return path;
}

const SECRET = 'a secret of the tests, long enough for them';

describe('a secret in a file', () => {
  test.each([SECRET, `${SECRET}\n`, `${SECRET}\r\n`])('%j is that of the variable', (text) => {
    expect(withSecretFiles({ SESSION_SECRET_FILE: file(text), PORT: '1' })).toEqual({
      SESSION_SECRET: SECRET,
      PORT: '1',
    });
  });

  test('is read of every variable of a secret, by the whole configuration', () => {
    const url = 'postgresql://stancebook:word@127.0.0.1:1/stancebook';
    const former = `${'1'.repeat(32)}\n${'2'.repeat(32)}\n`;
    const { secrets, database, server } = readConfig({
      ...{ DATABASE_URL_FILE: file(url), SESSION_SECRET_FILE: file(SECRET, 0o440), PASSWORD_PEPPER_FILE: file(SECRET) },
      ...{ SESSION_SECRET_FORMER_FILE: file(former), METRICS_TOKEN_FILE: file(SECRET), DATA_DIR: folder },
    });
    expect([database.url, secrets.session, server.metricsToken]).toEqual([url, SECRET, SECRET]);
    expect(secrets.formerSessions).toEqual(['1'.repeat(32), '2'.repeat(32)]);
  });

  const refused: readonly (readonly [string, () => NodeJS.ProcessEnv, RegExp])[] = [
    [
      'that all can read',
      () => ({ SESSION_SECRET_FILE: file(SECRET, 0o444) }),
      /can be read by every user; give it the mode 0400/,
    ],
    ['that is empty', () => ({ SMTP_URL_FILE: file('\n') }), /SMTP_URL_FILE: \S+ is empty/],
    ['that is missing', () => ({ METRICS_TOKEN_FILE: '/no/such' }), /\/no\/such cannot be read \(ENOENT\)/],
    [
      'that is a folder',
      () => ({ METRICS_TOKEN_FILE: mkdtempSync(join(folder, 'closed-')) }),
      /cannot be read \(EISDIR\)/,
    ],
    ['that leads to a named pipe', () => ({ METRICS_TOKEN_FILE: linkTo(pipe()) }), /is a named pipe/],
    ['that is a named pipe', () => ({ METRICS_TOKEN_FILE: pipe() }), /is a named pipe, .*; send the path of a file/],
    [
      'next to its variable',
      () => ({ SESSION_SECRET: SECRET, SESSION_SECRET_FILE: file(SECRET) }),
      /SESSION_SECRET is set as well/,
    ],
    [
      'of the log that all can read',
      () => ({ LOG_KEY_FILE: file('key', 0o644) }),
      /LOG_KEY_FILE: \S+ can be read by every user/,
    ],
  ];

  test.each(refused)('%s is refused, without its text', (_what, env, message) => {
    const read = () => readConfig({ DATA_DIR: folder, ...env() });
    expect(read).toThrow(message);
    expect(read).not.toThrow(SECRET);
  });
});

describe('a data folder with a database', () => {
  const made = (missing: string) => {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const env = { DATA_DIR: dataDir };
    readConfig(env);
    mkdirSync(join(dataDir, 'postgres', 'data'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '18\n');
    rmSync(join(dataDir, 'secrets', missing));
    return { dataDir, env };
  };

  test.each(['session-secret', 'password-pepper', 'log-key'])('gets no new %s', (name) => {
    const { dataDir, env } = made(name);
    expect(readConfig(env).secrets.unstored).toMatchObject([{ name }]);
    expect(existsSync(join(dataDir, 'secrets', name))).toBe(false);
  });

  test('has files of the inventory alone', () => {
    const { dataDir } = made('log-key');
    const known = SECRET_INVENTORY.map(({ file: name }) => name);
    expect(readdirSync(join(dataDir, 'secrets')).filter((name) => !known.includes(name))).toEqual([]);
  });
});
