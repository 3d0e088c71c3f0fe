import type { OutcomeFacts } from '../../../../../domain/grading/outcome.ts';
import { horizon, instant, instrument, percent, plain, price } from '../kit/value-texts.ts';
import type { Detail, WireOwnerDetail } from '../kit/wire.ts';

export interface Fact {
  readonly name: string;
  readonly value: string;
  /** The meaning of the name, if it is not obvious. */
  readonly about?: string;
}

/** What the decision claims, in the order of reading. */
export function decisionFacts(record: Detail): readonly Fact[] {
  return [
    {
      name: 'Instrument',
      value: `${instrument(record)}, ${record.market} on ${record.venue}, ${record.asset_class}, in ${record.quote_currency}`,
    },
    { name: 'Direction', value: record.direction },
    { name: 'Horizon', value: horizon(record) },
    { name: 'Window', value: `${instant(record.window.anchor_time)} to ${instant(record.window.end_time)}` },
    { name: 'Data up to', value: instant(record.data_cutoff) },
    { name: 'Received', value: `${instant(record.submission_time)}, ${record.submission_origin}` },
    { name: 'Kind', value: [plain(record.analysis_class), record.perspective_type].filter(Boolean).join(', ') },
  ];
}

/** The facts that only the owner sees. */
export function ownFacts(record: Detail): readonly Fact[] {
  if (record.view !== 'owner') return [];
  const { price_targets: targets, invalidation, confidence, summary, outcome } = record;
  const touch = outcome?.levels?.first_touch;
  return [
    { name: 'State', value: plain(record.lifecycle_state) },
    ...(targets?.targets ?? []).map((target, i) => ({ name: `Target ${i + 1}`, value: price(target.price) })),
    ...(targets?.stop_loss
      ? [{ name: 'Stop', value: `${price(targets.stop_loss.price)}, ${targets.stop_loss.kind}` }]
      : []),
    ...(invalidation ?? []).map(({ kind, threshold }) => ({
      name: 'Invalid when it',
      value: `${plain(kind)} ${price(threshold)}`,
    })),
    ...(touch
      ? [{ name: 'First touched', value: `${plain(touch.kind)} ${price(touch.price)} by ${instant(touch.time)}` }]
      : []),
    ...(confidence === null ? [] : [{ name: 'Confidence', value: String(confidence) }]),
    ...(summary === null ? [] : [{ name: 'Summary', value: summary }]),
    ...(record.quarantine_reason === null ? [] : [{ name: 'Quarantined', value: record.quarantine_reason }]),
  ];
}

/** Why an own record has no outcome, and when one is expected or the next attempt is made. */
export function withoutOutcomeWords({
  lifecycle_state,
  expected_evaluation_at,
  evaluation,
}: Pick<WireOwnerDetail, 'lifecycle_state' | 'expected_evaluation_at' | 'evaluation'>): string {
  const { last_error, next_check_at } = evaluation;
  const state = `It is ${plain(lifecycle_state)}`;
  if (WITHOUT_PROSPECT.includes(lifecycle_state)) {
    return [
      'There is no outcome, and without an operator there will be none.',
      `${state}.`,
      ...reason('Reason', last_error),
    ].join(' ');
  }
  if (expected_evaluation_at === null) {
    return ['There is no outcome yet, and none is expected.', `${state}.`, ...reason('Reason', last_error)].join(' ');
  }
  const expected = `There is no outcome yet. ${state}; its outcome is expected by ${instant(expected_evaluation_at)}.`;
  if (last_error === null) return expected;
  const next = next_check_at === null ? 'soon' : `at ${instant(next_check_at)}`;
  const failed = reason('The last attempt failed', last_error).join('');
  return `There is no outcome yet. ${state}. ${failed} The next attempt is ${next}.`;
}

function reason(label: string, text: string | null): readonly string[] {
  return text === null ? [] : [`${label}: ${text.replace(/\.?$/, '.')}`];
}

/** Without an outcome unless an operator intervenes. */
const WITHOUT_PROSPECT: readonly string[] = ['rejected', 'data_unavailable', 'quarantined'];

/** The line above the drawing: the window, its ends, and the bucket. */
export function gradedWords({ window, result_bucket }: Detail, { entry, exit, raw_return }: OutcomeFacts): string {
  const bucket = result_bucket ? `, ${result_bucket}` : '';
  return (
    `${instant(window.anchor_time)} to ${instant(window.end_time)}: ` +
    `${price(entry.adjusted_price)} to ${price(exit.adjusted_price)}, ${percent(raw_return)}${bucket}`
  );
}

/** The drawing in words, for readers who do not see it. */
export function drawingWords(record: Detail, { entry, exit, mfe, mae }: OutcomeFacts): string {
  const excursions = [
    mfe ? `largest favourable move ${percent(mfe.value)} by ${instant(mfe.time)}` : null,
    `${mfe ? 'largest adverse move' : 'largest move'} ${percent(mae.value)} by ${instant(mae.time)}`,
  ];
  return [
    `${instrument(record)}, ${record.direction}.`,
    `Entry ${price(entry.adjusted_price)} at ${instant(entry.time)};`,
    `${excursions.filter(Boolean).join('; ')};`,
    `exit ${price(exit.adjusted_price)} at ${instant(exit.time)}.`,
  ].join(' ');
}
