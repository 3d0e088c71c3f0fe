import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from './settings.ts';

/** The real service as a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Resolves with the words for how it ended, asked or not. */
  readonly ended: Promise<string>;
  /** Ends it in order, its database included; how it ended, if it had not been gone already. */
  stop(): Promise<string>;
}

/** Starts the service on the folder and waits until it answers. Throws what it said when it does not. */
export async function startService(folder: string, port: number): Promise<ServiceProcess> {
  const child = launch(folder, port);
  const ended = once(child, 'exit').then(([code, signal]) => (signal ? `by ${signal}` : `with exit code ${code}`));
  const said: string[] = [];
  const lines = createInterface(child.stderr);
  child.stdin.on('error', () => undefined);
  const url = await Promise.race([readyAt(lines, said), ended.then(() => undefined)]);
  if (url === undefined) throw new Error(`The service did not start:\n${said.join('\n')}`);
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    stop() {
      child.stdin.end();
      return ended;
    },
  };
}

const MAIN = fileURLToPath(new URL('../../infrastructure/main.ts', import.meta.url));
const PRELOAD = new URL('../end-with-parent.ts', import.meta.url).href;

/** In a process group of its own: Ctrl-C reaches the demo alone, which then ends the service in order. */
function launch(folder: string, port: number) {
  const log = openSync(join(folder, 'service.log'), 'a', 0o600);
  try {
    const settings = Object.fromEntries(SETTINGS.map(({ name, value }) => [name, value]));
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--import', PRELOAD, MAIN], {
      env: { ...surroundings(), ...settings, DATA_DIR: folder, PORT: String(port), LOG_FORMAT: 'json' },
      stdio: ['pipe', log, 'pipe'],
      detached: true,
    });
    if (!child.stdin || !child.stderr) throw new Error('Its standard streams were asked for');
    return Object.assign(child, { stdin: child.stdin, stderr: child.stderr });
  } finally {
    closeSync(log);
  }
}

/** Nothing that configures another service of the same user: the demo must never reach that one's database. */
function surroundings(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG, NODE_COMPILE_CACHE } = process.env;
  return Object.fromEntries(Object.entries({ PATH, HOME, TMPDIR, LANG, NODE_COMPILE_CACHE }).filter(([, set]) => set));
}

/** Goes on reading to the end, or the service would wait for us to. */
function readyAt(lines: NodeJS.EventEmitter, said: string[]): Promise<string> {
  return new Promise((resolve) => {
    lines.on('line', (line: string) => {
      said.push(line);
      const [, url] = /ready at (http\S+)/.exec(line) ?? [];
      if (url) resolve(url);
    });
  });
}
