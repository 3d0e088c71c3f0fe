import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DAY } from '../../../../domain/time.ts';
import type { DoctorCheck } from '../../../../infrastructure/commands/doctor-database.ts';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { adminEnvironment } from '../../../harness/admin-command.ts';
import { execute, freshDatabase, type TestDatabase } from '../../../harness/database.ts';
import { databaseClock } from '../../../harness/database-clock.ts';
import { query } from '../../../harness/embedded-instance.ts';

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-doctor-'));
  database = await freshDatabase();
  // As a worker does.
  while ((await query(database.serviceUrl, 'select app.add_month() as name'))[0]?.name !== null);
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

async function doctor(env: NodeJS.ProcessEnv) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const text = await runCommand(['doctor'], env, { print, complain: print });
  const said = lines.splice(0).join('\n');
  const code = await runCommand(['doctor', '--json'], env, { print, complain: print });
  expect(text).toBe(code);
  const { findings }: { findings: readonly DoctorCheck[] } = JSON.parse(lines.join('\n'));
  return { code, said, findings, failed: findings.filter(({ state }) => state === 'failed') };
}

const external = (url: string) => ({ ...adminEnvironment(url, folder), PORT: '0', HOST: '127.0.0.1' });

/** The test server gives up durability for speed, which is what this check must find. */
const DURABLE = /fsync is off/;

describe('on a database of its own', () => {
  test('every check has a line, and those that failed say what to do', async () => {
    const { code, said, findings, failed } = await doctor(external(database.serviceUrl));
    const names = [
      'configuration',
      'secrets',
      'disk',
      'database',
      'settings',
      'schema',
      'functions',
      'clock',
      'rights',
      'months',
    ];
    expect(findings.map(({ check }) => check)).toEqual([...names, 'evidence log', 'sources', 'port']);
    expect(failed).toEqual([
      { check: 'settings', state: 'failed', found: expect.stringMatching(DURABLE), advice: expect.any(String) },
    ]);
    expect(code).toBe(1);
    expect(said).toMatch(/^ok {6}configuration: all variables can be used\nok {6}secrets: /);
    expect(said).toMatch(/\nfailed {2}settings: [\s\S]*\n {8}What to do: Correct each of these/);
  });

  test('a service that connects as the owner of the schema has rights to change evidence', async () => {
    const { failed } = await doctor(external(database.url));
    expect(failed.map(({ check }) => check)).toEqual(['settings', 'rights']);
    expect(failed[1]?.found).toContain('audit_log');
  });

  test('a month that begins within 7 days has no partition', async () => {
    const other = await freshDatabase();
    const clock = await databaseClock(other.url);
    await clock.advance(70 * DAY);
    await clock.close();
    const { failed } = await doctor(external(other.serviceUrl));
    expect(failed.map(({ check }) => check)).toEqual(['settings', 'months']);
    expect(failed[1]?.found).toMatch(/^there is no app\.decision_documents_\d{6} yet; /);
    await other.drop();
  });

  test('functions of an earlier release, which has no months', async () => {
    const other = await freshDatabase();
    await execute(other.url, "update app.applied_functions set hash = 'another'; drop function app.missing_month()");
    const { failed } = await doctor(external(other.serviceUrl));
    expect(failed.map(({ check }) => check)).toEqual(['settings', 'functions']);
    await other.drop();
  });

  test('a database that is empty lacks the schema', async () => {
    const empty = await freshDatabase({ empty: true });
    const { failed } = await doctor(external(empty.url));
    expect(failed.map(({ check }) => check)).toEqual(['settings', 'schema']);
    expect(failed[1]?.advice).toContain('it runs the migrations');
    await empty.drop();
  });

  test('a database that does not answer', async () => {
    const { code, failed } = await doctor(external('postgres://stancebook@127.0.0.1:1/stancebook'));
    const advice = 'Start the database, or correct DATABASE_URL.';
    expect([code, failed]).toEqual([
      1,
      [{ check: 'database', state: 'failed', found: expect.stringContaining('ECONNREFUSED'), advice }],
    ]);
  });

  test('variables that cannot be used, all of them', async () => {
    const { failed } = await doctor({ ...external(database.serviceUrl), PORT: 'http', LIMIT_RATE: '1' });
    expect(failed).toMatchObject([{ check: 'configuration' }]);
    expect(failed[0]?.found).toMatch(/PORT: [\s\S]*LIMIT_RATE: /);
  });

  test('an address that is not of this machine', async () => {
    const { failed } = await doctor({ ...external(database.serviceUrl), HOST: '192.0.2.1' });
    expect(failed.map(({ check }) => check)).toEqual(['settings', 'port']);
    expect(failed[1]?.found).toContain('EADDRNOTAVAIL');
  });
});

describe('without DATABASE_URL', () => {
  test('a folder without data is a fault, and stays without', async () => {
    const dataDir = join(folder, 'none');
    expect((await doctor({ DATA_DIR: dataDir })).failed).toMatchObject([
      { check: 'secrets', found: `there is no data of the service in ${dataDir}` },
    ]);
    expect(() => rmSync(dataDir)).toThrow('ENOENT');
  });

  test('secrets that are missing are named and not made', async () => {
    const dataDir = join(folder, 'some');
    mkdirSync(join(dataDir, 'secrets'), { recursive: true });
    for (const name of ['postgres-superuser', 'postgres-owner', 'postgres-service', 'session-secret'])
      writeFileSync(join(dataDir, 'secrets', name), `${'x'.repeat(43)}\n`);
    const { failed } = await doctor({ DATA_DIR: dataDir });
    expect(failed).toMatchObject([{ check: 'secrets', found: `${join(dataDir, 'secrets')} lacks password-pepper` }]);
    writeFileSync(join(dataDir, 'secrets', 'password-pepper'), `${'x'.repeat(43)}\n`);
    const stopped = await doctor({ DATA_DIR: dataDir, PORT: '0', MARKET_DATA_NETWORK: 'false' });
    expect(stopped.failed).toMatchObject([{ check: 'database', advice: 'Start the service.' }]);
    expect(stopped.said).toContain('sources: bar files in ');
  });
});

test('an argument is a wrong call', async () => {
  const quiet = { print: () => undefined, complain: () => undefined };
  expect(await runCommand(['doctor', 'now'], {}, quiet)).toBe(2);
});
