import { MINUTE, type Millis } from '../../domain/time.ts';

/** Counts a request of a network; returns the end of the minute when the network has no more requests in it, else null. */
export type AddressCeiling = (network: string) => Date | null;

/** More networks than send requests at once in good faith; the count of the oldest is forgotten. */
const MOST = 100_000;

/**
 * Counts requests that present a credential by their network, before the credential is read, in fixed minutes of this
 * process. It only bounds what one address can cost: the exact limits are those of the storage.
 */
export function addressCeiling(perMinute: number, now: () => Millis = Date.now): AddressCeiling {
  const counts = new Map<string, number>();
  let minute = 0;
  return (network) => {
    const current = Math.floor(now() / MINUTE);
    if (current > minute) {
      counts.clear();
      minute = current;
    }
    const used = counts.get(network) ?? 0;
    if (used >= perMinute) return new Date((minute + 1) * MINUTE);
    counts.set(network, used + 1);
    if (counts.size > MOST) counts.delete(counts.keys().next().value ?? network);
    return null;
  };
}
