import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { closeOnSignal } from '../stage/interruption.ts';
import { callNumbers } from './calls.ts';
import type { Population } from './population.ts';
import { readersOf } from './reads.ts';
import type { Contender } from './rounds.ts';
import { type Measurable, serviceOf } from './scenarios.ts';
import { inSlices, type Slices } from './slices.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PACKAGES = ['node_modules', 'scripts/runtime/node_modules'];
const OURS = 'this tree';

export interface Against extends Slices {
  /** A commit, a tag or a branch of this repository. */
  readonly ref: string;
  readonly workers: number;
  /** Which parts, of `submit`, `read` and `requests`. */
  readonly parts: readonly string[];
}

/**
 * Compares this tree with another commit: each has a database and a service of its own, filled by its own code, and they
 * take turns in short slices, request by request; as lines. Both run on the packages of this tree.
 * @throws Error for a commit that does not exist, or has no stage of the bench (before 0.5.0)
 */
export async function benchAgainst({ ref, workers, parts, ...slices }: Against): Promise<string> {
  const folder = makeThrowawayFolder('against');
  const children: ChildProcess[] = [];
  const close = async () => {
    await Promise.all(children.map(closed));
    removeThrowawayFolder(folder);
  };
  const ignoreSignals = closeOnSignal(close);
  try {
    const other = checkedOut(ref, folder);
    const ours = await opened(ROOT, workers, children);
    const theirs = await opened(other, workers, children);
    const [mine, others] = [contendersOf(ours, parts), contendersOf(theirs, parts)];
    const tables: string[] = [];
    for (const [name, contender] of mine) {
      const against = others.get(name);
      if (!against) throw new Error(`${ref} has no ${name}.`);
      const { lines } = await inSlices(slices, { [OURS]: contender.measure, [ref]: against.measure });
      tables.push([name, ...lines].join('\n'));
    }
    return tables.join('\n\n');
  } finally {
    await close();
    ignoreSignals();
  }
}

function contendersOf(stage: Measurable, parts: readonly string[]): ReadonlyMap<string, Contender> {
  const scenarios = (['submit', 'read'] as const).map((name) => [name, { ...serviceOf(name, stage), name }] as const);
  return new Map(
    parts.flatMap((part) =>
      part === 'requests'
        ? readersOf(stage).map((contender) => [contender.name, contender] as const)
        : scenarios.filter(([name]) => name === part),
    ),
  );
}

/** The files of a commit in a folder of their own, next to the packages of this tree. */
function checkedOut(ref: string, folder: string): string {
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  const archive = execFileSync('git', ['-C', ROOT, 'archive', '--format=tar', ref], { maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  for (const packages of PACKAGES) symlinkSync(join(ROOT, packages), join(tree, packages));
  return tree;
}

async function opened(root: string, workers: number, children: ChildProcess[]): Promise<Measurable> {
  const child = fork(join(import.meta.dirname, 'other-stage.ts'), [root, String(workers)], {
    cwd: root,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  children.push(child);
  const reached = await new Promise<Reached>((reach, reject) => {
    child.once('message', (message) => reach(message as Reached));
    child.once('exit', () => reject(new Error(`The stage of ${root} ended before it was open.`)));
  });
  const { agents, at, records } = reached.population;
  const population: Population = { agents, records, at: new Date(at) };
  return { ...reached, population, calls: callNumbers(), adopt: (load) => void children.push(load) };
}

interface Reached extends Pick<Measurable, 'service' | 'database'> {
  /** As JSON: `at` is text. */
  readonly population: Population;
}

function closed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((ended) => {
    child.once('exit', () => ended());
    if (child.connected) child.disconnect();
  });
}
