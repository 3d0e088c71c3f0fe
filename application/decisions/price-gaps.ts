import type { SubmissionOrigin } from '../../domain/decisions/call.ts';
import type { UnevaluatedDecision } from '../../domain/decisions/evaluation-store.ts';
import type { LifecycleState } from '../../domain/decisions/lifecycle.ts';
import type { AdmittedSubmission } from '../../domain/decisions/submission/admit-submission.ts';
import type { Submission } from '../../domain/decisions/submission/submission.ts';
import { canGrade, gapText, type PricedWindow, priceGap } from '../../domain/grading/bars/price-gap.ts';
import type { EvaluationMethod } from '../../domain/grading/evaluation.ts';
import { foreseenFault } from '../../domain/grading/foreseen.ts';
import { METHOD_OF_NEW_RECORDS, methodNamed } from '../../domain/grading/method.ts';
import { settlesAt } from '../../domain/grading/windows/settling.ts';
import { windowAt } from '../../domain/grading/windows/window.ts';
import { type Instrument, identityOf } from '../../domain/market/instrument.ts';
import { isOpenEnded, type SourceCoverage } from '../../domain/market/market-data.ts';
import type { Millis } from '../../domain/time.ts';
import { knownDays } from '../market/known-days.ts';
import type { Ports } from '../ports.ts';

export type GapPorts = Pick<Ports, 'marketData' | 'barFiles' | 'clock'>;

type WarningPorts = Pick<Ports, 'marketData' | 'barFiles' | 'barCache'>;

/**
 * The submission with a warning if no configured source can grade it, or the daily prices that are known show that they
 * are too coarse for it (settled.md section 14). No request is sent. Where the bar files grade the window, the history of
 * the source that serves the instrument today does not matter.
 */
export async function withPriceWarnings(
  ports: WarningPorts,
  { horizon_kind, horizon_value }: Submission,
  admission: AdmittedSubmission,
): Promise<AdmittedSubmission> {
  const { instrument, plan, planned_at, warnings } = admission;
  const now = planned_at.getTime();
  const window = { instrument, horizon_kind, horizon_value, ...windowAt(plan, now) };
  const settles = settlesAt(instrument, { ...window, bar_size: plan.bar_size, cadence: 'continuous' });
  const method = METHOD_OF_NEW_RECORDS;
  const sources = await coverageOf(ports, window, plan.origin, { at: Math.max(now, settles), method });
  const gap = priceGap(window, sources, method);
  if (gap !== null) return { ...admission, warnings: [...warnings, gap] };
  const needed = admission.history_needed_from.getTime();
  const isInFiles = sources.some((source) => hasHistory(source, needed) && canGrade(window, source, method));
  const history_needed_from = isInFiles ? planned_at : admission.history_needed_from;
  const coarse = (await isTooCoarse(ports, window, sources, now)) ? (['COARSE_PRICES'] as const) : [];
  return { ...admission, history_needed_from, warnings: [...warnings, ...coarse] };
}

/** Too few known days show nothing: the source may have more. */
async function isTooCoarse(
  ports: WarningPorts,
  window: PricedWindow,
  sources: readonly SourceCoverage[],
  now: Millis,
): Promise<boolean> {
  const days = await knownDays(ports, window.instrument, sources, { anchor: window.anchor_time, now });
  const fault = foreseenFault(window.instrument, window, days);
  return fault !== null && fault.reason !== 'insufficient_history';
}

/** Whether bar files that end have the days from `needed` on; no other coverage is about one instrument. */
function hasHistory(source: SourceCoverage, needed: Millis): boolean {
  return !isOpenEnded(source) && (source.spans['1d']?.from ?? Number.POSITIVE_INFINITY) <= needed;
}

/**
 * Why no source that is configured now can grade a record that awaits its outcome: the code of the warning and what the
 * sources cover. null where one can, and for a record that awaits none or is of a method that this version does not know.
 */
export async function gapOf(ports: GapPorts, record: AwaitedRecord): Promise<string | null> {
  return isAwaiting(record) ? gapAt(ports, record, await ports.clock.lastSeen()) : null;
}

/** The same for each of the records. */
export async function gapsOf(ports: GapPorts, records: readonly AwaitedRecord[]): Promise<readonly (string | null)[]> {
  if (!records.some(isAwaiting)) return records.map(() => null);
  const now = await ports.clock.lastSeen();
  return Promise.all(records.map((record) => (isAwaiting(record) ? gapAt(ports, record, now) : null)));
}

async function gapAt(ports: GapPorts, record: AwaitedRecord, now: Date): Promise<string | null> {
  const instrument = identityOf(record);
  const { horizon_kind, horizon_value, anchor_time, end_time, settles_at } = record;
  const window = { instrument, horizon_kind, horizon_value, anchor_time: +anchor_time, end_time: +end_time };
  const at = Math.max(settles_at.getTime(), now.getTime());
  const method = methodNamed(record.method);
  if (!method) return null;
  const sources = await coverageOf(ports, window, record.submission_origin, { at, method });
  const before = lastGaps.get(record);
  if (before && areSame(sources, before.sources)) return before.gap;
  const code = priceGap(window, sources, method);
  const gap = code && `${code}: ${gapText(window, sources, method)}`;
  lastGaps.set(record, { sources, gap });
  return gap;
}

/** Of records that are still in use. A gap depends on the record and on what the sources cover alone. */
const lastGaps = new WeakMap<
  AwaitedRecord,
  { readonly sources: readonly SourceCoverage[]; readonly gap: string | null }
>();

function areSame(some: readonly SourceCoverage[], others: readonly SourceCoverage[]): boolean {
  return some.length === others.length && some.every((source, n) => source === others[n]);
}

type AwaitedRecord = Pick<
  UnevaluatedDecision,
  | keyof Instrument
  | 'lifecycle_state'
  | 'submission_origin'
  | 'method'
  | 'horizon_kind'
  | 'horizon_value'
  | 'anchor_time'
  | 'end_time'
  | 'settles_at'
>;

/** The sources that are responsible for the instrument, and the bar files where they grade a retroactive window. */
async function coverageOf(
  { marketData, barFiles }: Pick<GapPorts, 'marketData' | 'barFiles'>,
  window: PricedWindow,
  origin: SubmissionOrigin,
  { at, method }: { readonly at: Millis; readonly method: EvaluationMethod },
): Promise<readonly SourceCoverage[]> {
  const sources = await marketData.coverage(window.instrument, at);
  if (origin === 'realtime') return sources;
  const files = await barFiles.coverage(window.instrument, at);
  return [...sources, ...files.filter((source) => !isOpenEnded(source) && canGrade(window, source, method))];
}

function isAwaiting({ lifecycle_state }: AwaitedRecord): boolean {
  return AWAITING.includes(lifecycle_state);
}

const AWAITING: readonly LifecycleState[] = ['pending_verify', 'verified', 'evaluating', 'deferred'];
