import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, serverSettings } from '../../infrastructure/embedded-postgres/cluster.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { rolePasswords, SUPERUSER } from '../../infrastructure/embedded-postgres/roles.ts';
import { openServerHome } from '../../infrastructure/embedded-postgres/server-home.ts';
import { freePort } from '../../infrastructure/embedded-postgres/supervisor.ts';
import { query } from './embedded-instance.ts';
import { copyPreparedData } from './prepared-data.ts';
import { removeDataDir } from './throwaway-folder.ts';

/** A primary with the schema of the code, and a standby that streams from it. */
export interface Replicated {
  readonly primary: EmbeddedPostgres;
  readonly standby: {
    readonly serviceUrl: string;
    /** Whether it replays what it receives. */
    replay(on: boolean): Promise<void>;
    /** Waits until it has replayed what the primary has written by now. */
    catchUp(): Promise<void>;
    /** Whether a sleeping query whose text contains the mark is running. */
    isRead(mark: string): Promise<boolean>;
    /** Promotes it to a primary with its own timeline. */
    promote(): Promise<void>;
    stop(): Promise<void>;
  };
  close(): Promise<void>;
}

/** The standby begins as a copy of the primary's folder while nobody runs on it: no program for backups is packaged. */
export async function openReplicated(): Promise<Replicated> {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-replicated-'));
  chmodSync(folder, 0o711);
  const dataDir = join(folder, 'data');
  await copyPreparedData(dataDir);
  const data = realpathSync(join(dataDir, 'postgres', 'data'));
  const copy = join(dirname(data), 'standby');
  execFileSync('cp', ['-a', data, copy]);
  const primary = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  const port = await freePort();
  const child = startStandby(dataDir, copy, new URL(primary.url).port, port);
  const { superuser } = rolePasswords(dataDir);
  const standbyUrl = `postgresql://${SUPERUSER}:${superuser}@127.0.0.1:${port}/stancebook`;
  await answering(standbyUrl, child);
  const serviceUrl = new URL(primary.serviceUrl);
  serviceUrl.port = String(port);
  const stop = async () => {
    child.kill('SIGINT');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return {
    primary,
    standby: {
      serviceUrl: serviceUrl.href,
      replay: async (on) => void (await query(standbyUrl, `select pg_wal_replay_${on ? 'resume' : 'pause'}()`)),
      async catchUp() {
        const [row] = await query(primary.url, 'select pg_current_wal_flush_lsn()::text as lsn');
        const replayed = `select where pg_last_wal_replay_lsn() >= '${row?.lsn}'`;
        while ((await query(standbyUrl, replayed)).length === 0) await sleep(25);
      },
      isRead: async (mark) => (await query(standbyUrl, readsWith(mark))).length > 0,
      promote: async () => void (await query(standbyUrl, 'select pg_promote()')),
      stop,
    },
    async close() {
      await stop();
      await primary.stop();
      removeDataDir(dataDir);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const readsWith = (mark: string) => `
  select from pg_stat_activity
  where application_name = 'stancebook-reads' and wait_event = 'PgSleep' and position('${mark}' in query) > 0`;

function startStandby(dataDir: string, data: string, primaryPort: string, port: number): ChildProcess {
  const { superuser } = rolePasswords(dataDir);
  const source = `host=127.0.0.1 port=${primaryPort} user=${SUPERUSER} password=${superuser}`;
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  const signal = join(data, 'standby.signal');
  writeFileSync(signal, '');
  const { uid, gid } = statSync(data);
  chownSync(signal, uid, gid);
  const { postgres } = findBinaries(openServerHome(dataDir));
  const account = process.geteuid?.() === 0 ? { uid, gid } : {};
  return spawn(postgres, ['-D', data, ...serverSettings(port, true)], { ...account, cwd: data, stdio: 'ignore' });
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('The standby has ended.');
    try {
      await query(url, 'select 1');
      return;
    } catch {
      await sleep(50);
    }
  }
}
