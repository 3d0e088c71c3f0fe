import { chmodSync, existsSync, mkdtempSync } from 'node:fs';
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

test('a command waits for a service that is just starting', async () => {
  const starting = startInstance(dataDir);
  await until(() => existsSync(join(dataDir, 'instance.pid')));
  expect(await admin()).toEqual(NO_RECORD);
  await stopInstance(await starting);
});

async function admin() {
  const output: string[] = [];
  const print = (line: string) => void output.push(line);
  const command = ['recompute', 'dec_20260101_00000000'];
  const code = await runCommand(command, { DATA_DIR: dataDir }, { print, complain: print });
  return { code, output };
}
