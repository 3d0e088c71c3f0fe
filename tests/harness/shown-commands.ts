import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';

/** A block of shell commands of a document. */
export interface ShownCommands {
  readonly commands: string;
  /** The block of output that follows it; absent where the document shows none. */
  readonly shown?: string;
}

export interface CommandOutput {
  /** Standard output. */
  readonly output: string;
  /** Of the last command of the block. */
  readonly status: number;
}

/** The shell blocks of a document in their order. */
export function shownCommands(document: string): readonly ShownCommands[] {
  const blocks = document.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm);
  return [...blocks].map(([, commands = '', shown]) => ({ commands, ...(shown === undefined ? {} : { shown }) }));
}

/** Whether it is for a checkout of the project, and not for a service that runs. */
export function isOfNpm({ commands }: ShownCommands): boolean {
  return /^(LIMIT_\S+ )?npm /.test(commands);
}

/** In milliseconds: a hang ends then. A document starts programs up to a dozen times, next to other tests. */
export const LONGEST_RUN = 240_000;

/**
 * Runs the blocks one after the other in one shell, against the service at `url` instead of the one on port 3000. Where one
 * of them fails, what they wrote to standard error is printed.
 */
export function runShown(
  blocks: readonly ShownCommands[],
  url: string,
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): readonly CommandOutput[] {
  const script = blocks.map(({ commands }) => `${commands}\nprintf '@@ %s\\n' "$?"\n`).join('');
  const { NODE_COMPILE_CACHE, PYTHONPYCACHEPREFIX } = process.env;
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const { stdout, stderr } = spawnSync('sh', ['-c', script.replaceAll('http://127.0.0.1:3000', url)], {
    cwd: folder,
    env: { PATH: path, NODE_COMPILE_CACHE, PYTHONPYCACHEPREFIX, TMPDIR: folder, ...environment },
    encoding: 'utf8',
    timeout: LONGEST_RUN,
  });
  const ends = [...stdout.matchAll(/([\s\S]*?)@@ (\d+)\n/g)];
  if (ends.length < blocks.length || ends.some(([, , status]) => status !== '0')) process.stderr.write(stderr);
  return ends.map(([, output = '', status]) => ({ output, status: Number(status) }));
}

/**
 * An output in the form of the one that a document shows: without what differs from run to run, and as short as a shown
 * line that ends in `...`.
 */
export function asShown(output: string, shown: string): string {
  const cut = shown.split('\n').map((line) => (line.endsWith('...') ? masked(line).length - 3 : null));
  return masked(output)
    .split('\n')
    .map((line, index) => (typeof cut[index] === 'number' ? `${line.slice(0, cut[index])}...` : line))
    .join('\n');
}

/** A text without ids, times of this run, and the name and the sizes of the log. */
export function masked(text: string): string {
  return text
    .replaceAll(/dec_\d{8}_[0-9a-f]{8}/g, 'ID')
    .replaceAll(/\b20[2-9]\d-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/stancebook-[0-9a-f]{12}/g, 'LOG')
    .replaceAll(/first \d+ lea(f|ves)/g, 'first N leaves')
    .replaceAll(/leaf \d+ of \d+/g, 'leaf N of N');
}
