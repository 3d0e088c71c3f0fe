import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface Resources {
  /** Open files and connections. */
  readonly handles: number;
  readonly mebibytes: number;
}

/** The resources of a process; null when the system has no /proc. */
export function resourcesOf(pid: number): Resources | null {
  if (!existsSync(`/proc/${pid}/fd`)) return null;
  const [, kibibytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { handles: readdirSync(`/proc/${pid}/fd`).length, mebibytes: Math.round(Number(kibibytes) / 1_024) };
}
