import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf, exitOf, SERVICE, startChild } from '../child-process.ts';
import { SETTINGS, variablesOf } from './settings.ts';

/** The real service as a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Resolves with how it ended, in words, whether or not it was stopped. */
  readonly ended: Promise<string>;
  /** Stops it and its database in order. Returns how it ended, also when that was earlier. */
  stop(): Promise<string>;
}

/**
 * Starts the service on the folder and waits until it listens. Ctrl-C does not reach it: the demo stops it.
 *
 * @param more variables of its environment, besides the settings of the demo
 * @throws EndedEarly
 */
export async function startService(folder: string, port: number, more: Variables = {}): Promise<ServiceProcess> {
  const child = launch(folder, port, more);
  const ended = exitOf(child).then((exit) => (typeof exit === 'number' ? `with exit code ${exit}` : `by ${exit}`));
  const { url } = await addressOf(child);
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    stop() {
      child.stdin?.end();
      return ended;
    },
  };
}

type Variables = Readonly<Record<string, string>>;

function launch(folder: string, port: number, more: Variables) {
  const stdout = openSync(join(folder, 'service.log'), 'a', 0o600);
  try {
    const place = { DATA_DIR: folder, LOG_LAST_SEEN: join(folder, 'last-seen.json'), PORT: String(port) };
    const own = { ...variablesOf(SETTINGS), ...place, LOG_FORMAT: 'json', ...more };
    return startChild(SERVICE, { environment: { ...userEnvironment(), ...own }, stdout });
  } finally {
    closeSync(stdout);
  }
}

/** Nothing that configures another service of the same user: the demo must never reach that one's database. */
function userEnvironment(): NodeJS.ProcessEnv {
  const { HOME, TMPDIR, LANG } = process.env;
  return Object.fromEntries(Object.entries({ HOME, TMPDIR, LANG }).filter(([, value]) => value));
}
