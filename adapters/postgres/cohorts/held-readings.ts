import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { heldValues } from '../kit/held-values.ts';

/** What was read of the records of a cohort at a moment. */
export interface CohortReading<T> {
  readonly value: T;
  /** The records of the moment that it was read of: fewer than there were, where some have ceased to be public. */
  readonly members: number;
  readonly moment: string;
}

export interface HeldReadings<T> {
  /**
   * What was read of the same records before, by this call or another, also at the same time; without an edition nothing
   * is held.
   * @param grow reads what follows from a reading of fewer of the `samples` records; null: all are to be read
   */
  find(
    question: HeldQuestion,
    read: () => Promise<CohortReading<T>>,
    grow: (before: CohortReading<T>, samples: number) => Promise<CohortReading<T> | null>,
  ): Promise<T>;
}

export interface HeldQuestion {
  readonly filter: CohortFilter;
  readonly edition: string | undefined;
  /** What else the reading depends on. */
  readonly size?: number;
}

interface Held<T> {
  readonly samples: number;
  readonly reading: Promise<CohortReading<T>>;
}

/**
 * Until a record leaves a cohort of the market, cohorts only grow: with as many records as before one has the same
 * records, and with more it has those and others.
 * @param most of all sizes together
 * @param sizeOf of a reading of so many records
 */
export function heldReadings<T>(most: number, sizeOf: (samples: number) => number): HeldReadings<T> {
  const held = heldValues<Held<T>>(most, ({ samples }) => sizeOf(samples));
  return {
    async find({ filter, edition, size = 0 }, read, grow) {
      if (edition === undefined) return (await read()).value;
      const { removals, samples } = partsOf(edition);
      const name = JSON.stringify([removals, size, ...Object.entries(filter).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
      for (;;) {
        const found = held.find(name);
        const known = found && (await found.reading.catch(() => null));
        // From here to `keep` nothing else runs, so that a reading grows once.
        if (held.find(name) !== found) continue;
        const before = known?.members === found?.samples ? known : null;
        if (found && before && found.samples === samples) return before.value;
        if (found && found.samples > samples) return (await read()).value;
        const reading = before ? grow(before, samples).then((grown) => grown ?? read()) : read();
        held.keep(name, { samples, reading });
        return (await reading).value;
      }
    },
  };
}

/**
 * @param removals how often records left cohorts of the market, and on which server that was read
 * @param samples the records of the cohort
 */
export function editionOf(removals: string, samples: number): string {
  return `${removals} ${samples}`;
}

function partsOf(edition: string): { readonly removals: string; readonly samples: number } {
  const end = edition.lastIndexOf(' ');
  return { removals: edition.slice(0, end), samples: Number(edition.slice(end + 1)) };
}
