import { isFurtherHorizon } from '../../../domain/decisions/decision.ts';
import { withVerification } from '../../../domain/decisions/moderation/verification.ts';
import { type OutcomePeriod, type PeriodTally, periodOf } from '../../../domain/decisions/own/outcome-periods.ts';
import type {
  ListedDecision,
  MarketSymbol,
  OwnerRecords,
  RecordFilter,
  RecordPlace,
  TrackRecordFilter,
} from '../../../domain/decisions/own/owner-records.ts';
import { moveRangeOf, recordGroupOf } from '../../../domain/decisions/own/record-counts.ts';
import {
  confidenceTenth,
  type Facet,
  type KnowledgeTally,
  type RecordTally,
} from '../../../domain/decisions/own/track-record.ts';
import {
  countedWindow,
  type WindowCounts,
  windowCountsUpToLimit,
} from '../../../domain/decisions/own/window-counts.ts';
import { knowledgeOf } from '../../../domain/decisions/submission/submission.ts';
import { countsByBucket, uncountedReason } from '../../../domain/decisions/ungraded.ts';
import { isPublic } from '../../../domain/decisions/visibility.ts';
import { COHORT } from '../../../domain/limits.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { utcMonth } from '../../../domain/time.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';

export function memoryOwnerRecords({ decisions, agents, instruments }: DecisionTables, now: () => Date): OwnerRecords {
  return {
    async list(owner_id, filter, after, limit) {
      if (filter.agent_id !== null && agents.get(filter.agent_id)?.owner_id !== owner_id) return [];
      const rows = decisions.where(
        (row) => row.owner_id === owner_id && isListed(row, filter) && (after === null || isBehind(row, after)),
      );
      const page = rows.toSorted(newestFirst).slice(0, limit);
      return page.map((row) => withVerification(listed(row), instruments.get(instrumentKey(row)) ?? null));
    },

    async archive(owner_id, record_id, archive_reason) {
      const row = decisions.get(record_id);
      if (row?.owner_id !== owner_id) return false;
      if (row.archived_at === null) decisions.set(record_id, { ...row, archived_at: now(), archive_reason });
      return true;
    },

    async countOutcomes(owner_id, { agent_id, since }, by, atMost) {
      const graded = decisions.where(
        (row) =>
          row.owner_id === owner_id &&
          isPublic(row) &&
          (agent_id === null || row.agent_id === agent_id) &&
          (since === null || row.end_time >= since),
      );
      return graded.length > atMost ? null : graded.map((row) => periodTally(row, by));
    },

    async tally(owner_id, agent_id, filter) {
      if (agents.get(agent_id)?.owner_id !== owner_id) return null;
      const counted = decisions.where((row) => row.owner_id === owner_id && isCounted(row, filter));
      const ofAgent = counted.filter((row) => row.agent_id === agent_id);
      const ofOwner = counted.map((row) => ({ facet: 'owner' as const, key: '', ...tallyOf(row) }));
      return {
        agent_count: agents.where((agent) => agent.owner_id === owner_id).length,
        tallies: [...ofAgent.flatMap(tallies), ...ofOwner],
        windows: { realtime: windowsOf(ofAgent, 'realtime'), retroactive: windowsOf(ofAgent, 'retroactive') },
        knowledge: {
          realtime: knowledgeTallies(ofAgent, 'realtime'),
          retroactive: knowledgeTallies(ofAgent, 'retroactive'),
        },
        further: { realtime: furtherOf(ofAgent, 'realtime'), retroactive: furtherOf(ofAgent, 'retroactive') },
      };
    },
  };
}

/** Before every time of a filter. */
const NEVER = new Date(-8.64e15);

function isListed(row: DecisionRow, filter: RecordFilter): boolean {
  const { submission_time: at } = row;
  return (
    FILTERED.every((field) => filter[field] === null || filter[field] === row[field]) &&
    isOneOf(row, filter.symbols) &&
    (filter.submitted_since === null || at >= filter.submitted_since) &&
    (filter.submitted_until === null || at < filter.submitted_until) &&
    (filter.evaluated_since === null || (row.evaluated_at ?? NEVER) >= filter.evaluated_since) &&
    (filter.ended_since === null || row.end_time >= filter.ended_since) &&
    (filter.ended_until === null || row.end_time < filter.ended_until) &&
    (filter.include_archived || row.archived_at === null)
  );
}

const FILTERED = [
  'agent_id',
  'group_id',
  'market',
  'venue',
  'asset_class',
  'quote_currency',
  'direction',
  'lifecycle_state',
  'result_bucket',
  'submission_origin',
] as const satisfies readonly (keyof RecordFilter)[];

function isOneOf({ market, symbol }: DecisionRow, symbols: readonly MarketSymbol[] | null): boolean {
  return symbols === null || symbols.includes(`${market}:${symbol}`);
}

function isBehind(row: RecordPlace, place: RecordPlace): boolean {
  return newestFirst(row, place) > 0;
}

function newestFirst(a: RecordPlace, b: RecordPlace): number {
  return b.submission_time.getTime() - a.submission_time.getTime() || (a.record_id < b.record_id ? 1 : -1);
}

/** What of a row lists know. */
export function listed(row: DecisionRow): ListedDecision {
  const { facts, owner_facts, bars, related, statement, salt, commitment, receipt, eval_token, submission, ...rest } =
    row;
  return {
    ...rest,
    raw_return: facts?.raw_return ?? null,
    directional_return: facts?.directional_return ?? null,
    mfe: facts?.mfe?.value ?? null,
    mae: facts?.mae.value ?? null,
  };
}

function isCounted(row: DecisionRow, filter: TrackRecordFilter): boolean {
  const { submission_time: at } = row;
  const isEvaluated = countsByBucket(row);
  return (
    isOneOf(row, filter.symbols) &&
    (filter.direction === null || row.direction === filter.direction) &&
    (filter.perspective_type === null || row.perspective_type === filter.perspective_type) &&
    isHeld(row, filter) &&
    (filter.result_bucket === null || (isEvaluated && row.result_bucket === filter.result_bucket)) &&
    (filter.has_outcome === null || isEvaluated === filter.has_outcome) &&
    (filter.since === null || at >= filter.since) &&
    (filter.until === null || at < filter.until)
  );
}

function isHeld(
  { horizon_kind, horizon_value }: DecisionRow,
  { holding_seconds_min: min, holding_seconds_max: max }: TrackRecordFilter,
): boolean {
  if (min === null && max === null) return true;
  return horizon_kind === 'holding_seconds' && horizon_value >= (min ?? 0) && horizon_value <= (max ?? Infinity);
}

function windowsOf(rows: readonly DecisionRow[], origin: DecisionRow['submission_origin']): WindowCounts | null {
  const graded = rows.filter((row) => countsByBucket(row) && row.submission_origin === origin);
  return windowCountsUpToLimit(graded.filter((row) => !isFurtherHorizon(row)).map(countedWindow));
}

function knowledgeTallies(
  rows: readonly DecisionRow[],
  origin: DecisionRow['submission_origin'],
): KnowledgeTally[] | null {
  const counted = rows.filter((row) => row.submission_origin === origin);
  if (counted.length > COHORT.mostWindows) return null;
  return counted.map((row) => {
    const { record_group, ungraded, move, records } = tallyOf(row);
    const said = { ...row.submission, data_cutoff: row.data_cutoff.toISOString() };
    return { record_group, ungraded, move, records, key: knowledgeOf(said) };
  });
}

function furtherOf(rows: readonly DecisionRow[], origin: DecisionRow['submission_origin']): number {
  return rows.filter((row) => isFurtherHorizon(row) && row.submission_origin === origin).length;
}

function periodTally(row: DecisionRow, by: OutcomePeriod): PeriodTally {
  const { submission_origin, direction, end_time, result_bucket } = row;
  const counted = countsByBucket(row) ? { result_bucket, move: moveRangeOf(row) } : { result_bucket: null, move: null };
  return { period: periodOf(end_time, by), submission_origin, direction, ...counted, records: 1 };
}

function tallies(row: DecisionRow): RecordTally[] {
  return Object.entries(keysOf(row)).map(([facet, key]) => ({ facet: facet as Facet, key, ...tallyOf(row) }));
}

function tallyOf(row: DecisionRow): Omit<RecordTally, 'facet' | 'key'> {
  const { submission_origin, submission_time: at } = row;
  const group = { record_group: recordGroupOf(row), ungraded: uncountedReason(row), move: moveRangeOf(row) };
  return { submission_origin, ...group, records: 1, first: at, last: at };
}

function keysOf(row: DecisionRow): Partial<Record<Facet, string>> {
  const { confidence } = row.submission;
  return {
    all: '',
    direction: row.direction,
    symbol: `${row.market}:${row.symbol}`,
    month: utcMonth(row.submission_time),
    ...(confidence === undefined ? {} : { confidence: String(confidenceTenth(confidence)) }),
  };
}
