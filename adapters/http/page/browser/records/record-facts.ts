import type { ShownFacts } from '../../../../../domain/decisions/views/views.ts';
import type { PRICE_GAPS } from '../../../../../domain/grading/bars/price-gap.ts';
import type { DEFERRALS, UNAVAILABILITIES } from '../../../../../domain/grading/evaluation.ts';
import type { Eval2Facts, Eval3Facts } from '../../../../../domain/grading/method-facts.ts';
import type { OutcomeFacts } from '../../../../../domain/grading/outcome.ts';
import { UNAVAILABLE_STATES } from '../kit/domain.ts';
import {
  counted,
  type Fact,
  facts,
  horizon,
  instant,
  instrument,
  localSpan,
  percent,
  plain,
  price,
  signed,
} from '../kit/value-texts.ts';
import type { Detail, WireOwnerDetail } from '../kit/wire.ts';

const BY_OPERATOR = 'The operator can set a price source, or import bars, for the instrument and its window';

const CORRECTS = 'The operator can correct the splits and dividends of the instrument';

const WAIT = 'Nothing needs to be done: it is tried again by itself.';

const ADVICE: Readonly<Record<Reason, string>> = {
  NO_PRICE_SOURCE: `${BY_OPERATOR}. Next time, send a decision with validate_only first: the reply has this warning.`,
  PRICES_END_BEFORE_WINDOW: `${BY_OPERATOR}. Next time, send a decision with validate_only first: the reply has this warning.`,
  window_open: WAIT,
  source_behind: WAIT,
  no_entry: WAIT,
  no_path: WAIT,
  coverage: `${BY_OPERATOR}; then a refresh of the instrument tries it again.`,
  halted: WAIT,
  out_of_reach: WAIT,
  suspected_split: WAIT,
  suspected_price: WAIT,
  action_contradicts_prices: `${CORRECTS}; a refresh of the instrument tries it again.`,
  not_computable: `${CORRECTS}; a refresh of the instrument tries it again.`,
  below_resolution: 'Choose a longer window: the bars that there are do not resolve this one.',
  insufficient_history: 'Choose an instrument with a longer history: its volatility needs the days before the window.',
  no_print: 'Choose an instrument that trades more often, or a longer window.',
  not_covered: `${BY_OPERATOR}; importing bars tries it again.`,
  no_trade: 'Choose an instrument that trades more often, or a longer window.',
  coarse_prices: 'Choose a longer window, or an instrument whose price moves in smaller steps.',
  delisted: 'Choose an instrument that is still listed.',
};

const ADVICE_OF_STATE: Readonly<Record<string, string>> = {
  rejected: 'Check the spelling of symbol, venue and quote currency, and submit it again.',
  quarantined: 'Ask the operator, who can release it.',
};

/**
 * What the decision claims, in the order of reading.
 * @param zone of the sessions of its venue; none where trading never stops
 */
export function decisionFacts(record: Detail, zone: string | undefined): readonly Fact[] {
  const { market, venue, asset_class, quote_currency, window } = record;
  return facts(
    ['Instrument', `${instrument(record)}, ${market} on ${venue}, ${asset_class}, in ${quote_currency}`],
    record.counted_as && ['Counts as', `${record.counted_as.symbol}, since ${instant(record.counted_as.since)}`],
    record.wrong_security && ['Prices', 'of another security: no cohort counts the outcome'],
    ['Direction', record.direction],
    ['Horizon', horizon(record)],
    ['Window', `${instant(window.anchor_time)} to ${instant(window.end_time)}`],
    zone !== undefined && ['At the venue', localSpan(window.anchor_time, window.end_time, zone), zone],
    ['Data up to', instant(record.data_cutoff)],
    ['Received', `${instant(record.submission_time)}, ${record.submission_origin}`],
    ['Kind', [plain(record.analysis_class), record.perspective_type].filter(Boolean).join(', ')],
  );
}

/** The facts that only the owner sees. */
export function ownFacts(record: Detail): readonly Fact[] {
  if (record.view !== 'owner') return [];
  const { price_targets: targets, invalidation, confidence, summary, outcome } = record;
  const { stop_loss: stop } = targets ?? {};
  const touch = outcome?.levels?.first_touch;
  return facts(
    ['State', plain(record.lifecycle_state)],
    record.number !== null && ['Number', `${record.number} of the agent`],
    record.group !== null && ['Group', `horizon ${record.group.place} of ${record.group.of} of one decision`],
    ...(targets?.targets ?? []).map((target, i): Fact => [`Target ${i + 1}`, price(target.price)]),
    stop && ['Stop', `${price(stop.price)}, ${stop.kind}`],
    ...(invalidation ?? []).map(
      ({ kind, threshold }): Fact => ['Invalid when it', `${plain(kind)} ${price(threshold)}`],
    ),
    touch && ['First touched', `${plain(touch.kind)} ${price(touch.price)} by ${instant(touch.time)}`],
    confidence !== null && ['Confidence', String(confidence)],
    summary !== null && ['Summary', summary],
    record.quarantine_reason !== null && ['Quarantined', record.quarantine_reason],
  );
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
  const bucket = result_bucket ? `, ${plain(result_bucket)}` : '';
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

/** The outcome: facts of the price path, and the bucket that follows from z. */
export function outcomeFacts({ result_bucket, direction, market }: Detail, outcome: ShownFacts): readonly Fact[] {
  const { entry, exit, mfe, mae, raw_return, z, tau, sigma_d, had_said } = outcome;
  const end = outcome.delisted_exit ? ', the last trade before it was delisted' : '';
  const [sigma, unit] = [percent(sigma_d).replace('+', ''), market === 'stock' ? 'sessions' : 'days'];
  return facts(
    ['Entry', pointWords(entry)],
    ['Exit', `${pointWords(exit)}${end}`],
    ['Return', percent(raw_return), 'exit over entry, adjusted for splits and dividends'],
    mfe && ['MFE', `${percent(mfe.value)} by ${instant(mfe.time)}`, 'largest favourable excursion'],
    [
      'MAE',
      `${percent(mae.value)} by ${instant(mae.time)}`,
      direction === 'neutral' ? 'largest move in either direction' : 'largest adverse excursion',
    ],
    ['z', signed(z, 4), `the move in sigmas of the window: ${sigma} a day over ${Number(tau.toFixed(4))} ${unit}`],
    result_bucket && ['Bucket', plain(result_bucket), 'which of four ranges z lies in'],
    [
      'In this window',
      `bullish ${plain(had_said.bullish)}, bearish ${plain(had_said.bearish)}, neutral ${plain(had_said.neutral)}`,
      'the bucket that each direction would have got',
    ],
    ['Prices', priceWords(outcome)],
    ...(outcome.method === 'eval/1' ? [] : windowFacts(outcome)),
    ...(outcome.method === 'eval/3' ? judgedFacts(outcome) : []),
    ['Method', outcome.method],
  );
}

function priceWords(outcome: OutcomeFacts): string {
  const { source, bar_size, coverage, halted } = outcome;
  const observed = `${source}, bars of ${bar_size}, ${coverage.bars_observed} of ${coverage.bars_expected} observed`;
  const trades = outcome.method === 'eval/1' ? [] : tradeWords(outcome);
  return [observed, ...(halted ? ['with a halt'] : []), ...trades].join(', ');
}

/** What the methods after the first share. */
type TradeFacts = Omit<Eval2Facts, 'method'>;

function tradeWords({ bars_traded, bars_expected, carried_open, suspected_split }: TradeFacts): readonly string[] {
  return [
    `${bars_traded} with trades on a path of ${bars_expected}`,
    ...(carried_open ? ['most opens before it repeat the close before'] : []),
    ...(suspected_split ? ['a jump looks like a split that is not known'] : []),
  ];
}

function windowFacts({ omega, grid_z, seconds_to_entry, seconds_after_exit }: TradeFacts): readonly Fact[] {
  const [before, after] = [counted(seconds_to_entry, 'second'), counted(seconds_after_exit, 'second')];
  return facts(
    ['Timing', `${before} from the start of the window to the entry, ${after} from the exit to its end`],
    ['Price step', signed(grid_z, 4), 'one step of the price in sigmas of the window'],
    omega !== null && ['Nights', percent(omega).replace('+', ''), 'their share in the daily variance'],
  );
}

/** What `eval/3` judged: prices and leaps that were believed or not, and what the market did meanwhile. */
function judgedFacts({
  prices_left_out,
  night_leap,
  history_from,
  market,
  suspected_price,
}: Eval3Facts): readonly Fact[] {
  const { path, history } = prices_left_out;
  const suspected = 'the last prices are far from those before, and none came after';
  return facts(
    ['History', `from ${history_from}`, 'the oldest day that the volatility is computed from'],
    path + history > 0 && [
      'Left out',
      `${path} in the window, ${history} before it`,
      'prices nobody could trade at again',
    ],
    night_leap !== null && ['Night leap', percent(night_leap - 1), 'the largest leap over a night, and it is real'],
    suspected_price && ['Suspected', suspected],
    market !== null && ['Market', `${percent(market.move)}, ${market.instrument}`],
  );
}

function pointWords({ time, price: traded, adjusted_price }: OutcomeFacts['entry']): string {
  const adjusted = price(adjusted_price) === price(traded) ? '' : ` (${price(adjusted_price)} in units of the exit)`;
  return `${price(traded)}${adjusted} at ${instant(time)}`;
}

type Reason = (typeof DEFERRALS)[number] | (typeof UNAVAILABILITIES)[number] | (typeof PRICE_GAPS)[number];

/** What the owner of a decision without an outcome can do; null: nothing but waiting for the time that is shown. */
export function whatToDo(state: string, lastError: string | null): string | null {
  const [, reason = ''] = /^(\w+): /.exec(lastError ?? '') ?? [];
  const known = ADVICE_OF_STATE[state] ?? (reason in ADVICE ? ADVICE[reason as Reason] : null);
  if (known !== null) return known;
  const isOver = UNAVAILABLE_STATES.some((each) => each === state);
  return isOver ? 'Ask the operator, who can have the instrument read again.' : null;
}

/**
 * `meta` as the agent sent it, byte for byte: the reader of this reply has rounded its numbers, and the statement of the
 * commitment contains it as a text. null without one.
 */
export function metaText({ meta, commitment_opening }: Pick<WireOwnerDetail, 'meta' | 'commitment_opening'>) {
  if (meta === null) return null;
  // Where it is shown, the statement can be read.
  const { body } = JSON.parse(commitment_opening?.statement ?? '{}') as { readonly body?: { readonly meta?: unknown } };
  return typeof body?.meta === 'string' ? body.meta : JSON.stringify(meta);
}
