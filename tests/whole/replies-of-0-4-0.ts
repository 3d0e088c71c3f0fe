import { minuteOf, publicEvaluationTime } from '../../domain/decisions/views/public-times.ts';
import { hadSaid } from '../../domain/grading/had-said.ts';
import { later } from '../../domain/time.ts';

type Members = Readonly<Record<string, unknown>>;

/** The exact receipt of a record. */
type ReceiptOf = (record_id: unknown) => Date | undefined;

/**
 * A body that 0.4.0 answered with, as this release answers: what the contract has changed since, and nothing else. The
 * members stay in their order.
 */
export function inThisRelease(body: unknown, receiptOf: ReceiptOf): unknown {
  if (Array.isArray(body)) return body.map((item) => inThisRelease(item, receiptOf));
  if (typeof body !== 'object' || body === null) return body;
  const members = withPublicEvaluation(withExpectedEvaluation(body as Members, receiptOf));
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      if (name === 'created_regime' && 'window' in members) return regimeNow(value as Regime);
      return [[name, inThisRelease(value, receiptOf)], ...addedAfter(name, members)];
    }),
  );
}

type Regime = { readonly label: string } | null;

/** One form in all views; the values stand apart. */
function regimeNow(regime: Regime): [string, unknown][] {
  const { label, ...values } = regime ?? { label: null };
  return [
    ['created_regime', label],
    ['created_regime_values', regime && values],
  ];
}

/** All records of the fixture are closed and have no leaf yet; no cohort of it is withheld, and all records of a cohort have one window. */
function addedAfter(name: string, members: Members): [string, unknown][] {
  const { view, state, applied, sample_count, commitment } = members;
  if (name === 'window' && commitment !== undefined) return [['method', 'eval/1']];
  if (name === 'commitment' && 'window' in members) return [['log', null]];
  if (name === 'next_check_at' && view === 'owner' && state === 'closed') return [['poll_after_seconds', null]];
  if (name === 'overview') {
    return [
      ['plan', null],
      ['queries_asked', 0],
    ];
  }
  if (name === 'time_range') {
    return [
      ['windows', { instruments: 1, instrument_days: 1, max_concurrent: sample_count, disjoint: 1 }],
      ['largest_owner_share', null],
      ['ungraded', null],
    ];
  }
  if (name === 'reason' && applied === false) return [['message', null]];
  return hadSaidAfter(name, members);
}

/** Each outcome shows the move, and the bucket of each direction; overviews count them after the first sweep. */
function hadSaidAfter(name: string, { z, raw_return, directional_return, sample_count }: Members): [string, unknown][] {
  if (name === 'result_distribution' && sample_count !== undefined) return [['had_said', null]];
  if (name !== 'delisted_exit') return [];
  const against = directional_return !== raw_return && directional_return !== null;
  const isDown = directional_return === null ? Number(raw_return) < 0 : against;
  const move_z = isDown ? 0 - Number(z) : Number(z);
  return [
    ['move_z', move_z],
    ['had_said', hadSaid(move_z)],
  ];
}

/** No evaluation is expected before the submission. */
function withExpectedEvaluation(members: Members, receiptOf: ReceiptOf): Members {
  const { expected_evaluation_at: expected, view, record_id } = members;
  const received = receiptOf(record_id);
  if (typeof expected !== 'string' || received === undefined) return members;
  const soonest = view === 'public' ? minuteOf(received) : received;
  return { ...members, expected_evaluation_at: later(new Date(expected), soonest).toISOString() };
}

/** Others see the time of an evaluation to the minute. */
function withPublicEvaluation(members: Members): Members {
  const { evaluated_at, result_bucket } = members;
  if (typeof evaluated_at !== 'string' || result_bucket === undefined) return members;
  return { ...members, evaluated_at: publicEvaluationTime(new Date(evaluated_at)).toISOString() };
}
