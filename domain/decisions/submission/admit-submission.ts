import { historyNeededFrom } from '../../grading/bars/history.ts';
import { horizonFault, planWindow, type WindowPlan, windowAt } from '../../grading/windows/window.ts';
import { WORKFLOW_REF } from '../../identifiers.ts';
import { SUBMIT } from '../../limits.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import { type Instrument, normaliseInstrument } from '../../market/instrument.ts';
import { openTime } from '../../market/open-time.ts';
import { isReading } from '../../market/symbol.ts';
import type { SymbolDirectory } from '../../market/symbol-directory.ts';
import type { Venues } from '../../market/venues.ts';
import type { ProblemDetail } from '../../problem.ts';
import { type Millis, rfc3339, SECOND } from '../../time.ts';
import type { Window } from '../call.ts';
import { datedAfterCutoff, mostlyClosed, type NotedWarning, readAs } from './receipt.ts';
import { type KeyFactor, keyFactors, type Submission, sourcesAfterCutoff } from './submission.ts';

/** A submission whose values are all valid, with what follows from them. */
export interface AdmittedSubmission {
  readonly instrument: Instrument;
  readonly data_cutoff: Date;
  readonly planned_at: Date;
  readonly plan: WindowPlan;
  readonly history_needed_from: Date;
  readonly workflow_hash: string | null;
  readonly warnings: readonly NotedWarning[];
}

/** Everything that is wrong with the values of a submission, at once. */
export interface SubmissionFaults {
  readonly faults: readonly ProblemDetail[];
  /** Set when the only fault is a ticker that the symbol directory does not know: what to send instead. */
  readonly symbol_advice: string | null;
}

/** Where instruments are looked up. */
export interface Listings {
  readonly symbols: SymbolDirectory;
  readonly venues: Venues;
}

/**
 * Judges the values of a submission as if it were received at `at` (settled.md sections 3 and 4).
 * @param shapeFaults faults that the request parser has found already, returned together with the others
 */
export function admitSubmission(
  submission: Submission,
  { symbols, venues }: Listings,
  at: Date,
  shapeFaults: readonly ProblemDetail[] = [],
): AdmittedSubmission | SubmissionFaults {
  const sent = normaliseInstrument(submission, venues, symbols);
  const [instrument, identityFaults] = Array.isArray(sent)
    ? [null, sent]
    : [sent, tickerFaults(sent, submission, symbols)];
  const data_cutoff = new Date(submission.data_cutoff);
  const [plan, windowFaults] = windowOf(submission, instrument, at, shapeFaults);
  const faults = onePerPath([
    ...shapeFaults,
    ...identityFaults,
    ...windowFaults,
    ...cutoffFaults(data_cutoff, at),
    ...factorFaults(keyFactors(submission)),
    ...planFaults(submission),
    ...invalidationFaults(submission),
    ...metaFaults(submission),
    ...repeatFaults(submission),
  ]);
  if (faults.length > 0 || !instrument || !plan) {
    const onlySymbol = instrument !== null && faults.length === identityFaults.length;
    return { faults, symbol_advice: onlySymbol ? (identityFaults[0]?.message ?? null) : null };
  }
  return {
    instrument,
    data_cutoff,
    planned_at: at,
    plan,
    history_needed_from: new Date(historyNeededFrom(instrument, plan.anchor ?? at.getTime())),
    workflow_hash: workflowHash(submission),
    warnings: [
      ...attributionWarnings(submission, plan),
      ...(isReading(submission.symbol, instrument.symbol, { ...instrument, coins: symbols })
        ? [readAs(instrument.symbol)]
        : []),
      ...closedWarnings(submission, instrument, windowAt(plan, at.getTime())),
      ...sourceWarnings(submission),
    ],
  };
}

/** The window, or the faults of the horizon: its bounds are checked even without a valid instrument. */
function windowOf(
  submission: Submission,
  instrument: Instrument | null,
  at: Date,
  shapeFaults: readonly ProblemDetail[],
): readonly [WindowPlan | null, readonly ProblemDetail[]] {
  if (shapeFaults.some(({ path }) => /^(data_cutoff|horizon_kind|horizon_value)$/.test(path))) return [null, []];
  const { horizon_kind, horizon_value } = submission;
  const outside = horizonFault(submission);
  if (!instrument || outside) return [null, outside ? [outside] : []];
  const data_cutoff = Date.parse(submission.data_cutoff);
  const planned = planWindow({ instrument, horizon_kind, horizon_value, data_cutoff }, at.getTime());
  return Array.isArray(planned) ? [null, planned] : [planned, []];
}

function tickerFaults(instrument: Instrument, submission: Submission, symbols: SymbolDirectory): ProblemDetail[] {
  if (instrument.market !== 'stock' || symbols.known(instrument.symbol)) return [];
  const nearest = symbols.nearest(instrument.symbol, 3);
  const advice = nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : 'Send a ticker listed on the venue.';
  return [{ path: 'symbol', message: advice, received: submission.symbol }];
}

function cutoffFaults(data_cutoff: Date, at: Date): ProblemDetail[] {
  if (!(data_cutoff.getTime() > at.getTime() + SUBMIT.cutoffLead)) return [];
  const lead = SUBMIT.cutoffLead / SECOND;
  const message = `Send the time of the data you looked at: at most ${lead} seconds ahead of the clock here, ${rfc3339(at)}.`;
  return [{ path: 'data_cutoff', message, received: rfc3339(data_cutoff) }];
}

function planFaults({ analysis_class, direction, price_targets }: Submission): ProblemDetail[] {
  if (price_targets && direction === 'neutral') {
    return [{ path: 'price_targets', message: 'Leave price_targets out, or send a direction that is not neutral.' }];
  }
  if (!price_targets && analysis_class === 'trade_plan') {
    return [
      { path: 'price_targets', message: 'Send price_targets with trade_plan, or send opinion as analysis_class.' },
    ];
  }
  return [];
}

function invalidationFaults({ invalidation = [] }: Submission): ProblemDetail[] {
  const [first, second] = invalidation;
  if (!first || first.kind !== second?.kind) return [];
  return [{ path: 'invalidation.1.kind', message: 'Send each kind of invalidation once.', received: second.kind }];
}

function metaFaults({ meta }: Submission): ProblemDetail[] {
  if (meta === undefined || new TextEncoder().encode(meta).length <= SUBMIT.metaBytes) return [];
  return [{ path: 'meta', message: `must be at most ${SUBMIT.metaBytes} bytes of JSON` }];
}

function workflowHash({ workflow_ref }: Submission): string | null {
  return workflow_ref === undefined ? null : (WORKFLOW_REF.exec(workflow_ref)?.[1] ?? null);
}

function attributionWarnings(submission: Submission, { calendar_generic }: WindowPlan): NotedWarning[] {
  const isInvalid = submission.workflow_ref !== undefined && workflowHash(submission) === null;
  return [
    ...(isInvalid ? (['WORKFLOW_REF_INVALID'] as const) : []),
    ...(calendar_generic ? (['CALENDAR_GENERIC'] as const) : []),
  ];
}

/** For a horizon in seconds whose window is closed for more than half of its time: 24 hours are rarely meant as one. */
function closedWarnings(
  { horizon_kind }: Submission,
  instrument: Instrument,
  { anchor_time, end_time }: Window<Millis>,
): NotedWarning[] {
  const [open, whole] = [openTime(calendarOf(instrument), anchor_time, end_time), end_time - anchor_time];
  return horizon_kind === 'holding_seconds' && 2 * open < whole ? [mostlyClosed(open, whole)] : [];
}

function sourceWarnings(submission: Submission): NotedWarning[] {
  const later = sourcesAfterCutoff(submission) ?? 0;
  return later > 0 ? [datedAfterCutoff(later)] : [];
}

function onePerPath(faults: readonly ProblemDetail[]): ProblemDetail[] {
  const first = new Map<string, ProblemDetail>();
  for (const fault of faults) if (!first.has(fault.path)) first.set(fault.path, fault);
  return [...first.values()];
}

/**
 * Entries that a list contains twice, where the list is a set: tags, related records, and what a factor depends on. They
 * are refused, as repeated ids of factors and kinds of invalidation are, so that nothing is stored otherwise than sent.
 */
function repeatFaults(submission: Submission): ProblemDetail[] {
  const { tags = [], related_records = [] } = submission;
  const related = related_records.map(({ record_id, relation }) => `${relation} ${record_id}`);
  const depends = keyFactors(submission).flatMap(({ depends_on = [] }, index) =>
    repeats(depends_on, `key_factors.${index}.depends_on`, 'Send each id once.'),
  );
  return [
    ...repeats(tags, 'tags', 'Send each tag once.'),
    ...repeats(related, 'related_records', 'Send each relation to a record once.'),
    ...depends,
  ];
}

function repeats(entries: readonly string[], path: string, message: string): ProblemDetail[] {
  return entries.flatMap((entry, index) =>
    entries.indexOf(entry) < index ? [{ path: `${path}.${index}`, message, received: entry }] : [],
  );
}

/**
 * The faults of the ids of the key factors: repeated, unknown, or depending on each other in a circle (settled.md
 * section 4).
 */
export function factorFaults(factors: readonly KeyFactor[]): ProblemDetail[] {
  const known = new Set(factors.flatMap(({ id }) => (id === undefined ? [] : [id])));
  return [...repeated(factors), ...unknown(factors, known), ...circular(factors)];
}

function repeated(factors: readonly KeyFactor[]): ProblemDetail[] {
  const seen = new Set<string>();
  return factors.flatMap(({ id }, index) => {
    if (id === undefined) return [];
    const isRepeated = seen.has(id);
    seen.add(id);
    return isRepeated
      ? [{ path: `key_factors.${index}.id`, message: 'Give every factor an id of its own.', received: id }]
      : [];
  });
}

function unknown(factors: readonly KeyFactor[], known: ReadonlySet<string>): ProblemDetail[] {
  return factors.flatMap(({ depends_on = [] }, index) =>
    depends_on.flatMap((id, position) =>
      known.has(id)
        ? []
        : [
            {
              path: `key_factors.${index}.depends_on.${position}`,
              message: 'Name the id of a factor of this submission.',
              received: id,
            },
          ],
    ),
  );
}

function circular(factors: readonly KeyFactor[]): ProblemDetail[] {
  const dependsOn = new Map(factors.flatMap(({ id, depends_on = [] }) => (id === undefined ? [] : [[id, depends_on]])));
  let open = [...dependsOn.keys()];
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    const left = new Set(open);
    open = open.filter((id) => dependsOn.get(id)?.some((other) => left.has(other)));
  }
  if (open.length === 0) return [];
  return [
    {
      path: 'key_factors',
      message: 'Remove a depends_on, so that no factor depends on itself through others.',
      received: open,
    },
  ];
}
