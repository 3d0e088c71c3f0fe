import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Account } from '../../../infrastructure/embedded-postgres/server-home.ts';
import { copyProject, killInstance, query, startInstance } from '../../harness/embedded-instance.ts';
import { removeDataDir } from '../../harness/throwaway-folder.ts';

const AS_ROOT = process.geteuid?.() === 0;
/** Copying the binaries is all that takes long, and how long depends on the disk. */
const PATIENCE = 120_000;

let folder: string;
let home: string;
let project: ReturnType<typeof copyProject>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-homes-'));
  chmodSync(folder, 0o755);
  home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  project = copyProject(join(home, 'project'));
}, PATIENCE);

afterAll(() => rmSync(folder, { recursive: true, force: true }), PATIENCE);

describe('the server runs from a home that others cannot enter', () => {
  const nobody = { uid: idOfNobody('-u'), gid: idOfNobody('-g') };

  // A user other than root can only run as itself.
  test.each<[string, Account | undefined]>([
    ['as the user who runs the tests', undefined],
    ['as an ordinary user', AS_ROOT ? nobody : undefined],
  ])(
    '%s',
    async (_who, account) => {
      if (account) spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, home]);
      const dataDir = join(home, 'data');
      const instance = await startInstance(dataDir, { account, ...project });
      const rows = await query(instance.serviceUrl, 'select 1 as one');
      await killInstance(instance);
      removeDataDir(dataDir);
      expect(rows).toEqual([{ one: 1 }]);
    },
    PATIENCE,
  );
});

function idOfNobody(flag: string): number {
  return Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
}
