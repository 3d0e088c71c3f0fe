import { Problem } from '../../../domain/problem.ts';
import { MINUTE, type Millis, SECOND } from '../../../domain/time.ts';

/** More addresses in a minute share one count. */
const MOST_ADDRESSES = 100_000;

/**
 * Counts requests for files that never change by address and minute, in this process alone: a database that counted them would do
 * more work than reading the file.
 * @param what is counted, for the refusal
 * @returns counts one request. @throws Problem RATE_LIMIT_EXCEEDED
 */
export function addressWindow(
  perMinute: number,
  what: string,
  now: () => Millis = Date.now,
): (address: string) => void {
  const counts = new Map<string, number>();
  let minute = 0;
  return (address) => {
    const at = now();
    if (Math.floor(at / MINUTE) !== minute) counts.clear();
    minute = Math.floor(at / MINUTE);
    const key = counts.has(address) || counts.size < MOST_ADDRESSES ? address : '';
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count <= perMinute) return;
    throw new Problem('RATE_LIMIT_EXCEEDED', `More than ${perMinute} ${what} in a minute.`, {
      retry_after_seconds: Math.ceil(((minute + 1) * MINUTE - at) / SECOND),
    });
  };
}
