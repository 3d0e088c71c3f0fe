import {
  type InstrumentQuery,
  type MarketSymbol,
  symbolsOfQuery,
  type TrackRecordFilter,
} from '../../domain/decisions/own/owner-records.ts';
import { type TrackRecord, trackRecord } from '../../domain/decisions/own/track-record.ts';
import { Problem, type ProblemDetail } from '../../domain/problem.ts';
import { nextUtcDay } from '../../domain/time.ts';
import { type SymbolReading, symbolReading } from '../cohorts/cohort-filters.ts';
import type { Ports } from '../ports.ts';

type Counted = Omit<TrackRecordFilter, 'symbols' | 'since' | 'until'>;

/** The parameters of a track record (interface.md 4.3); what is absent filters nothing. */
export interface TrackRecordQuery extends Partial<OrUndefined<Counted>> {
  readonly symbol?: string | undefined;
  /** 00:00 of UTC dates of submission_time, both inclusive. */
  readonly date_from?: Date | undefined;
  readonly date_to?: Date | undefined;
}

type OrUndefined<T> = { readonly [Field in keyof T]: NonNullable<T[Field]> | undefined };

/**
 * Raw counts of an agent's records (settled.md section 6), archived ones included, and those of all agents of its owner
 * by the same filters.
 * @throws Problem NOT_FOUND, also for another owner's agent; VALIDATION_ERROR for an impossible symbol and for bounds
 * without any value between them
 */
export async function readTrackRecord(
  ports: Pick<Ports, 'ownerRecords' | 'symbols' | 'names' | 'clock'>,
  owner_id: string,
  agent_id: string,
  query: TrackRecordQuery,
): Promise<TrackRecord> {
  const filter = filterOf(await symbolReading(ports), query);
  const tallies = await ports.ownerRecords.tally(owner_id, agent_id, filter);
  if (tallies) return trackRecord(agent_id, tallies, filter.result_bucket);
  const suggestion = 'Check the id; GET /api/v1/owner/agents lists your agents.';
  throw new Problem('NOT_FOUND', `You have no agent ${agent_id}.`, { suggestion });
}

function filterOf(reading: SymbolReading, query: TrackRecordQuery): TrackRecordFilter {
  const { holding_seconds_min: min = null, holding_seconds_max: max = null, date_from = null, date_to = null } = query;
  const [noLength, noDay] = [min !== null && max !== null && min > max, date_from && date_to && date_from > date_to];
  refuseEmptyRange(noLength, 'holding_seconds_max', 'must be at least holding_seconds_min');
  refuseEmptyRange(noDay === true, 'date_to', 'must be date_from or later');
  return {
    symbols: symbolsOf(reading, query),
    direction: query.direction ?? null,
    perspective_type: query.perspective_type ?? null,
    holding_seconds_min: min,
    holding_seconds_max: max,
    result_bucket: query.result_bucket ?? null,
    has_outcome: query.has_outcome ?? null,
    since: date_from,
    until: date_to && new Date(nextUtcDay(date_to.getTime())),
  };
}

/**
 * The symbols that match a filter; null when it names none.
 * @throws Problem VALIDATION_ERROR for an impossible symbol
 */
export function symbolsOf(
  { coins, names, today }: SymbolReading,
  query: InstrumentQuery,
): readonly MarketSymbol[] | null {
  const meant = symbolsOfQuery(query, coins, names, today);
  if (meant !== null && 'path' in meant) throw filterProblem(meant);
  return meant;
}

/**
 * @param end the parameter that ends the range
 * @throws Problem VALIDATION_ERROR when nothing can be in the range
 */
export function refuseEmptyRange(isEmpty: boolean, end: string, message: string): void {
  if (isEmpty) throw filterProblem({ path: end, message });
}

/** 400; queries of cohorts return 422. */
export function filterProblem(fault: ProblemDetail): Problem {
  return new Problem('VALIDATION_ERROR', `${fault.path} ${fault.message}.`, { details: [fault] });
}
