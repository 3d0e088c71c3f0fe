import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { findBinaries, serverSettings } from '../../../infrastructure/embedded-postgres/cluster.ts';
import {
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { readPostmaster } from '../../../infrastructure/embedded-postgres/postmaster.ts';
import { openServerHome } from '../../../infrastructure/embedded-postgres/server-home.ts';
import { freePort } from '../../../infrastructure/embedded-postgres/supervisor.ts';
import {
  type Instance,
  killInstance,
  launchInstance,
  query,
  serves,
  startInstance,
  stopInstance,
  until,
} from '../../harness/embedded-instance.ts';
import { removeDataDir } from '../../harness/throwaway-folder.ts';

let folder: string;
let dataDir: string;
let instance: Instance | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-embedded-'));
  chmodSync(folder, 0o755);
  dataDir = join(folder, 'data');
  const first = await startInstance(dataDir);
  await query(first.url, 'create table public.notes (note text); grant select, insert on public.notes to stancebook');
  await stopInstance(first);
});

afterEach(async () => {
  if (instance) await killInstance(instance);
  instance = undefined;
});

afterAll(() => {
  removeDataDir(dataDir);
  rmSync(folder, { recursive: true, force: true });
});

const start = async () => {
  instance = await startInstance(dataDir);
  return instance;
};

describe('the server ends with its parent', () => {
  test('when the parent asks, before the parent leaves', async () => {
    const first = await start();
    await query(first.serviceUrl, `insert into notes values ('clean')`);
    expect(await stopInstance(first)).toBe(0);
    expect(serves(first.pid)).toBe(false);
    expect(findEmbeddedPostgres(dataDir)).toBeNull();
  });

  test('when the parent is killed, and nothing acknowledged is lost', async () => {
    const first = await start();
    await query(first.serviceUrl, `insert into notes values ('killed')`);
    first.child.kill('SIGKILL');
    await until(() => !serves(first.pid));
    const second = await start();
    expect(await query(second.serviceUrl, `select note from notes where note = 'killed'`)).toHaveLength(1);
  });

  test('and not before it: an interrupt from the terminal reaches the parent alone', async () => {
    const { child, lines, serviceUrl } = await start();
    const line = once(lines, 'line');
    process.kill(-Number(child.pid), 'SIGINT');
    expect(await line).toEqual(['interrupted']);
    expect(await query(serviceUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('a data folder has one instance', () => {
  test('the second is refused with the pid of the first', async () => {
    const { child } = await start();
    await expect(startInstance(dataDir)).rejects.toThrow(
      `Another instance (pid ${child.pid}) is running on ${dataDir}`,
    );
  });

  test('one of three that start at once wins', async () => {
    const started = await Promise.allSettled([startInstance(dataDir), startInstance(dataDir), startInstance(dataDir)]);
    const winners = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    await Promise.all(winners.map(killInstance));
    expect(winners).toHaveLength(1);
  });

  test('other processes find the running server', async () => {
    const { url, serviceUrl } = await start();
    expect(findEmbeddedPostgres(dataDir)).toEqual({ url, serviceUrl });
  });
});

describe('the next start recovers', () => {
  test('from a server that outlived its parent and its watchdog', async () => {
    const orphan = await startOrphan();
    const { serviceUrl } = await start();
    expect(orphan.exitCode ?? orphan.signalCode).not.toBeNull();
    expect(await query(serviceUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('from a process id that another program has by now, which it leaves alone', async () => {
    const { account, folder: home } = openServerHome(dataDir);
    const stranger = spawn('sleep', ['60'], { ...account, stdio: 'ignore' });
    writeFileSync(
      join(home, 'data', 'postmaster.pid'),
      `${stranger.pid}\n${home}/data\n1\n5432\n\n127.0.0.1\n1 1\nready\n`,
    );
    const { serviceUrl } = await start();
    expect(await query(serviceUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  });

  test('from a crash while the data folder was made', async () => {
    const halfMade = join(folder, 'half-made');
    const staged = () => {
      const home = join(halfMade, 'postgres');
      return existsSync(home) ? readdirSync(home).filter((name) => name.startsWith('data-staging')) : [];
    };
    const child = launchInstance(halfMade);
    await until(() => staged().some((name) => !name.endsWith('.password')));
    child.kill('SIGKILL');
    expect(existsSync(join(halfMade, 'postgres', 'data'))).toBe(false);
    const recovered = await startInstance(halfMade);
    const rows = await query(recovered.serviceUrl, 'select 1 as one');
    await killInstance(recovered);
    expect(rows).toEqual([{ one: 1 }]);
    expect(staged()).toEqual([]);
    removeDataDir(halfMade);
  });
});

describe('a start that cannot succeed says why', () => {
  test('a data folder of another major version', async () => {
    await withFile('PG_VERSION', '17\n', () =>
      expect(startInstance(dataDir)).rejects.toThrow(
        'was made by PostgreSQL 17, and this version of the service brings',
      ),
    );
  });

  test('a server that does not start: with the last lines of its log', async () => {
    await withFile('postgresql.auto.conf', 'no setting\n', () =>
      expect(startInstance(dataDir)).rejects.toThrow(/PostgreSQL did not start.*unrecognized configuration parameter/s),
    );
  });
});

describe('the server is closed to others', () => {
  test('it keeps its passwords to the user of the service', () => {
    const secrets = join(dataDir, 'secrets');
    const modes = readdirSync(secrets).map((name) => statSync(join(secrets, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  test('it asks for the password', async () => {
    const wrong = new URL((await start()).serviceUrl);
    wrong.password = 'guessed';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
  });

  test('the service is no superuser and owns nothing', async () => {
    const { serviceUrl } = await start();
    await expect(query(serviceUrl, 'delete from notes')).rejects.toThrow('permission denied');
    await expect(query(serviceUrl, 'create table public.more ()')).rejects.toThrow('permission denied');
  });
});

test('it is durable, in UTF-8 and UTC', async () => {
  const { serviceUrl } = await start();
  const settings = [
    'fsync',
    'full_page_writes',
    'synchronous_commit',
    'server_encoding',
    'timezone',
    'listen_addresses',
  ];
  const [row] = await query(serviceUrl, `select ${settings.map((name) => `current_setting('${name}') as ${name}`)}`);
  expect(Object.values(row ?? {})).toEqual(['on', 'on', 'on', 'UTF8', 'UTC', '127.0.0.1']);
});

test('a stop after the server has ended by itself is no fault', async () => {
  const { child, pid } = await start();
  process.kill(pid, 'SIGKILL');
  await until(() => !serves(pid));
  child.kill('SIGTERM');
  expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
});

test('what need not wait for the server is called once, before it is ready', async () => {
  const found: unknown[] = [];
  const meanwhile = () => void found.push(findEmbeddedPostgres(dataDir));
  const server = await startEmbeddedPostgres({ dataDir, log: () => undefined, meanwhile });
  await server.stop();
  expect(found).toEqual([null]);
});

/** A server on the folder without parent or watchdog. */
async function startOrphan() {
  const home = openServerHome(dataDir);
  const data = realpathSync(join(home.folder, 'data'));
  const args = ['-D', data, ...serverSettings(await freePort(), false)];
  const orphan = spawn(findBinaries(home).postgres, args, { ...home.account, cwd: '/', stdio: 'ignore' });
  await until(() => readPostmaster(data)?.pid === orphan.pid && readPostmaster(data)?.ready === true);
  return orphan;
}

/** Runs the check while the file of the cluster reads otherwise. */
async function withFile(name: string, content: string, check: () => Promise<void>): Promise<void> {
  const file = join(dataDir, 'postgres', 'data', name);
  const original = readFileSync(file);
  writeFileSync(file, content);
  try {
    await check();
  } finally {
    writeFileSync(file, original);
  }
}
