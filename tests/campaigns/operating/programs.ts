import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** The files that operators copy. */
export const FILES = join(import.meta.dirname, '../../../docs/operating');

/** A program of Debian that runs until it is stopped. */
export interface Program {
  /** What it wrote so far. */
  output(): string;
  stop(): Promise<void>;
}

export function startProgram(name: string, args: readonly string[], cwd: string): Program {
  // Programs keep their state in the folder, and nowhere else.
  const env = { PATH: process.env.PATH, HOME: cwd, XDG_DATA_HOME: cwd, XDG_CONFIG_HOME: cwd };
  const child = spawn(name, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  child.once('error', (error) => {
    output += error.message;
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  return {
    output: () => output,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
