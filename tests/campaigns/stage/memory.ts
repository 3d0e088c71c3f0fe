import { existsSync, readFileSync } from 'node:fs';

/** The memory of a process in MiB, of what it shares with others its part (PSS); null where the system does not say. */
export function memoryOf(pid: number): number | null {
  const file = `/proc/${pid}/smaps_rollup`;
  if (!existsSync(file)) return null;
  const [, kilobytes] = /^Pss: +(\d+)/m.exec(readFileSync(file, 'utf8')) ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
}
