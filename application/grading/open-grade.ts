import type { Decision } from '../../domain/decisions/decision.ts';
import type { GradableDecision } from '../../domain/decisions/evaluation-store.ts';
import { knowledgeEnd } from '../../domain/decisions/submission/submission.ts';
import type { Evaluation, EvaluationCall, EvaluationMethod } from '../../domain/grading/evaluation.ts';
import type { SeenEvidence } from '../../domain/grading/evidence.ts';
import { methodNamed } from '../../domain/grading/method.ts';
import type { OutcomeFacts, ResultBucket } from '../../domain/grading/outcome.ts';
import { endTime } from '../../domain/grading/windows/window.ts';
import { type Instrument, identityOf, instrumentKey } from '../../domain/market/instrument.ts';
import { type Listing, type MarketData, SourceUnavailable } from '../../domain/market/market-data.ts';
import type { Ports } from '../ports.ts';
import { evaluateFurther, furtherBars } from './further-evidence.ts';
import { fetchBars, openEvidence } from './sealed-evidence.ts';

/** A stored outcome with its method and the intact evidence that it was computed from. */
export interface OpenedGrade {
  readonly kind: 'opened';
  readonly decision: Decision & { readonly facts: OutcomeFacts };
  readonly method: EvaluationMethod;
  /** With the window's end of the calendar at the time of the evaluation. */
  readonly call: EvaluationCall;
  readonly seen: SeenEvidence;
  /** SHA-256 of the document of the evidence, hex. */
  readonly digest: string;
}

export type UnopenedGrade =
  /** The evidence is not what was stored with the outcome. */
  | { readonly kind: 'damaged'; readonly faults: readonly string[] }
  /** There is nothing to compute, or nothing to compute it from. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** Reads what is needed to evaluate a graded record again, after checking every part of its evidence. */
export async function openGrade(
  { decisions, evidence }: Pick<Ports, 'decisions' | 'evidence'>,
  record_id: string,
): Promise<OpenedGrade | UnopenedGrade> {
  const [decision] = await decisions.find([record_id], null);
  if (!decision) return impossible('There is no such record.');
  const { facts } = decision;
  if (facts === null) return impossible(`It has no outcome: it is ${decision.lifecycle_state}.`);
  const sealed = await evidence.findEvidence(record_id);
  if (!sealed) return impossible('No evidence was kept with its outcome, or it is gone.');
  const opened = openEvidence(record_id, sealed);
  if (opened.kind === 'damaged') return opened;
  const { seen } = opened;
  const method = methodNamed(opened.method);
  if (!method) return impossible(`This version does not know the method ${opened.method}.`);
  if (method.name !== decision.method)
    return { kind: 'damaged', faults: [`The evidence is of ${opened.method}, the record of ${decision.method}.`] };
  const call = { ...evaluationCall(decision), end_time: seen.end_time };
  return { kind: 'opened', decision: { ...decision, facts }, method, call, seen, digest: sealed.digest };
}

const PAGE = 200;

/** The ids of all records that have an outcome, in their order; with `since` only those evaluated at or after it. */
export async function* gradedIds(
  { evidence }: Pick<Ports, 'evidence'>,
  since: Date | null = null,
): AsyncGenerator<string> {
  for (let after: string | null = null; ; ) {
    const page: readonly string[] = await evidence.evaluatedAfter(after, PAGE, since);
    yield* page;
    after = page.at(-1) ?? null;
    if (after === null) return;
  }
}

function impossible(reason: string): UnopenedGrade {
  return { kind: 'impossible', reason };
}

/** Raw prices, as they were traded. */
export interface EntryAndExit {
  readonly entry_price: number;
  readonly exit_price: number;
}

/** The grade by another source. */
export interface GradeByOther extends EntryAndExit {
  readonly source: string;
  readonly fault: null;
  readonly result_bucket: ResultBucket;
  /** From the stored price, in basis points; above 0 where the price of this source is higher. */
  readonly entry_bp: number;
  readonly exit_bp: number;
}

/** The grade by another source, or why it gives none. */
export type OtherGrade = GradeByOther | { readonly source: string; readonly fault: string };

export type Describe = (source: MarketData, instrument: Instrument) => Promise<Listing | null>;

/** Computes a grade again from the bars of another source, in the same window and bar size (evaluation.md). */
export async function otherGrade(
  grade: OpenedGrade,
  { data, source }: { readonly data: MarketData; readonly source: string },
  describe: Describe,
  now: Date,
): Promise<OtherGrade> {
  const { instrument } = grade.call;
  try {
    const listing = await describe(data, instrument);
    if (!listing) return { source, fault: `${source} does not know ${instrumentKey(instrument)}` };
    const result = await evaluateBy(grade, data, listing, now);
    if (result.kind !== 'evaluated') return { source, fault: `${result.reason}: ${result.detail}` };
    const { result_bucket, facts } = result.outcome;
    return { source, fault: null, result_bucket, ...pricesOf(facts), ...differencesOf(grade.decision.facts, facts) };
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    return { source, fault: error.message };
  }
}

export function pricesOf({ entry, exit }: Pick<OutcomeFacts, 'entry' | 'exit'>): EntryAndExit {
  return { entry_price: entry.price, exit_price: exit.price };
}

/** In the stored bar size, because bars of another size have their first price at another time. */
async function evaluateBy(
  { method, call, seen }: OpenedGrade,
  data: MarketData,
  { delisted_at, sizes }: Listing,
  now: Date,
): Promise<Evaluation> {
  const needed = method.barsNeeded(call, [seen.path.size]);
  if (needed.kind !== 'bars') return needed;
  const fetched = await fetchBars(data, call.instrument, [needed.path, needed.daily], now.getTime());
  const bars = { path: fetched.series(needed.path), daily: fetched.series(needed.daily) };
  const { isolations, known, market } = seen;
  const own = {
    ...bars,
    listing: { delisted_at: delisted_at ?? seen.listing.delisted_at },
    now: now.getTime(),
    ...(isolations && { isolations }),
    ...(known && { known }),
    ...(market && { market }),
  };
  const further = furtherBars(data, call.instrument, sizes, now.getTime());
  return (await evaluateFurther(method, call, own, further)).result;
}

function differencesOf(stored: OutcomeFacts, other: OutcomeFacts) {
  return {
    entry_bp: basisPoints(stored.entry.price, other.entry.price),
    exit_bp: basisPoints(stored.exit.price, other.exit.price),
  };
}

function basisPoints(from: number, to: number): number {
  return (to / from - 1) * 10_000;
}

/** The evaluation's view of a decision, with its end by the calendar as known now (evaluation.md section 2). */
export function evaluationCall(decision: GradableDecision): EvaluationCall {
  const { direction, horizon_kind, horizon_value, submission } = decision;
  const instrument = identityOf(decision);
  const anchor_time = decision.anchor_time.getTime();
  return {
    instrument,
    direction,
    horizon_kind,
    horizon_value,
    anchor_time,
    end_time: endTime({ instrument, horizon_kind, horizon_value }, anchor_time),
    data_cutoff: decision.data_cutoff.getTime(),
    reference_price: submission.reference_price,
    price_targets: submission.price_targets,
    invalidation: submission.invalidation,
    knowledge_cutoff: knowledgeEnd(submission),
  };
}
