import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface Weight {
  /** Open files and connections. */
  readonly handles: number;
  readonly mebibytes: number;
}

/** What a process holds; null where the system does not tell. */
export function weightOf(pid: number): Weight | null {
  if (!existsSync(`/proc/${pid}/fd`)) return null;
  const [, kibibytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { handles: readdirSync(`/proc/${pid}/fd`).length, mebibytes: Math.round(Number(kibibytes) / 1_024) };
}
