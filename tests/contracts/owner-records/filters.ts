import fc from 'fast-check';
import { DIRECTIONS, PERSPECTIVE_TYPES } from '../../../domain/decisions/call.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { RecordFilter, TrackRecordFilter } from '../../../domain/decisions/own/owner-records.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import type { Population } from './population.ts';

export const EVERYTHING: RecordFilter = {
  agent_id: null,
  group_id: null,
  market: null,
  symbols: null,
  venue: null,
  asset_class: null,
  quote_currency: null,
  direction: null,
  lifecycle_state: null,
  result_bucket: null,
  submitted_since: null,
  submitted_until: null,
  evaluated_since: null,
  submission_origin: null,
  ended_since: null,
  ended_until: null,
  include_archived: true,
};

export const ALL_COUNTED: TrackRecordFilter = {
  symbols: null,
  direction: null,
  perspective_type: null,
  holding_seconds_min: null,
  holding_seconds_max: null,
  result_bucket: null,
  has_outcome: null,
  since: null,
  until: null,
};

/** Mostly nothing, so that combinations find something. */
const perhaps = <T>(...values: readonly T[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...values) });

const symbols = perhaps(['stock:BRK.B'], ['crypto:BTC'], ['stock:ETH', 'crypto:ETH'], ['crypto:NOPE']) as fc.Arbitrary<
  RecordFilter['symbols']
>;

export function anyFilter(records: readonly Decision[], { agents }: Population): fc.Arbitrary<RecordFilter> {
  const times = perhaps(...records.map(({ submission_time }) => submission_time));
  return fc.record({
    agent_id: perhaps(...agents.map(({ agent_id }) => agent_id), 'agt_000000000000'),
    group_id: perhaps(...records.flatMap(({ group_id }) => group_id ?? []), 'grp_000000000000000000000000'),
    market: perhaps('stock', 'crypto'),
    symbols,
    venue: perhaps('BINANCE', 'NYSE', 'NOWHERE'),
    asset_class: perhaps('spot', 'perp'),
    quote_currency: perhaps('USD', 'USDT'),
    direction: perhaps(...DIRECTIONS),
    lifecycle_state: perhaps('evaluated', 'quarantined', 'rejected', 'deferred', 'verified', 'pending_verify'),
    result_bucket: perhaps(...RESULT_BUCKETS),
    submitted_since: times,
    submitted_until: times,
    evaluated_since: perhaps(...records.flatMap(({ evaluated_at }) => evaluated_at ?? [])),
    submission_origin: perhaps('realtime', 'retroactive'),
    ended_since: perhaps(...records.map(({ end_time }) => end_time)),
    ended_until: perhaps(...records.map(({ end_time }) => end_time)),
    include_archived: fc.boolean(),
  });
}

export function anyTrackRecordFilter(records: readonly Decision[]): fc.Arbitrary<TrackRecordFilter> {
  const times = perhaps(...records.map(({ submission_time }) => submission_time));
  const seconds = perhaps(-1, 0, 3_600, 3_601, 7_200, Number.MAX_SAFE_INTEGER);
  return fc.record({
    symbols,
    direction: perhaps(...DIRECTIONS),
    perspective_type: perhaps(...PERSPECTIVE_TYPES),
    holding_seconds_min: seconds,
    holding_seconds_max: seconds,
    result_bucket: perhaps(...RESULT_BUCKETS),
    has_outcome: perhaps(true, false),
    since: times,
    until: times,
  });
}

/** The filter of a list, said another way: what it has against a record. */
export function isListed(record: Decision, filter: RecordFilter): boolean {
  const against = Object.entries(filter).filter(([field, wanted]) => {
    if (wanted === null) return false;
    switch (field) {
      case 'symbols':
        return !wanted.includes(`${record.market}:${record.symbol}`);
      case 'submitted_since':
        return record.submission_time < wanted;
      case 'submitted_until':
        return record.submission_time >= wanted;
      case 'evaluated_since':
        return record.evaluated_at === null || record.evaluated_at < wanted;
      case 'ended_since':
        return record.end_time < wanted;
      case 'ended_until':
        return record.end_time >= wanted;
      case 'include_archived':
        return !wanted && record.archived_at !== null;
      default:
        return record[field as keyof Decision] !== wanted;
    }
  });
  return against.length === 0;
}

/** Whether nothing explains the prices of the outcome: `eval/2` counted such ones. */
export function isSuspect({ facts }: Decision): boolean {
  return facts?.method === 'eval/3' && (facts.suspected_split || facts.suspected_price);
}

export function isCounted(record: Decision, filter: TrackRecordFilter): boolean {
  const outcome = record.lifecycle_state === 'evaluated' && !isSuspect(record) ? record.result_bucket : null;
  const seconds = record.horizon_kind === 'holding_seconds' ? record.horizon_value : null;
  const against = Object.entries(filter).filter(([field, wanted]) => {
    if (wanted === null) return false;
    switch (field) {
      case 'symbols':
        return !wanted.includes(`${record.market}:${record.symbol}`);
      case 'holding_seconds_min':
        return seconds === null || seconds < wanted;
      case 'holding_seconds_max':
        return seconds === null || seconds > wanted;
      case 'result_bucket':
        return outcome !== wanted;
      case 'has_outcome':
        return (outcome !== null) !== wanted;
      case 'since':
        return record.submission_time < wanted;
      case 'until':
        return record.submission_time >= wanted;
      default:
        return record[field as keyof Decision] !== wanted;
    }
  });
  return against.length === 0;
}
