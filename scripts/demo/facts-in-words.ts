import type { Level, Touch } from '../../domain/grading/outcome.ts';
import type { RecordState } from './client.ts';
import type { Acknowledgement } from './records.ts';

/** The facts of a closed record, in sentences and without a judgement. */
export function factsInWords({ agent, submission }: Acknowledgement, { window, outcome }: RecordState): string[] {
  if (!outcome) return ['The record is not closed.'];
  const { symbol, venue, direction, data_cutoff } = submission;
  const { entry, exit, raw_return, mfe, mae, z, tau, sigma_d, coverage, source, bar_size, method } = outcome;
  const sigma = sigma_d * Math.sqrt(tau);
  return [
    `${agent} was ${direction} on ${symbol} (${venue}), knowing the bars up to ${minute(data_cutoff)}.`,
    `The window ran from ${minute(window.anchor_time)} to ${minute(window.end_time)}.`,
    `Entry ${entry.price} at ${minute(entry.time)}, exit ${exit.price} at ${minute(exit.time)}: ${percent(raw_return)}.`,
    `A usual move of that window was ${(100 * sigma).toFixed(2)} %, so the decision has z ${z.toFixed(3)}: ${outcome.result_bucket}.`,
    ...(mfe ? [`Its best value was ${percent(mfe.value)} (${minute(mfe.time)}).`] : []),
    `Its worst value was ${percent(mae.value)} (${minute(mae.time)}).`,
    ...touchesInWords(outcome.levels, submission.price_targets?.stop_loss?.kind === 'trailing'),
    `Graded by ${method} on ${coverage.bars_observed} of ${coverage.bars_expected} bars (${bar_size}, ${source}).`,
  ];
}

function touchesInWords(
  levels: { readonly touches: readonly Touch[]; readonly invalid_at_entry: readonly Level[] } | null,
  trailing: boolean,
) {
  if (!levels) return [];
  const touched = levels.touches.map((touch) => touchInWords(touch, trailing));
  const invalid = levels.invalid_at_entry.map(
    ({ kind, price }) => `The ${kind} at ${price} was on the wrong side of the entry and was ignored.`,
  );
  return touched.length + invalid.length === 0 ? ['No level was touched.'] : [...touched, ...invalid];
}

function touchInWords({ kind, price, time, fill_price, ambiguous }: Touch, trailing: boolean): string {
  const level = kind === 'stop' && trailing ? `stop, which trailed from ${price},` : `${kind} at ${price}`;
  const note = ambiguous ? ' (a target was in the same bar)' : '';
  return `The ${level} was touched at ${minute(time)}, filled at ${fill_price.toFixed(2)}${note}.`;
}

function minute(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

function percent(value: number): string {
  return `${value < 0 ? '' : '+'}${(100 * value).toFixed(2)} %`;
}
