import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Load, LoadResult } from './load.ts';

/** Runs the load generator as a process of its own. @throws Error when a reply had another status than expected */
export async function runLoad(load: Load, adopt: (child: ChildProcess) => void): Promise<LoadResult> {
  const child = fork(join(import.meta.dirname, 'load.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  adopt(child);
  const result = await new Promise<LoadResult>((resolve, reject) => {
    child.once('message', (message) => resolve(message as LoadResult));
    child.once('error', reject);
    child.once('exit', () => reject(new Error('The load generator ended without a result.')));
    child.send(load);
  });
  if (result.failures.length === 0) return result;
  throw new Error(`Replies were not ${load.expect}:\n${result.failures.join('\n')}`);
}
