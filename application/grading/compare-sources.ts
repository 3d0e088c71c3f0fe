import { randomInt } from 'node:crypto';
import type { ResultBucket } from '../../domain/grading/outcome.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import type { Listing, MarketData } from '../../domain/market/market-data.ts';
import type { Ports } from '../ports.ts';
import {
  type Describe,
  type EntryAndExit,
  gradedIds,
  type OpenedGrade,
  type OtherGrade,
  openGrade,
  otherGrade,
  pricesOf,
} from './open-grade.ts';

/** A stored grade, and what other sources give for the same window. */
export interface GradeOfSources extends EntryAndExit {
  readonly record_id: string;
  readonly fault: null;
  /** The key of the instrument. */
  readonly instrument: string;
  /** The source that the outcome names. */
  readonly source: string;
  readonly result_bucket: ResultBucket | null;
  /** One for each other source that is responsible for the instrument. */
  readonly others: readonly OtherGrade[];
}

/** The same, or why the grade cannot be computed at all. */
export type ComparedGrade = GradeOfSources | { readonly record_id: string; readonly fault: string };

export interface Comparison {
  /** How many grades there are to draw from. */
  readonly graded: number;
  readonly grades: readonly ComparedGrade[];
}

export interface Sample {
  /** How many grades to draw, at least 1. */
  readonly size: number;
  /** Draws only from grades that were evaluated at or after this time; null for all. */
  readonly since: Date | null;
}

/**
 * Draws grades with the random numbers of the system, and computes each again from the bars of every other source of its
 * instrument. It stores nothing. It takes one grade after the other, so that a source gets one request at a time; a
 * source that does not answer is a fault of that comparison alone.
 * @param sourcesOf the sources that are responsible for an instrument, without a cache
 */
export async function compareSources(
  ports: Pick<Ports, 'decisions' | 'evidence' | 'clock'>,
  sourcesOf: (instrument: Instrument) => readonly MarketData[],
  { size, since }: Sample,
): Promise<Comparison> {
  const { total, drawn } = await draw(gradedIds(ports, since), size);
  const now = await ports.clock.now();
  const describe = describeOnce();
  const grades: ComparedGrade[] = [];
  for (const record_id of drawn.toSorted()) {
    const opened = await openGrade(ports, record_id);
    if (opened.kind === 'opened') {
      grades.push(await compared(opened, sourcesOf(opened.call.instrument), describe, now));
    } else {
      grades.push({ record_id, fault: opened.kind === 'damaged' ? opened.faults.join(' ') : opened.reason });
    }
  }
  return { graded: total, grades };
}

/** Every set of `size` items is equally likely; all items where there are no more. */
async function draw<T>(items: AsyncIterable<T>, size: number) {
  const drawn: T[] = [];
  let total = 0;
  for await (const item of items) {
    total += 1;
    const place = drawn.length < size ? drawn.length : randomInt(total);
    if (place < size) drawn[place] = item;
  }
  return { total, drawn };
}

/** One request per source and instrument, also where it fails. */
function describeOnce(): Describe {
  const known = new Map<MarketData, Map<string, Promise<Listing | null>>>();
  return (source, instrument) => {
    const listings = known.get(source) ?? new Map<string, Promise<Listing | null>>();
    const key = instrumentKey(instrument);
    const listing = listings.get(key) ?? source.describe(instrument);
    known.set(source, listings.set(key, listing));
    return listing;
  };
}

async function compared(
  grade: OpenedGrade,
  sources: readonly MarketData[],
  describe: Describe,
  now: Date,
): Promise<GradeOfSources> {
  const { decision, call } = grade;
  const { record_id, result_bucket, facts } = decision;
  const others = sources.map(async (data): Promise<readonly OtherGrade[]> => {
    const [covered] = await data.coverage(call.instrument, now.getTime());
    if (!covered || covered.source === facts.source) return [];
    return [await otherGrade(grade, { data, source: covered.source }, describe, now)];
  });
  return {
    ...{ record_id, fault: null, instrument: instrumentKey(call.instrument), source: facts.source, result_bucket },
    ...pricesOf(facts),
    others: (await Promise.all(others)).flat(),
  };
}
