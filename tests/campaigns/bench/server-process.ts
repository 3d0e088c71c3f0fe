import { type ChildProcess, fork } from 'node:child_process';
import { join, resolve as resolvePath } from 'node:path';

export const SERVICE = 'infrastructure/main.ts';

/** What the service prints when it answers. */
export const SERVICE_READY = /ready at (http:\/\/[^\s]*:(\d+))/;

/** A process of its own that answers at an address. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly url: string;
  readonly port: number;
}

const ROOT = join(import.meta.dirname, '..', '..', '..');

/**
 * Starts a program with nothing of our environment but the PATH, and waits until it prints where it listens.
 *
 * @param program its path from `folder`, the root of the repository unless told
 * @param ready groups its url and its port
 */
export function startServer(
  program: string,
  environment: Readonly<Record<string, string>>,
  ready: RegExp,
  adopt: (child: ChildProcess) => void,
  folder: string = ROOT,
): Promise<ServerProcess> {
  const child = fork(resolvePath(folder, program), {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  adopt(child);
  return listening(child, ready);
}

/** Goes on reading what it prints to the end, or it would wait for us to. */
function listening(child: ChildProcess, ready: RegExp): Promise<ServerProcess> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (text: Buffer) => {
      output = (output + text).slice(-10_000);
      const [, url, port] = ready.exec(output) ?? [];
      if (url !== undefined) resolve({ child, pid: child.pid ?? 0, url, port: Number(port) });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`A server ended:\n${output}`)));
  });
}
