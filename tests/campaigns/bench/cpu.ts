import { readdirSync, readFileSync } from 'node:fs';

/** Runs the work. Returns its result and the CPU that these processes used meanwhile, in microseconds; NaN without /proc. */
export async function cpuDuring<T>(pids: readonly number[], work: () => Promise<T>): Promise<readonly [T, number]> {
  const before = cpuOf(pids);
  const result = await work();
  return [result, cpuOf(pids) - before];
}

const TICK = 10_000;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

/** CPU of the processes and their children, including ended ones. */
function cpuOf(pids: readonly number[]): number {
  try {
    const stats = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(name) ?? []) : []));
    const counted = stats.filter(({ pid, parent }) => pids.includes(pid) || pids.includes(parent));
    return counted.reduce((sum, { ticks }) => sum + ticks, 0) * TICK;
  } catch {
    return Number.NaN;
  }
}

/** null when the process has ended. */
function statOf(name: string): Stat | null {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
    return { pid: Number(name), parent: fields[1] ?? 0, ticks: user + system + childrenUser + childrenSystem };
  } catch {
    return null;
  }
}

/** Microseconds of CPU that one process has used so far, finer than ticks; NaN when Linux does not record it. */
export function cpuSoFar(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  } catch {
    return Number.NaN;
  }
}
