import { chmodSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../../../domain/time.ts';
import { installPackages } from '../../stage/debian.ts';
import { childrenOf } from './processes.ts';

/** The clock of PostgreSQL's own machine, which every function of the server reads: also `now()`, by which jobs wait. */
export interface ServerClock {
  /** Of the server, so that it reads this clock. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds that it is ahead of this machine. */
  ahead(): number;
  /**
   * Moves it while the server is stopped for more than two seconds, as a machine that is suspended: libfaketime counts whole
   * seconds and reads the file when more than one has passed, so that all processes see the new time.
   */
  jump(millis: number, postmaster: number): Promise<void>;
}

const STOPPED = 2_200;

/** null where Debian's libfaketime is not installed and cannot be. */
export function openServerClock(folder: string): ServerClock | null {
  const library = libraryOf() ?? installed();
  if (library === undefined) return null;
  const file = join(folder, 'server-clock');
  let ahead = 0;
  const write = () => {
    writeFileSync(`${file}.new`, `${ahead < 0 ? '' : '+'}${ahead / SECOND}\n`);
    // The server runs as another user.
    chmodSync(`${file}.new`, 0o644);
    renameSync(`${file}.new`, file);
  };
  write();
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    ahead: () => ahead,
    async jump(millis, postmaster) {
      // The postmaster first: afterwards it has no further children.
      const pids = [postmaster];
      signalAll(pids, 'SIGSTOP');
      pids.push(...childrenOf(postmaster));
      signalAll(pids, 'SIGSTOP');
      try {
        ahead += millis;
        write();
        await sleep(STOPPED);
      } finally {
        signalAll(pids, 'SIGCONT');
      }
    },
  };
}

function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }
}

function libraryOf(): string | undefined {
  const folders = readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu'));
  const files = folders.map((name) => join('/usr/lib', name, 'faketime', 'libfaketime.so.1'));
  return files.find((file) => existsSync(file));
}

function installed(): string | undefined {
  try {
    installPackages('libfaketime');
  } catch (error) {
    console.log(`The clock of the server stays: ${error instanceof Error ? error.message : error}`);
  }
  return libraryOf();
}
