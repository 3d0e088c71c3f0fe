import { type Isolation, isolationsWithin } from '../../domain/circuits/circuit.ts';
import { coinOf } from '../../domain/circuits/coin.ts';
import type {
  ClaimedDecision,
  EvaluationEnd,
  GradableDecision,
  Graded,
  Postponed,
  UnevaluatedDecision,
  Ungraded,
} from '../../domain/decisions/evaluation-store.ts';
import { publicGrid } from '../../domain/decisions/views/views.ts';
import { dailySpan } from '../../domain/grading/bars/coverage.ts';
import { canGrade, gapText, provenGap, usableSizes } from '../../domain/grading/bars/price-gap.ts';
import type {
  BarsNeeded,
  Deferred,
  EvaluationCall,
  EvaluationMethod,
  EvidenceListing,
  Unavailable,
} from '../../domain/grading/evaluation.ts';
import type { SeenEvidence } from '../../domain/grading/evidence.ts';
import { methodNamed } from '../../domain/grading/method.ts';
import type { OutcomeFacts } from '../../domain/grading/outcome.ts';
import { type ListingEnd, listingEnd, retryDelay, settlesAt } from '../../domain/grading/windows/settling.ts';
import { wantedSize } from '../../domain/grading/windows/window.ts';
import { EVALUATION } from '../../domain/limits.ts';
import type { BarSize } from '../../domain/market/bars.ts';
import { calendarOf } from '../../domain/market/calendars/by-venue.ts';
import { identityOf } from '../../domain/market/instrument.ts';
import { type Listing, OutOfReach, type SourceCoverage, SourceUnavailable } from '../../domain/market/market-data.ts';
import { DAY, type Millis, rfc3339 } from '../../domain/time.ts';
import type { CurrentListing } from '../market/current-listing.ts';
import { pause } from '../pause.ts';
import type { Ports } from '../ports.ts';
import { evaluateFurther, type FetchFurther, furtherBars, knownActions, marketSeries } from './further-evidence.ts';
import { evaluationCall } from './open-grade.ts';
import { type FetchedBars, fetchBars, sealEvidence } from './sealed-evidence.ts';

const NO_SOURCE = 'No configured source is responsible for this instrument.';

/** The owner reads this for a fault of ours. */
export const FAULT = 'The evaluation failed by a fault of the service; it was reported to the operators.';

/** A record during its evaluation. */
interface Candidate<Call extends GradableDecision> {
  readonly claimed: ClaimedDecision<Call>;
  readonly plan: GradablePlan | Exclude<EvaluationPlan, BarsNeeded>;
}

interface GradablePlan extends BarsNeeded, Pick<Listing, 'delisted_at'> {
  readonly call: EvaluationCall;
  /** From when on the end of its listing ends the window; null where it does not. */
  readonly ends_from: Millis | null;
}

/** What a call is graded by. */
export interface GradeInput
  extends Pick<Listing, 'cadence'>,
    Pick<EvidenceListing, 'leftList'>,
    Pick<GradablePlan, 'ends_from'> {
  readonly call: EvaluationCall;
  readonly first: SeenEvidence;
  readonly further: FetchFurther;
}

/** What becomes of a claimed record, or row of a back-test, whose bars are there. */
export type GradeCall<Call, Grade> = (decision: Call, by: GradeInput) => Promise<Grade | Ungraded>;

/** Evaluates claimed records of one instrument on bars that are fetched once for all of them. */
export async function evaluateGroup<Call extends GradableDecision, Grade extends { readonly kind: 'evaluated' }>(
  ports: Pick<Ports, 'circuits' | 'report'> & JudgingPorts,
  { listing, leftList, left = null }: Pick<CurrentListing, 'listing' | 'leftList'> & Partial<CurrentListing>,
  group: readonly ClaimedDecision<Call>[],
  now: Date,
  gradeCall: GradeCall<Call, Grade>,
): Promise<EvaluationEnd<Grade>[]> {
  const [first] = group;
  if (!first) return [];
  const sources = await ports.marketData.coverage(identityOf(first.decision), now.getTime());
  const last_print = listing.delisted_at === null && left ? await lastPrint(ports, group, now) : null;
  const endedOf = (call: EvaluationCall, at = now.getTime()) =>
    left && last_print !== null
      ? listingEnd(calendarOf(call.instrument), left, { last_print, end_time: call.end_time }, at)
      : null;
  const candidates: Candidate<Call>[] = [];
  for (const claimed of group) {
    candidates.push(candidateOf(ports, claimed, { listing, sources, endedOf }, now));
    if (candidates.length % PLANNED === 0) await pause();
  }
  const spans = candidates.flatMap(({ plan }) => (plan.kind === 'bars' ? [plan.path, plan.daily] : []));
  const fetched = await fetchBars(ports.marketData, identityOf(first.decision), spans, now.getTime());
  const isolations = await isolationsOf(ports, candidates);
  const judged = await judgedBy(ports, candidates, now.getTime());
  const ends: EvaluationEnd<Grade>[] = [];
  for (const { claimed, plan } of candidates) {
    const grade = (needed: GradablePlan) => {
      const { call } = needed;
      const context = {
        listing: { delisted_at: needed.delisted_at, leftList },
        isolations: isolationsWithin(isolations, call),
        end_time: call.end_time,
        now: now.getTime(),
        ...(readsActions(claimed.decision) ? judged : {}),
      };
      const further = furtherBars(ports.marketData, call.instrument, listing.sizes, now.getTime());
      const first = evidenceOf(fetched, needed, context);
      const { cadence } = listing;
      return gradeCall(claimed.decision, { call, first, further, cadence, leftList, ends_from: needed.ends_from });
    };
    const result = plan.kind === 'bars' ? await guardedGrade(ports, claimed.decision, now, () => grade(plan)) : plan;
    ends.push(endOf(claimed, result, now, leftList));
    await pause();
  }
  return ends;
}

/** Windows that are planned before requests have a turn. */
const PLANNED = 10;

/** The isolations of the coin that they are quoted in, if it is one, within the windows of all of them. */
async function isolationsOf(
  { circuits }: Pick<Ports, 'circuits'>,
  candidates: readonly Pick<Candidate<GradableDecision>, 'plan'>[],
): Promise<readonly Isolation[]> {
  const graded = candidates.flatMap(({ plan }) => (plan.kind === 'bars' ? [plan.call] : []));
  const [first] = graded;
  const coin = first && coinOf(first.instrument);
  if (!coin) return [];
  const from = Math.min(...graded.map(({ anchor_time }) => anchor_time));
  const to = Math.max(...graded.map(({ end_time }) => end_time));
  return circuits.isolations(coin, from, to);
}

function candidateOf<Call extends GradableDecision>(
  ports: Pick<Ports, 'report'>,
  claimed: ClaimedDecision<Call>,
  { listing, sources, endedOf }: PriceContext & { readonly endedOf: EndedOf },
  now: Date,
): Candidate<Call> {
  const { decision } = claimed;
  const planOf = () => {
    const call = evaluationCall(decision);
    const ended = endedOf(call);
    const delisted_at = ended && 'delisted_at' in ended ? ended.delisted_at : listing.delisted_at;
    const covered = sources.map((each) => ({ ...each, delisted_at: each.delisted_at ?? delisted_at }));
    const plan = evaluationPlan(methodOf(decision.method), call, { listing, sources: covered }, now);
    if (plan.kind !== 'postponed' && ended && 'waits_until' in ended) return notEnded(ended.waits_until, now);
    if (plan.kind !== 'bars') return plan;
    const waited = endedOf(call, Number.NEGATIVE_INFINITY);
    return { ...plan, call, delisted_at, ends_from: waited && 'waits_until' in waited ? waited.waits_until : null };
  };
  return { claimed, plan: guarded(ports, decision, now, planOf) };
}

/** How leaving the list ends the window of a call, as it is now or was at another time. */
type EndedOf = (call: EvaluationCall, at?: Millis) => ListingEnd | null;

/** The end of the last session in which the instrument of a group traded, as far as its source knows; null for none. */
async function lastPrint(
  { marketData }: JudgingPorts,
  group: readonly ClaimedDecision<GradableDecision>[],
  now: Date,
): Promise<Millis | null> {
  const calls = group.map(({ decision }) => evaluationCall(decision));
  const [first] = calls;
  if (!first) return null;
  const from = Math.min(...calls.map((call) => dailySpan(calendarOf(call.instrument), call.anchor_time).from));
  try {
    const { bars } = await marketData.bars(first.instrument, '1d', from, now.getTime(), now.getTime());
    return bars.findLast(({ volume }) => volume !== 0)?.end ?? null;
  } catch (error) {
    if (error instanceof OutOfReach) return null;
    throw error;
  }
}

/** Bars that come after all are looked for daily until then. */
function notEnded(until: Millis, now: Date): Postponed {
  const detail = `It was delisted, and prices may still come: its last trade ends the window from ${rfc3339(until)} on.`;
  const next = new Date(Math.min(until, now.getTime() + DAY));
  return { kind: 'postponed', reason: 'not_settled', until: next, detail };
}

type EvidenceContext = Pick<SeenEvidence, 'listing' | 'isolations' | 'known' | 'market' | 'end_time' | 'now'>;

function evidenceOf(fetched: FetchedBars, { path, daily }: BarsNeeded, context: EvidenceContext): SeenEvidence {
  return { path: fetched.series(path), daily: fetched.series(daily), ...context };
}

/** Grades a record: an outcome is returned together with what it was computed from. */
export async function gradeRecord(
  decision: UnevaluatedDecision,
  { call, first, further }: GradeInput,
): Promise<Graded | Deferred | Unavailable> {
  const { record_id, end_time } = decision;
  const method = methodOf(decision.method);
  const { result, evidence: read } = await evaluateFurther(method, call, first, further);
  if (result.kind !== 'evaluated') return result;
  const seen = withTwoMarketBars(read, result.outcome.facts);
  const moved = call.end_time === end_time.getTime() ? {} : { end_time: new Date(call.end_time) };
  const grid = publicGrid(result.outcome.facts, { ...decision, ...moved });
  return { ...result, ...moved, grid, evidence: sealEvidence(record_id, method.name, seen) };
}

/** Of the reference's bars an outcome uses two: the evidence has these alone. */
function withTwoMarketBars({ market, ...seen }: SeenEvidence, { entry, exit }: OutcomeFacts): SeenEvidence {
  if (!market) return seen;
  const closed = (point: typeof entry) => market.daily.bars.findLast(({ end }) => end <= Date.parse(point.time));
  const used = new Set([closed(entry), closed(exit)]);
  const bars = market.daily.bars.filter((bar) => used.has(bar));
  return { ...seen, market: { ...market, daily: { ...market.daily, bars } } };
}

/** The stores claim records of known methods only. */
export function methodOf(name: string): EvaluationMethod {
  const method = methodNamed(name);
  if (!method) throw new RangeError(`This version does not know the method ${name}`);
  return method;
}

/** A record whose evaluation fails by a fault of ours waits for a fixed version and delays no other record. */
function guarded<T>({ report }: Pick<Ports, 'report'>, { record_id }: GradableDecision, now: Date, work: () => T) {
  try {
    return work();
  } catch (error) {
    report(error, { record_id });
    const until = new Date(now.getTime() + EVALUATION.faultRetry);
    return { kind: 'postponed', reason: 'fault', until, detail: FAULT } as const;
  }
}

/** The same for a grade, which may fetch further bars: a source that does not answer postpones this record alone. */
async function guardedGrade<Grade extends { readonly kind: 'evaluated' }>(
  ports: Pick<Ports, 'report'>,
  { record_id }: GradableDecision,
  now: Date,
  work: () => Promise<Grade | Ungraded>,
): Promise<Grade | Ungraded> {
  try {
    const result = await work();
    if (result.kind === 'data_unavailable' && result.reason === 'not_computable') {
      ports.report(new RangeError(result.detail), { record_id });
    }
    return result;
  } catch (error) {
    const isDown = error instanceof SourceUnavailable;
    if (!isDown) ports.report(error, { record_id });
    const until = new Date(now.getTime() + (isDown ? EVALUATION.sourceRetry : EVALUATION.faultRetry));
    const detail = isDown ? error.message : FAULT;
    return { kind: 'postponed', reason: isDown ? 'source_unavailable' : 'fault', until, detail } as const;
  }
}

/** Whether the method of a record reads known actions and what the market did. */
function readsActions({ method }: Pick<GradableDecision, 'method'>): boolean {
  return method !== 'eval/1' && method !== 'eval/2';
}

/** The ports by which prices are judged; without the last two, by the source alone. */
type JudgingPorts = Pick<Ports, 'marketData'> & Partial<Pick<Ports, 'barFiles' | 'settings'>>;

/** What `eval/3` reads besides the bars of the instrument itself, for all records of a group. */
async function judgedBy(
  { marketData, barFiles, settings }: JudgingPorts,
  candidates: readonly Candidate<GradableDecision>[],
  now: Millis,
): Promise<Pick<SeenEvidence, 'known' | 'market'>> {
  const calls = candidates.flatMap(({ claimed, plan }) =>
    plan.kind === 'bars' && readsActions(claimed.decision) ? [plan.call] : [],
  );
  const [first] = calls;
  if (!first) return {};
  const known = await knownActions({ marketData, barFiles }, first.instrument, now);
  const market = await marketSeries(marketData, calls, settings?.marketReferences ?? [], now);
  return { ...(known ? { known } : {}), ...(market ? { market } : {}) };
}

/**
 * The end of a record's evaluation; a deferred one is tried again as long as the method says.
 * @param leftList whether the instrument has left the list of its exchange since it was verified
 */
export function endOf<Grade extends { readonly kind: 'evaluated' }>(
  { decision, token }: ClaimedDecision<GradableDecision>,
  result: Grade | Ungraded,
  now: Date,
  leftList: boolean,
): EvaluationEnd<Grade> {
  const { record_id, attempts } = decision;
  if (!isDeferred(result)) return { record_id, token, result, retry_at: null };
  const delay = retryDelay(attempts + 1);
  if (delay !== null) return { record_id, token, result, retry_at: new Date(now.getTime() + delay) };
  return { record_id, token, result: methodOf(decision.method).givenUp(result, leftList), retry_at: null };
}

function isDeferred(result: { readonly kind: string }): result is Deferred {
  return result.kind === 'deferred';
}

/** What an evaluation needs, or why it has no result now. */
type EvaluationPlan = BarsNeeded | Unavailable | Deferred | Postponed;

/** The listing by which an instrument is graded, and the coverage of all sources that are responsible for it now. */
interface PriceContext {
  readonly listing: Listing;
  readonly sources: readonly SourceCoverage[];
}

/**
 * The bars to fetch for an evaluation at `now`. It ends at once where the coverage proves that no configured source can
 * ever have the prices of the window, and waits where the prices are not settled yet.
 */
export function evaluationPlan(
  method: EvaluationMethod,
  call: EvaluationCall,
  { listing, sources }: PriceContext,
  now: Date,
): EvaluationPlan {
  const gap = provenGap(call, sources, method);
  const plan = gap === null ? method.barsNeeded(call, sizesOf(method, call, { listing, sources })) : null;
  if (plan !== null && plan.kind !== 'bars') return unlessAnother(method, call, { listing, sources }, plan);
  const bar_size = plan?.path.size ?? wantedSize(call.horizon_kind, call.horizon_value);
  const settles = settlesAt(call.instrument, { end_time: call.end_time, bar_size, cadence: listing.cadence });
  if (settles > now.getTime()) return notSettled(call, new Date(settles));
  if (sources.length === 0) return { kind: 'deferred', reason: 'out_of_reach', detail: NO_SOURCE };
  if (plan === null) return { kind: 'data_unavailable', reason: 'not_covered', detail: gapText(call, sources, method) };
  const covered = sources.find(({ source }) => source === listing.source);
  return covered && !covered.spans['1d']
    ? unlessAnother(method, call, { listing, sources }, withoutHistory(covered))
    : plan;
}

/** The listing of a replacement is no verdict: another configured source grades the window once it answers again. */
function unlessAnother(
  method: EvaluationMethod,
  call: EvaluationCall,
  { listing, sources }: PriceContext,
  unavailable: Unavailable,
): Unavailable | Deferred {
  const other = sources.find((each) => each.source !== listing.source && canGrade(call, each, method));
  if (!other) return unavailable;
  const detail = `${unavailable.detail} ${listing.source} serves the instrument now; ${other.source} may have the bars.`;
  return { kind: 'deferred', reason: 'out_of_reach', detail };
}

/** The sizes of the listing without those of which the source is known to lack the window. */
function sizesOf(
  method: EvaluationMethod,
  call: EvaluationCall,
  { listing: { source, sizes }, sources }: PriceContext,
): readonly BarSize[] {
  const covered = sources.find((each) => each.source === source);
  const usable = covered ? usableSizes(call, covered, method) : [];
  const both = sizes.filter((size) => usable.includes(size));
  return both.length > 0 ? both : sizes;
}

/** Volatility needs daily closes, and a source never gains a size by itself. */
function withoutHistory({ source }: SourceCoverage): Unavailable {
  return { kind: 'data_unavailable', reason: 'insufficient_history', detail: `${source} has no daily bars.` };
}

function notSettled({ end_time }: EvaluationCall, settles_at: Date): Postponed {
  const detail = 'The prices of the window are not settled yet.';
  const reason = 'not_settled';
  return { kind: 'postponed', reason, until: settles_at, detail, end_time: new Date(end_time), settles_at };
}
