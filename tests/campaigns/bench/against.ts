import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { closeOnSignal } from '../stage/interruption.ts';
import type { NoteRatio } from './aims.ts';
import { callNumbers } from './calls.ts';
import type { Population } from './population.ts';
import { readersOf } from './reads.ts';
import type { Contender } from './rounds.ts';
import { type Measurable, serviceOf } from './scenarios.ts';
import { inSlices, type Measure, type Slices } from './slices.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PACKAGES = ['node_modules', 'scripts/runtime/node_modules'];
const OURS = 'this tree';

export interface Against extends Slices {
  /** A commit, a tag or a branch of this repository. */
  readonly ref: string;
  readonly workers: number;
  /** Which of `COMPARED`. */
  readonly parts: readonly string[];
  /** Decisions of a slice of `grade`. */
  readonly graded: number;
}

/** The parts that are compared. */
export const COMPARED = ['submit', 'read', 'requests', 'grade'];

/**
 * Compares this tree with another commit: each has a database and a service of its own, filled by its own code, and they
 * take turns in short slices, request by request; as lines. Both run on the packages of this tree.
 * @throws Error for a commit that does not exist, or has no stage of the bench (before 0.5.0)
 */
export async function benchAgainst(
  { ref, workers, parts, graded, ...slices }: Against,
  note: NoteRatio,
): Promise<string> {
  const folder = makeThrowawayFolder('against');
  const children: ChildProcess[] = [];
  const close = async () => {
    await Promise.all(children.map(closed));
    removeThrowawayFolder(folder);
  };
  const ignoreSignals = closeOnSignal(close);
  try {
    const other = checkedOut(ref, folder);
    const tables: string[] = [];
    const compare = async (name: string, ours: Measure, theirs: Measure, extent: Slices) => {
      const { lines, ratioTo } = await inSlices(extent, { [OURS]: ours, [ref]: theirs });
      tables.push([name, ...lines].join('\n'));
      return ratioTo(ref);
    };
    const served = parts.filter((part) => part !== 'grade');
    if (served.length > 0) {
      const ours = contendersOf(await opened(ROOT, workers, children), served);
      const theirs = contendersOf(await opened(other, workers, children), served);
      for (const [name, { measure }] of ours) {
        const against = theirs.get(name);
        if (!against) throw new Error(`${ref} has no ${name}.`);
        await compare(name, measure, against.measure, slices);
      }
    }
    if (parts.includes('grade')) {
      const [ours, theirs] = [await gradesOf(ROOT, graded, children), await gradesOf(other, graded, children)];
      const pairs = Math.ceil(slices.pairs / GRADES_LAST);
      const ratio = await compare('a grade, folded and logged', ours, theirs, { ...slices, pairs });
      note("CPU of a grade, folded and logged / the other commit's", ratio, ref);
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
  const child = forked('other-stage.ts', [root, String(workers)], children);
  const reached = await reply<Reached>(child);
  const { agents, at, records } = reached.population;
  const population: Population = { agents, records, at: new Date(at) };
  return { ...reached, population, calls: callNumbers(), adopt: (load) => void children.push(load) };
}

interface Reached extends Pick<Measurable, 'service' | 'database'> {
  /** As JSON: `at` is text. */
  readonly population: Population;
}

/** A slice takes that many times as long as one of requests, whatever its seconds. */
const GRADES_LAST = 4;

/** Measures grades by the code of a checkout. */
async function gradesOf(root: string, graded: number, children: ChildProcess[]): Promise<Measure> {
  const child = forked('other-grades.ts', [root], children);
  await reply(child);
  return async () => {
    child.send(graded);
    const cpu = await reply<number>(child);
    return { perSecond: Number.NaN, p50: Number.NaN, p99: Number.NaN, cpu };
  };
}

/** @param script one of this folder, which runs the code of the checkout that it is given first */
function forked(script: string, args: readonly [root: string, ...string[]], children: ChildProcess[]): ChildProcess {
  const execArgv = ['--disable-warning=ExperimentalWarning'];
  const child = fork(join(import.meta.dirname, script), args, { cwd: args[0], execArgv });
  children.push(child);
  return child;
}

/** The next message of a child. */
function reply<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`${child.spawnargs.slice(-2).join(' ')} ended too early.`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as Message);
    });
  });
}

function closed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((ended) => {
    child.once('exit', () => ended());
    if (child.connected) child.disconnect();
  });
}
