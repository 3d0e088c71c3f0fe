import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DoctorCheck } from '../../../../infrastructure/commands/doctor-database.ts';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { adminEnvironment } from '../../../harness/admin-command.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';
import { openReplicated, type Replicated } from '../../../harness/standby.ts';

// The machine may be busy with other tests.

let folder: string;
let servers: Replicated;
let other: TestDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-doctor-'));
  servers = await openReplicated();
  other = await freshDatabase();
});
afterAll(async () => {
  await other.drop();
  await servers.close();
  rmSync(folder, { recursive: true });
});

/** The findings about these two variables, where DATABASE_URL is that of the primary. */
async function findings(env: NodeJS.ProcessEnv): Promise<readonly Omit<DoctorCheck, 'advice'>[]> {
  const lines: string[] = [];
  const all = { ...adminEnvironment(servers.primary.serviceUrl, folder), PORT: '0', ...env };
  await runCommand(['doctor', '--json'], all, { print: (line) => void lines.push(line), complain: () => undefined });
  const report: { readonly findings: readonly DoctorCheck[] } = JSON.parse(lines.join('\n'));
  return report.findings
    .filter(({ check }) => check === 'replica' || check === 'migration database')
    .map(({ check, state, found, advice }) => {
      expect(advice === null).toBe(state === 'ok');
      return { check, state, found };
    });
}

describe('MIGRATION_DATABASE_URL', () => {
  const check = 'migration database';

  test('is the same database, as the owner of the schema', async () => {
    expect(await findings({ MIGRATION_DATABASE_URL: servers.primary.url })).toEqual([
      { check, state: 'ok', found: 'the database of DATABASE_URL, as stancebook_owner' },
    ]);
  });

  test('is another database', async () => {
    const found = 'MIGRATION_DATABASE_URL and DATABASE_URL lead to different databases';
    expect(await findings({ MIGRATION_DATABASE_URL: other.url })).toEqual([{ check, state: 'failed', found }]);
    const postgres = new URL(servers.primary.url);
    postgres.pathname = '/template1';
    expect(await findings({ MIGRATION_DATABASE_URL: postgres.href })).toEqual([{ check, state: 'failed', found }]);
  });

  test('logs in as a role that does not own the schema', async () => {
    const url = new URL(servers.primary.serviceUrl);
    url.searchParams.set('application_name', 'migrations');
    expect(await findings({ MIGRATION_DATABASE_URL: url.href })).toEqual([
      {
        check,
        state: 'failed',
        found: 'the role stancebook does not own the schema, so it cannot run migrations',
      },
    ]);
  });

  test('cannot be reached', async () => {
    expect(await findings({ MIGRATION_DATABASE_URL: 'postgres://owner:x@127.0.0.1:1/stancebook' })).toEqual([
      { check, state: 'failed', found: 'No PostgreSQL accepts connections at 127.0.0.1:1 (ECONNREFUSED)' },
    ]);
  });
});

describe('DATABASE_READ_URL', () => {
  const check = 'replica';

  test('is a replica, with its lag', async () => {
    expect(await findings({ DATABASE_READ_URL: servers.standby.serviceUrl })).toEqual([
      { check, state: 'ok', found: expect.stringMatching(/^a replica of the server of DATABASE_URL, \d+ bytes /) },
    ]);
  });

  test('is the primary itself, another server, or none', async () => {
    expect(await findings({ DATABASE_READ_URL: servers.primary.serviceUrl })).toEqual([
      { check, state: 'failed', found: 'DATABASE_READ_URL leads to a server that is no replica' },
    ]);
    expect(await findings({ DATABASE_READ_URL: 'postgres://reader:x@127.0.0.1:1/stancebook' })).toEqual([
      { check, state: 'failed', found: 'No PostgreSQL accepts connections at 127.0.0.1:1 (ECONNREFUSED)' },
    ]);
    expect(await findings({ DATABASE_URL: other.serviceUrl, DATABASE_READ_URL: servers.standby.serviceUrl })).toEqual([
      { check, state: 'failed', found: 'the replica follows another primary than the server of DATABASE_URL' },
    ]);
  });
});
