import { EXPORT } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { SECOND } from '../../domain/time.ts';

/** The places of this process for exports, which their readers hold until they have read the end. */
export interface ExportPlaces {
  /**
   * A place, for a short wait where none is free; the order of arrival decides, among those whose network has not its
   * share yet. No owner has two, and no network more than its share.
   * @returns what gives the place back
   * @throws Problem RATE_LIMIT_EXCEEDED for an owner who has or awaits one, and after the wait for a network that has its
   * share; SERVICE_UNAVAILABLE after the wait for all others, and where as many wait already
   */
  take(owner_id: string, network: string): Promise<() => void>;
}

export type PlaceLimits = Pick<
  Readonly<Record<keyof typeof EXPORT, number>>,
  'atOnce' | 'ofNetwork' | 'waiting' | 'wait' | 'again'
>;

interface Reader {
  readonly owner_id: string;
  readonly network: string;
}

interface Waiting extends Reader {
  admit(leave: () => void): void;
}

export function exportPlaces(limits: PlaceLimits = EXPORT): ExportPlaces {
  const running = new Set<Reader>();
  const waiting = new Set<Waiting>();

  const hasShare = (readers: ReadonlySet<Reader>, { network }: Reader) =>
    [...readers].filter((each) => each.network === network).length >= limits.ofNetwork;
  const hasPlace = (reader: Reader) => running.size < limits.atOnce && !hasShare(running, reader);

  function begin(reader: Reader): () => void {
    running.add(reader);
    return () => {
      if (running.delete(reader)) admitNext();
    };
  }

  function admitNext(): void {
    for (const each of waiting) {
      if (!hasPlace(each)) continue;
      waiting.delete(each);
      each.admit(begin(each));
    }
  }

  function refusal(reader: Reader): Problem {
    const options = { retry_after_seconds: limits.again / SECOND };
    if (hasShare(running, reader)) return networkFull(limits.ofNetwork, options);
    const suggestion = 'Wait retry_after_seconds, then request the export again; this request was not counted as one.';
    return new Problem('SERVICE_UNAVAILABLE', 'As many exports run, and wait, as this service makes at once.', {
      ...options,
      suggestion,
    });
  }

  function wait(reader: Reader): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const place: Waiting = {
        ...reader,
        admit(leave) {
          clearTimeout(timer);
          resolve(leave);
        },
      };
      const timer = setTimeout(() => {
        waiting.delete(place);
        reject(refusal(reader));
      }, limits.wait);
      timer.unref();
      waiting.add(place);
    });
  }

  return {
    async take(owner_id, network) {
      const reader = { owner_id, network };
      refuseSecond([...running, ...waiting], owner_id);
      if (hasPlace(reader)) return begin(reader);
      if (waiting.size >= limits.waiting || hasShare(waiting, reader)) throw refusal(reader);
      return wait(reader);
    },
  };
}

function refuseSecond(readers: readonly Reader[], owner_id: string): void {
  if (!readers.some((each) => each.owner_id === owner_id)) return;
  const suggestion = 'Read the export that is running to its end, or close its connection.';
  throw new Problem('RATE_LIMIT_EXCEEDED', 'An export of this account is running.', { suggestion });
}

function networkFull(most: number, options: { readonly retry_after_seconds: number }): Problem {
  const suggestion =
    'Read the exports that run to their ends, or close their connections; then request this one again after ' +
    'retry_after_seconds. This request was not counted as an export.';
  return new Problem('RATE_LIMIT_EXCEEDED', `${most} exports run for your network, which is its share.`, {
    ...options,
    suggestion,
  });
}
