import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { connectDatabase } from '../../../infrastructure/database/connect-database.ts';
import { noteSecrets, requireNoted } from '../../../infrastructure/database/secret-fingerprints.ts';
import { StartRefused } from '../../../infrastructure/start-refused.ts';
import { freshDatabase, type TestDatabase } from '../../harness/database.ts';
import { query } from '../../harness/embedded-instance.ts';

const [FIRST, SECOND, THIRD] = ['1'.repeat(32), '2'.repeat(32), '3'.repeat(32)] as const;

let folder: string;
let database: TestDatabase;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-fingerprints-'));
});
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.drop());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const configOf = (session: string, former = '', pepper: string = FIRST) =>
  readConfig({
    ...{ DATABASE_URL: database.serviceUrl, DATA_DIR: folder, SESSION_SECRET: session },
    ...{ SESSION_SECRET_FORMER: former, PASSWORD_PEPPER: pepper },
  });
/** A start on a connection of its own. */
const started = async (config: ReturnType<typeof readConfig>, start = noteSecrets, url = database.serviceUrl) => {
  const client = await connectDatabase(url, 'DATABASE_URL');
  await start(client, config).finally(() => client.end());
};
const note = (...values: Parameters<typeof configOf>) => started(configOf(...values));
const refusal = async (work: Promise<void>) => {
  const error = await work.catch((caught: unknown) => caught);
  if (!(error instanceof StartRefused)) throw new Error(`Not refused: ${error}`);
  return error.message;
};
const rows = (sql: string) => query(database.url, sql);
const noted = () => rows('select name, fingerprint from app.secret_fingerprints order by seq');

describe('a database', () => {
  test('notes its secrets once, however many processes start', async () => {
    await Promise.all(Array.from({ length: 8 }, () => note(FIRST)));
    expect((await noted()).map(({ name }) => name)).toEqual(['SESSION_SECRET', 'PASSWORD_PEPPER']);
    expect(await rows('select from app.audit_log')).toEqual([]);
  });

  test('has no text of a secret, and not the same fingerprint as another one', async () => {
    await note(FIRST);
    const other = await freshDatabase();
    await started(configOf(FIRST), noteSecrets, other.serviceUrl);
    const fingerprints = [
      ...(await noted()),
      ...(await query(other.url, 'select fingerprint from app.secret_fingerprints')),
    ];
    await other.drop();
    expect(new Set(fingerprints.map(({ fingerprint }) => String(fingerprint))).size).toBe(4);
  });

  test.each([
    ['SESSION_SECRET', () => note(SECOND)],
    ['PASSWORD_PEPPER', () => note(FIRST, '', SECOND)],
  ])('refuses another %s, and says what to set', async (name, start) => {
    await note(FIRST);
    const message = await refusal(start());
    expect(message).toMatch(new RegExp(`^${name} is not the secret that this database is used with since 2\\d{3}-`));
    expect(message).toContain(`set ${name}_FORMER to that one`);
    expect(message).not.toContain(SECOND);
    expect(await noted()).toHaveLength(2);
  });

  test('refuses it to commands as well, which note nothing', async () => {
    const command = (secret: string) => started(configOf(secret), requireNoted);
    await command(SECOND);
    expect(await noted()).toEqual([]);
    await note(FIRST);
    await command(FIRST);
    expect(await refusal(command(SECOND))).toMatch(/^SESSION_SECRET is not/);
  });

  test('accepts a new one that names the former, once for all, with an entry of the audit log', async () => {
    await note(FIRST);
    await Promise.all([note(SECOND, FIRST), note(SECOND, FIRST)]);
    await note(SECOND);
    await note(THIRD, `${SECOND},${FIRST}`);
    expect(await refusal(note(FIRST))).toMatch(/^SESSION_SECRET is not/);
    expect((await noted()).filter(({ name }) => name === 'SESSION_SECRET')).toHaveLength(3);
    expect(await rows("select subject from app.audit_log where action = 'secret_renewed'")).toEqual([
      { subject: 'SESSION_SECRET' },
      { subject: 'SESSION_SECRET' },
    ]);
  });

  test('lets nobody change or remove a fingerprint', async () => {
    await note(FIRST);
    for (const sql of ['update app.secret_fingerprints set name = name', 'delete from app.secret_fingerprints'])
      for (const url of [database.url, database.serviceUrl]) await expect(query(url, sql)).rejects.toThrow();
  });
});

describe('a start whose file of a secret is missing', () => {
  const embedded = (missing: string) => {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    readConfig({ DATA_DIR: dataDir });
    mkdirSync(join(dataDir, 'postgres', 'data'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '18\n');
    const before = readConfig({ DATA_DIR: dataDir });
    const file = join(dataDir, 'secrets', missing);
    rmSync(file);
    return { before, file, config: readConfig({ DATA_DIR: dataDir }) };
  };

  test.each(['session-secret', 'password-pepper'])('is refused with the time of a copy that has %s', async (name) => {
    const { before, file, config } = embedded(name);
    await started(before);
    expect(await refusal(started(config))).toMatch(
      new RegExp(
        `^${file} is missing, and the database depends on it\\. Copy it from a backup of that folder of 2\\d{3}-`,
      ),
    );
    expect(existsSync(file)).toBe(false);
  });

  test('is refused on a database of before with accounts, and makes the secret where there are none', async () => {
    const { file, config } = embedded('password-pepper');
    await query(database.url, 'insert into app.owners (owner_id, created_at) values (gen_random_uuid(), now())');
    expect(await refusal(started(config))).toContain(`${file} is missing`);
    expect([existsSync(file), await noted()]).toEqual([false, []]);
    await query(database.url, 'delete from app.owners');
    await started(config);
    expect([existsSync(file), (await noted()).length]).toEqual([true, 2]);
  });

  test('makes a key of the log only where there is no log', async () => {
    const { file, config } = embedded('log-key');
    await query(database.url, "insert into app.logs (log, origin, key_id) values (1, 'log.example/log/1', 'abcdef01')");
    expect(await refusal(started(config))).toMatch(/^\S+log-key is missing, and log\.example\/log\/1 is signed/);
    expect(existsSync(file)).toBe(false);
  });
});
