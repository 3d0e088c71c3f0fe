import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type VerifierKey, vkeyText } from '../../domain/log/notes/note.ts';
import { addressOf, type Exit, exitOf, startChild } from '../../scripts/child-process.ts';

const WITNESS = join(import.meta.dirname, '../../infrastructure/witness.ts');

/** A witness as an operator starts it. */
export interface RunningWitness {
  readonly url: string;
  readonly vkey: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Exit>;
  /** All that it has printed. */
  output(): string;
}

/** @param preload the source of a module that runs in the witness first */
export interface WitnessLaunch {
  readonly logKeys: readonly VerifierKey[];
  readonly args?: readonly string[];
  readonly preload?: string;
}

/** Starts a witness with its state in `folder/state` and waits until it listens; throws `EndedEarly`. */
export async function startWitness(
  folder: string,
  { logKeys, args = [], preload }: WitnessLaunch,
): Promise<RunningWitness> {
  const policy = join(folder, 'policy');
  writeFileSync(policy, `${logKeys.map((key) => `log ${vkeyText(key)}\n`).join('')}quorum none\n`);
  const child = startChild(WITNESS, {
    args: ['--policy', policy, '--listen', '127.0.0.1:0', '--state', join(folder, 'state'), ...args],
    environment: preload === undefined ? {} : { NODE_OPTIONS: `--import=data:text/javascript,${encodeURI(preload)}` },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text;
    });
  }
  const ended = exitOf(child);
  const { url } = await addressOf(child, /listening at (http:\S+:(\d+))/);
  const [, vkey = ''] = /^Verifier key: (.+)$/m.exec(output) ?? [];
  return { url, vkey, child, ended, output: () => output };
}

/** Sends the signal and waits until the witness has ended. */
export async function stopWitness({ child, ended }: RunningWitness, signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
  child.kill(signal);
  return ended;
}

/**
 * Asks for a cosignature, on a connection of its own: a caller that computes for a minute between two requests would use one
 * that the witness has closed.
 */
export async function askWitness({ url }: Pick<RunningWitness, 'url'>, body: string) {
  const headers = { connection: 'close' };
  const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', headers, body });
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() };
}
