import type { DecisionHeader } from '../../decisions/decision.ts';
import { type KeyFactor, keyFactors, type Submission } from '../../decisions/submission/submission.ts';
import { minuteOf } from '../../decisions/views/public-times.ts';
import { rfc3339 } from '../../time.ts';

/** What a decision must have for its public statement. */
export interface StatedDecision extends DecisionHeader {
  readonly submission_time: Date;
  readonly submission: Pick<Submission, 'key_factors'>;
  /** Of its evaluation, such as `eval/1`. */
  readonly method: string;
}

/**
 * What others may see of a decision once it is public, and what never changes: names and values of the public detail
 * (settled.md section 5). Times are RFC 3339. Whether others see a workflow or a related record changes later, and
 * calendars move the end of the window, so none of these is in it.
 */
export interface PublicStatement extends Omit<DecisionHeader, 'data_cutoff'> {
  readonly v: 1;
  readonly data_cutoff: string;
  /** To the minute. */
  readonly submission_time: string;
  readonly method: string;
  readonly key_factors: readonly StatedFactor[];
}

type StatedFactor = Omit<KeyFactor, 'source'>;

/**
 * The public statement of a decision, version 1. It is frozen: leaves contain its digest, so for the same decision it
 * must return the same value for good. A change of the public detail makes a version 2.
 */
export function publicStatement(decision: StatedDecision): PublicStatement {
  return {
    v: 1,
    record_id: decision.record_id,
    market: decision.market,
    symbol: decision.symbol,
    venue: decision.venue,
    asset_class: decision.asset_class,
    quote_currency: decision.quote_currency,
    cohort_key: decision.cohort_key,
    direction: decision.direction,
    analysis_class: decision.analysis_class,
    perspective_type: decision.perspective_type,
    horizon_kind: decision.horizon_kind,
    horizon_value: decision.horizon_value,
    data_cutoff: rfc3339(decision.data_cutoff),
    submission_time: rfc3339(minuteOf(decision.submission_time)),
    submission_origin: decision.submission_origin,
    method: decision.method,
    key_factors: statedFactors(decision.submission.key_factors),
  };
}

/** The factors as others see them: with shorthands expanded, without sources. */
export function statedFactors(sent: Submission['key_factors']): readonly StatedFactor[] {
  return keyFactors({ key_factors: sent ?? [] }).map((factor) => ({
    ...members(factor, ['factor', 'id', 'depends_on', 'dimension', 'direction', 'weight']),
    ...(factor.metric ? { metric: members(factor.metric, ['name', 'value', 'unit']) } : {}),
  }));
}

/** These members of an object, without those that it lacks. */
function members<From extends object, Name extends keyof From>(from: From, names: readonly Name[]): Pick<From, Name> {
  const present = names.filter((name) => from[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, from[name]])) as Pick<From, Name>;
}
