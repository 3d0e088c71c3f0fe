import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Account, accountCan, openServerHome } from '../../infrastructure/embedded-postgres/server-home.ts';
import { closed, newCaller, submit, VECTOR } from './calls.ts';
import { makeFolder, removeFolder, startService, stopService } from './service.ts';

// The machine may be busy with other tests.

let folder: string;

beforeEach(() => {
  folder = makeFolder();
});

afterEach(() => removeFolder(folder));

const account = ordinaryUser();

test(`a service of ${account ? `user ${account.uid}, whom root stepped down to,` : 'the user of the tests'} grades a decision`, async () => {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  if (account) chownSync(dataDir, account.uid, account.gid);
  const service = await startService(dataDir, { account });
  const { api_key } = await newCaller(service, 'owner');
  const { body } = await submit(service, api_key, VECTOR);
  expect((await closed(service, api_key, body.record_id)).body.outcome.result_bucket).toBe('strong_correct');
  expect(await stopService(service)).toBe(0);
  const { uid } = statSync(dataDir);
  expect(statSync(join(dataDir, 'secrets', 'password-pepper'))).toMatchObject({ uid });
  expect(statSync(join(dataDir, 'postgres', 'data'))).toMatchObject({ uid });
});

/** The user as whom root runs PostgreSQL, if it can read the project; undefined for the current user. */
function ordinaryUser(): Account | undefined {
  const probe = makeFolder();
  try {
    const { account } = openServerHome(join(probe, 'data'));
    const main = join(import.meta.dirname, '..', '..', 'infrastructure', 'main.ts');
    return account && accountCan(account, 'test -r "$1" && test -x "$2"', main, process.execPath) ? account : undefined;
  } finally {
    removeFolder(probe);
  }
}
