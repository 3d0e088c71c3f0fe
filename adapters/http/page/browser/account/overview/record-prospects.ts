import type { Schemas } from '../../kit/schemas.ts';

type Prospect = Pick<
  Schemas['OwnerDecisionSummary'],
  'lifecycle_state' | 'expected_evaluation_at' | 'evaluation' | 'quarantine_reason'
>;

/** Those whose outcome is expected before the end of the span, the next one first. Times are milliseconds. */
export function dueWithin<Row extends Pick<Prospect, 'expected_evaluation_at'>>(
  rows: readonly Row[],
  now: number,
  span: number,
): readonly Row[] {
  const dated = rows.flatMap((row) => {
    const { expected_evaluation_at: at } = row;
    return at !== null && Date.parse(at) <= now + span ? [{ row, at: Date.parse(at) }] : [];
  });
  return dated.toSorted((a, b) => a.at - b.at).map(({ row }) => row);
}

/** Why a record has no outcome yet or none at all, and what its owner can do. @param at writes a time */
export function troubleWords(
  { lifecycle_state: state, evaluation: { last_error, next_check_at }, quarantine_reason }: Prospect,
  at: (time: string) => string,
): string {
  const reason = last_error === null ? '' : ` Reason: ${last_error.replace(/\.?$/, '.')}`;
  const next = next_check_at === null ? '' : ` The next attempt is at ${at(next_check_at)}.`;
  if (state === 'quarantined')
    return `An operator withdrew it from what is public: ${quarantine_reason ?? 'no reason given'}. Ask the operator.`;
  return `${STATES[state] ?? ''}${reason}${next}`.trim();
}

const STATES: Readonly<Record<string, string>> = {
  deferred: 'Its prices are not settled yet. Nothing to do: the service tries again by itself.',
  pending_verify:
    'Its instrument is not verified yet. Nothing to do, unless the reason names a mistake in the symbol or venue.',
  data_unavailable: 'No source has the prices of its window. An operator can refresh the instrument once there is one.',
  rejected: 'Its instrument is not known. Submit the decision again with a symbol and venue that are.',
};
