import { PRICE_GAPS } from '../../grading/bars/price-gap.ts';
import { IDEMPOTENCY, LOG, VERIFICATION } from '../../limits.ts';
import { ALWAYS, type Holding, type Reading } from '../../market/name-book.ts';
import { rootOf } from '../../market/name-statement.ts';
import { HOUR, later, MINUTE, type Millis, rfc3339 } from '../../time.ts';
import type { Window } from '../call.ts';
import type { GroupPlace } from '../decision.ts';
import type { LifecycleState } from '../lifecycle.ts';
import { nextChange, secondsUntil } from '../next-change.ts';

const PRICE_ADVICE =
  'Send an instrument and a window that a source covers, or ask the operator to set a source (MARKET_DATA_STOCKS for ' +
  'US stocks, MARKET_DATA_CRYPTO for coins) or to import bars (npm run admin -- import-bars).';

/** The warnings of an accepted submission (settled.md section 4). */
export const WARNINGS = {
  WORKFLOW_REF_INVALID: 'workflow_ref is not of the form wf:<64 hex>; the decision is kept without attribution.',
  WORKFLOW_REF_UNRESOLVED: 'workflow_ref names no snapshot that is public or yours; kept without attribution.',
  PEG_TRIPPED:
    'The quote currency has left its peg (its circuit is tripped); the record is counted in a cohort of its own.',
  PEG_WARMING:
    'The quote currency holds its peg again, but its circuit is not resolved yet (warming); the record is counted in a cohort of its own.',
  INSTRUMENT_UNVERIFIED: `The instrument has not been verified in the last ${VERIFICATION.cache / HOUR} hours; that happens before evaluation.`,
  CALENDAR_GENERIC:
    'The window touches days that the venue has not announced yet: there every weekday counts as a session.',
  NO_PRICE_SOURCE: `No configured source has prices that can grade this window: none serves the instrument, or its bars begin later than a grade of this window needs or are too long for it. No outcome is expected. ${PRICE_ADVICE}`,
  PRICES_END_BEFORE_WINDOW: `The prices of the configured sources end before this window does. No outcome is expected. ${PRICE_ADVICE}`,
  COARSE_PRICES:
    'By the daily prices known now, the window cannot be graded: one step of the price is too wide for it, or the price hardly moves. The record may end as data_unavailable; a longer window has coarse prices less often.',
  SYMBOL_READ_AS:
    'To be read without a doubt, send the base asset alone, the pair with a separator, such as BTC-USDT, a ticker with its suffix, such as 005930.KS, or the name that the security had on that date.',
  MOSTLY_CLOSED: 'If you mean sessions, send horizon_kind trading_days: 1 ends at the close of the next full session.',
  SOURCES_AFTER_CUTOFF: 'If the decision used them, send the time of the newest data that you analysed as data_cutoff.',
  INSUFFICIENT_HISTORY:
    'There are too few daily closes before the window begins; the record may end as data_unavailable.',
} as const;
export type WarningCode = keyof typeof WARNINGS;

/** A warning as it is stored: its code and, where its message begins with what it found, that sentence after a space. */
export type NotedWarning = WarningCode | `${WarningCode} ${string}`;

export function readAs(symbol: string): NotedWarning {
  return noted('SYMBOL_READ_AS', `The symbol was read as ${symbol}.`);
}

/** Of a name that others had, or that is not the key of its security, or not its name on the line. */
export function securityRead(sent: string, { key, name, units, others, also }: Reading): NotedWarning {
  const called = name === sent || name === rootOf(key) ? '' : `, which was called ${name} then`;
  const list = (when: string, those: readonly Holding[]) =>
    those.length > 0 ? ` ${when} ${sent} is the security ${those.map(heldText).join(', ')}.` : '';
  const each = units > 1 ? ` Prices and targets are per ${name}, which is ${units} ${key}.` : '';
  const elsewhere = list('At another venue, quote or class, or by another source,', also);
  const text = `${sent} was read as the security ${key}${called}.${each}${elsewhere}${list('At other times', others)}`;
  return noted('SYMBOL_READ_AS', text);
}

/** The key and the dates of a holding. */
export function heldText({ key, from, until }: Holding): string {
  if (from === ALWAYS) return `${key} until ${until}`;
  return `${key} from ${from}${until === null ? '' : ` to ${until}`}`;
}

/** @param open market-open time of the window, of the length `whole` */
export function mostlyClosed(open: Millis, whole: Millis): NotedWarning {
  return noted('MOSTLY_CLOSED', `The venue is open for ${timeText(open)} of these ${timeText(whole)}.`);
}

export function datedAfterCutoff(sources: number): NotedWarning {
  return noted(
    'SOURCES_AFTER_CUTOFF',
    `${sources} ${sources === 1 ? 'source of key_factors is' : 'sources of key_factors are'} dated after data_cutoff.`,
  );
}

function noted(code: WarningCode, found: string): NotedWarning {
  return `${code} ${found}`;
}

function timeText(span: Millis): string {
  const hours = span / HOUR;
  return hours >= 1 ? `${Number(hours.toFixed(1))} h` : `${Math.round(span / MINUTE)} min`;
}

/** What the write of a submission decided. It is stored with the record, so that every replay returns the same. */
export interface Receipt {
  readonly record_id: string;
  readonly lifecycle_state: LifecycleState;
  readonly submission_time: string;
  readonly submission_origin: 'realtime' | 'retroactive';
  readonly cohort_key: string;
  readonly anchor_time: string;
  readonly end_time: string;
  readonly settles_at: string;
  readonly workflow_hash: string | null;
  readonly commitment: string;
  /** The origin of the newest evidence log; null where there was none, absent in receipts of 0.4.0. */
  readonly log?: string | null;
  readonly warnings: readonly NotedWarning[];
  /** Absent of a decision that was submitted alone. */
  readonly group?: GroupPlace;
}

/** The 201 of settled.md section 4. Times are RFC 3339. */
export interface AcceptedReply {
  readonly record_id: string;
  readonly lifecycle_state: LifecycleState;
  readonly submission_time: string;
  readonly submission_origin: 'realtime' | 'retroactive';
  readonly cohort_key: string;
  readonly retroactive: boolean;
  readonly window: Window<string>;
  /** null with a warning that no configured source can grade the window. */
  readonly expected_evaluation_at: string | null;
  /** From the submission to the next possible change of its state. */
  readonly poll_after_seconds: number;
  readonly state_url: string;
  readonly workflow_attribution: { readonly hash: string } | null;
  readonly commitment: string;
  /** Null where no evidence log is kept. */
  readonly receipt: PromisedReceipt | null;
  readonly warnings: readonly Warning[];
}

/** Where the proof will be that the evidence log contains the record (docs/log.md). */
export interface PromisedReceipt {
  readonly url: string;
  readonly origin: string;
  readonly included_by: string;
}

export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}

/** The reply of a receipt; the same receipt always gives the same reply. */
export function acceptedReply(receipt: Receipt): AcceptedReply {
  const { record_id, submission_time, settles_at } = receipt;
  return {
    record_id,
    lifecycle_state: receipt.lifecycle_state,
    submission_time,
    submission_origin: receipt.submission_origin,
    cohort_key: receipt.cohort_key,
    retroactive: receipt.submission_origin === 'retroactive',
    window: { anchor_time: receipt.anchor_time, end_time: receipt.end_time },
    expected_evaluation_at: canBeGraded(receipt) ? later(settles_at, submission_time) : null,
    poll_after_seconds: pollAfter(receipt),
    state_url: `/api/v1/agent/decisions/${record_id}/state`,
    workflow_attribution: receipt.workflow_hash === null ? null : { hash: receipt.workflow_hash },
    commitment: receipt.commitment,
    receipt: promisedReceipt(receipt),
    warnings: warnings(receipt.warnings),
  };
}

function promisedReceipt({ record_id, submission_time, log: origin }: Receipt): PromisedReceipt | null {
  if (!origin) return null;
  const included_by = rfc3339(Date.parse(submission_time) + LOG.includedWithin);
  return { url: `/api/v1/agent/decisions/${record_id}/receipt`, origin, included_by };
}

/** In the order in which they were noted; those about prices last. */
export function warnings(noted: readonly NotedWarning[]): Warning[] {
  const [others, prices] = [noted.filter((each) => !isPriceGap(each)), noted.filter(isPriceGap)];
  return [...others, ...prices].map((each) => {
    const [code, ...found] = each.split(' ') as [WarningCode, ...string[]];
    return { code, message: [...found, WARNINGS[code]].join(' ') };
  });
}

function canBeGraded({ warnings }: Receipt): boolean {
  return !warnings.some(isPriceGap);
}

function isPriceGap(code: NotedWarning): boolean {
  return PRICE_GAPS.some((gap) => gap === code);
}

/** Counted from the submission, so that a replay returns the same. */
function pollAfter({ lifecycle_state, submission_time, end_time, settles_at }: Receipt): number {
  const due_at = lifecycle_state === 'verified' ? new Date(settles_at) : null;
  const submitted = new Date(submission_time);
  const next = nextChange({ lifecycle_state, end_time: new Date(end_time), due_at }, submitted);
  return secondsUntil(next ?? submitted, submitted);
}

/** What makes a submission repeatable (settled.md section 4): its key, within one agent, and the body that it was sent with. */
export interface Idempotency {
  readonly key: string;
  /** SHA-256 of the RFC 8785 form of the body, in which `meta` is a string that contains its text, hex. */
  readonly fingerprint: string;
}

/**
 * Whether this is the text that a program writes for a missing value, in any case, in quotes or brackets: not a key, because every decision of a
 * faulty caller would have the same one.
 */
export function isMissingValue(text: string): boolean {
  return /^[<('"]?(null|none|undefined|nil|nan)[>)'"]?$/i.test(text);
}

/** What was accepted under a key. */
export interface RecordedSubmission extends TakenReceipts {
  readonly fingerprint: string;
}

/** What the write of a submission decided. */
export interface TakenReceipts {
  readonly receipt: Receipt;
  /** Of a decision group: those of its further horizons, in their order. */
  readonly others?: readonly Receipt[];
}

type Repetition =
  | ({ readonly verdict: 'replayed' } & TakenReceipts)
  /** The key came with another body: 422 IDEMPOTENCY_KEY_REUSED. */
  | { readonly verdict: 'key_reused' };

/** The same key with the same body replays the recorded receipt; with another body it is refused; null: it is new. */
export function repetitionOf(sent: Idempotency | null, recorded: RecordedSubmission | null): Repetition | null {
  if (!sent || !recorded) return null;
  const { fingerprint, ...receipts } = recorded;
  return fingerprint === sent.fingerprint ? { verdict: 'replayed', ...receipts } : { verdict: 'key_reused' };
}

/** Whether a key that was first used at `createdAt` is still in force at `now`: for 48 h. */
export function isKeyInForce(createdAt: Date, now: Date): boolean {
  return now.getTime() - createdAt.getTime() < IDEMPOTENCY.keep;
}
