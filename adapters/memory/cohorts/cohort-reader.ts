import { type CohortFilter, wholeCohort } from '../../../domain/cohorts/cohort-filter.ts';
import { belongsTo } from '../../../domain/cohorts/cohort-membership.ts';
import {
  type AlikeRecords,
  addUp,
  type CohortCells,
  type CohortPageRequest,
  type CohortPlace,
  type CohortReader,
  type OwnerProof,
} from '../../../domain/cohorts/cohort-reader.ts';
import { countedAs } from '../../../domain/cohorts/counted-as.ts';
import {
  isSearchedFor,
  isUngradedOf,
  leftOutReason,
  searchedForUngraded,
} from '../../../domain/cohorts/ungraded-cohort.ts';
import { headerOf } from '../../../domain/decisions/decision.ts';
import { moveRangeOf } from '../../../domain/decisions/own/record-counts.ts';
import { countedWindow, windowCountsUpToLimit } from '../../../domain/decisions/own/window-counts.ts';
import { leftOutCounts } from '../../../domain/decisions/ungraded.ts';
import type { PublicRow } from '../../../domain/decisions/views/public-views.ts';
import { isPublic } from '../../../domain/decisions/visibility.ts';
import { movesOfOne } from '../../../domain/grading/bucket.ts';
import { COHORT } from '../../../domain/limits.ts';
import type { IdentityTables, OwnerTables } from '../accounts/provider-stores.ts';
import type { DecisionRow, DecisionTables } from '../decisions/decision-tables.ts';
import type { Table } from '../kit/table.ts';

export interface CohortTables extends Pick<DecisionTables, 'decisions'>, VerifyingTables {
  /** When a record was last made public, by its id: numbers that grow. */
  readonly listings: Table<string, { readonly number: number }>;
}

/** Notes when a record becomes public, or enters other cohorts, whichever store writes the change. */
export function noteListings(listings: CohortTables['listings']) {
  let last = 0;
  return (record_id: string, row: Listable, before: Listable | undefined): void => {
    const wasThere = before && isPublic(before) && before.symbol === row.symbol;
    if (isPublic(row) && !(wasThere && before.wrong_security === row.wrong_security))
      listings.set(record_id, { number: ++last });
  };
}

type Listable = Pick<DecisionRow, 'lifecycle_state' | 'symbol' | 'wrong_security'>;

export function memoryCohorts(tables: CohortTables): CohortReader {
  const { decisions, listings } = tables;
  const members = (filter: CohortFilter) => decisions.where((row) => belongsTo(filter, row));
  const membersAt = (filter: CohortFilter, moment: string) => {
    const last = listingOf(moment);
    return members(filter).filter(({ record_id }) => (listings.get(record_id)?.number ?? 0) <= last);
  };
  return {
    async summarise(filter, producers, ownerProof = 'none') {
      const countsOf = (rows: readonly DecisionRow[]) =>
        addUp(rows.map(partOf), producersOf(rows, tables, ownerProof) >= producers);
      const { samples, enoughProducers } = countsOf(members(wholeCohort(filter)));
      const numbers = listings.where(() => true).map(({ number }) => number);
      const moment = `listing ${numbers.reduce((a, b) => Math.max(a, b), 0)}`;
      const counted = members(filter);
      return {
        result: countsOf(counted),
        lastGraded: lastOf(counted),
        whole: { samples, enoughProducers },
        moment,
      };
    },
    async page(filter, request) {
      return inOrder(membersAt(filter, request.moment), request).map(rowOf);
    },
    async windows(filter, moment) {
      return windowCountsUpToLimit(membersAt(filter, moment).map(countedWindow));
    },
    async largestOwner(filter, moment, size) {
      const sample = membersAt(filter, moment).toSorted(asGraded).slice(0, size);
      if (sample.length < size) return null;
      const shares = [...Map.groupBy(sample, ({ owner_id }) => owner_id).values()].map(({ length }) => length);
      return { records: Math.max(...shares), sample: sample.map(({ record_id }) => record_id).join(' ') };
    },
    async ungraded(filter, producers, ownerProof = 'none') {
      const searched = decisions.where((row) => isSearchedFor(searchedForUngraded(filter), row));
      if (searched.length > COHORT.mostUngraded) return null;
      const members = searched.filter((row) => isUngradedOf(filter, row));
      const counts = leftOutCounts(members.map((row) => ({ reason: leftOutReason(row) ?? 'unknown', records: 1 })));
      return { counts, enoughProducers: producersOf(members, tables, ownerProof) >= producers };
    },
  };
}

function lastOf(rows: readonly DecisionRow[]): Date | null {
  const times = rows.map(({ evaluated_at }) => Number(evaluated_at));
  return times.length === 0 ? null : new Date(times.reduce((a, b) => Math.max(a, b)));
}

/** In the order in which they were graded. */
function asGraded(a: DecisionRow, b: DecisionRow): number {
  const difference = Number(a.evaluated_at) - Number(b.evaluated_at);
  return difference || (a.record_id < b.record_id ? -1 : 1);
}

function listingOf(moment: string): number {
  const number = /^listing (\d{1,15})$/.exec(moment)?.[1];
  if (number === undefined) throw new TypeError(`This text is not a moment of a summary: ${moment}`);
  return Number(number);
}

export function partOf(row: DecisionRow): AlikeRecords {
  const { perspective_type, result_bucket, data_cutoff } = row;
  const submission_origin = countedAs(row);
  if (result_bucket === null || submission_origin === null) throw new TypeError('A counted record has a result bucket');
  const times = { earliest: data_cutoff, latest: data_cutoff };
  return { perspective_type, result_bucket, submission_origin, n: 1, ...times, moves: movesOfOne(moveRangeOf(row)) };
}

function inOrder(rows: readonly DecisionRow[], { sort, limit, after }: CohortPageRequest): DecisionRow[] {
  const sign = sort === 'data_cutoff_asc' ? 1 : -1;
  const compare = (a: CohortPlace, b: CohortPlace) => sign * inTime(a, b);
  return rows
    .filter((row) => after === null || compare(row, after) > 0)
    .toSorted(compare)
    .slice(0, limit);
}

export function inTime(a: CohortPlace, b: CohortPlace): number {
  const difference = a.data_cutoff.getTime() - b.data_cutoff.getTime();
  if (difference !== 0 || a.record_id === b.record_id) return difference;
  return a.record_id < b.record_id ? -1 : 1;
}

export function rowOf(row: DecisionRow): PublicRow {
  const { result_bucket, evaluated_at, created_regime, facts } = row;
  if (!facts || !evaluated_at || !result_bucket) throw new TypeError('An evaluated record has an outcome');
  const { counted_as, wrong_security, ...header } = headerOf(row);
  const { symbol, cohort_key, received_symbol, received_cohort_key, counted_since } = row;
  return {
    ...header,
    ...{ symbol, cohort_key, name: row.name ?? null },
    ...{ received_symbol, received_cohort_key, counted_since },
    result_bucket,
    evaluated_at,
    created_regime: created_regime?.label ?? null,
    raw_return: facts.raw_return,
    directional_return: facts.directional_return,
    mfe: facts.mfe?.value ?? null,
    mae: facts.mae.value,
    group_place: row.group_place,
  };
}

/** The tables by which owners are verified. */
export type VerifyingTables = Pick<IdentityTables, 'identities'> & Pick<OwnerTables, 'owners'>;

/** How many distinct owners made the records, of those that count as producers. */
export function producersOf(
  records: readonly { readonly owner_id: string }[],
  { identities, owners: accounts }: VerifyingTables,
  ownerProof: OwnerProof,
): number {
  const owners = new Set(records.map(({ owner_id }) => owner_id));
  if (ownerProof === 'none') return owners.size;
  const identified = identities.where(({ owner_id }) => owners.has(owner_id));
  const confirmed = accounts.where(
    ({ owner_id, email_confirmed_at }) => owners.has(owner_id) && email_confirmed_at !== null,
  );
  return new Set([...identified, ...confirmed].map(({ owner_id }) => owner_id)).size;
}

/** Here every read counts the records themselves, so that nothing is kept in advance. */
export function memoryCohortCells(): CohortCells {
  return {
    fold: async () => 0,
    foldTracks: async () => 0,
    extend: async () => 0,
    countMoves: async () => 0,
    unfolded: async () => ({ records: 0, since: null }),
    unfoldedChanges: async () => 0,
    check: async () => [],
    rebuild: async () => undefined,
  };
}
