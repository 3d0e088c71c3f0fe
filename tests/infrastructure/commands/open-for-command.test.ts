import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommand } from '../../../infrastructure/commands/run-command.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { startDatabase } from '../../../infrastructure/database/database.ts';
import { findEmbeddedPostgres } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { createLogger } from '../../../infrastructure/logging/logger.ts';
import { startInstance, stopInstance, until } from '../../harness/embedded-instance.ts';
import { removeDataDir } from '../../harness/throwaway-folder.ts';

// The machine may be busy with other tests.

const dataDir = mkdtempSync(join(tmpdir(), 'stancebook-admin-'));
beforeAll(() => chmodSync(dataDir, 0o711));
afterAll(() => removeDataDir(dataDir));

const NO_RECORD = { code: 1, output: ['dec_20260101_00000000: impossible. There is no such record.'] };

test('a command starts only a database that exists and is not running, and stops it again', async () => {
  const config = readConfig({ DATA_DIR: dataDir });
  expect(await admin()).toEqual({ code: 1, output: [`There is no database in ${dataDir}.`] });
  const service = await startDatabase(config, createLogger({ level: 'silent', format: 'json' }));
  expect(await admin()).toEqual(NO_RECORD);
  expect(findEmbeddedPostgres(dataDir)).not.toBeNull();
  await service.stop();
  expect(await admin()).toEqual(NO_RECORD);
  expect(findEmbeddedPostgres(dataDir)).toBeNull();
});

test.each(['postgres-owner', 'postgres-service'])(
  'a start names the file where %s has the content of another',
  async (name) => {
    const file = join(dataDir, 'secrets', name);
    const right = readFileSync(file, 'utf8');
    for (const other of ['x'.repeat(43), `${'a/b@c:d?e#f%g h+'.repeat(3)}=`]) {
      writeFileSync(file, other);
      const starting = startDatabase(
        readConfig({ DATA_DIR: dataDir }),
        createLogger({ level: 'silent', format: 'json' }),
      );
      await expect(starting).rejects.toThrow(
        new RegExp(
          `^The server at 127\\.0\\.0\\.1:\\d+ refused the password of the role stancebook${name === 'postgres-owner' ? '_owner' : ''}\\. ` +
            'Copy postgres-owner and postgres-service from the newest backup of DATA_DIR/secrets, or ',
        ),
      );
    }
    writeFileSync(file, right);
    await (
      await startDatabase(readConfig({ DATA_DIR: dataDir }), createLogger({ level: 'silent', format: 'json' }))
    ).stop();
  },
);

test('a command waits for a service that is just starting', async () => {
  const starting = startInstance(dataDir);
  await until(() => existsSync(join(dataDir, 'instance.pid')));
  expect(await admin()).toEqual(NO_RECORD);
  await stopInstance(await starting);
});

test('a backup as the owner of the schema, while the service runs and while it does not', async () => {
  const bin = join(dataDir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'pg_dump'), DUMPS_ITS_ARGUMENTS, { mode: 0o755 });
  const backup = async (file: string) => {
    const output: string[] = [];
    const print = (line: string) => void output.push(line);
    const env = { DATA_DIR: dataDir, PATH: `${bin}:/bin:/usr/bin` };
    expect([await runCommand(['backup', file], env, { print, complain: print }), output]).toEqual([
      0,
      [
        expect.stringMatching(/ by pg_dump 99\.$/),
        expect.stringContaining(`does not contain the secrets in ${join(dataDir, 'secrets')} and the bar files`),
        expect.stringContaining('Restore it on PostgreSQL 99 or later'),
      ],
    ]);
    expect(readFileSync(file, 'utf8')).toMatch(
      /--dbname=postgresql:\/\/stancebook_owner@127\.0\.0\.1:\d+\/stancebook /,
    );
  };
  await backup(join(dataDir, 'stopped.dump'));
  expect(findEmbeddedPostgres(dataDir)).toBeNull();
  const service = await startInstance(dataDir);
  await backup(join(dataDir, 'running.dump'));
  expect(findEmbeddedPostgres(dataDir)).not.toBeNull();
  await stopInstance(service);
});

const DUMPS_ITS_ARGUMENTS = `#!/bin/sh
if [ "$1" = --version ]; then echo 'pg_dump (PostgreSQL) 99.1'; exit; fi
for word in "$@"; do case "$word" in --file=*) echo "$*" > "\${word#--file=}";; esac; done
`;

async function admin() {
  const output: string[] = [];
  const print = (line: string) => void output.push(line);
  const command = ['recompute', 'dec_20260101_00000000'];
  const code = await runCommand(command, { DATA_DIR: dataDir }, { print, complain: print });
  return { code, output };
}
