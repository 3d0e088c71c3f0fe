import type { ShownFacts } from '../../../../../domain/decisions/views/views.ts';
import type { PRICE_GAPS } from '../../../../../domain/grading/bars/price-gap.ts';
import type { DEFERRALS, UNAVAILABILITIES } from '../../../../../domain/grading/evaluation.ts';
import type { Eval2Facts, Eval3Facts } from '../../../../../domain/grading/method-facts.ts';
import type { OutcomeFacts } from '../../../../../domain/grading/outcome.ts';
import { UNAVAILABLE_STATES } from '../kit/domain.ts';
import { counted, horizon, instant, instrument, percent, plain, price, signed } from '../kit/value-texts.ts';
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

/** The outcome: facts of the price path, and the bucket that follows from z. */
export function outcomeFacts({ result_bucket, direction, market }: Detail, outcome: ShownFacts): readonly Fact[] {
  const { entry, exit, mfe, mae, raw_return, z, tau, sigma_d, had_said } = outcome;
  return [
    { name: 'Entry', value: pointWords(entry) },
    {
      name: 'Exit',
      value: `${pointWords(exit)}${outcome.delisted_exit ? ', the last print before it was delisted' : ''}`,
    },
    { name: 'Return', value: percent(raw_return), about: 'exit over entry, adjusted for splits and dividends' },
    ...(mfe
      ? [{ name: 'MFE', value: `${percent(mfe.value)} by ${instant(mfe.time)}`, about: 'largest favourable excursion' }]
      : []),
    {
      name: 'MAE',
      value: `${percent(mae.value)} by ${instant(mae.time)}`,
      about: direction === 'neutral' ? 'largest move in either direction' : 'largest adverse excursion',
    },
    {
      name: 'z',
      value: signed(z, 4),
      about: `the move in sigmas of the window: ${percent(sigma_d).replace('+', '')} a day over ${Number(tau.toFixed(4))} ${market === 'stock' ? 'sessions' : 'days'}`,
    },
    ...(result_bucket ? [{ name: 'Bucket', value: result_bucket, about: 'which of four ranges z lies in' }] : []),
    {
      name: 'In this window',
      value: `bullish ${had_said.bullish}, bearish ${had_said.bearish}, neutral ${had_said.neutral}`,
      about: 'the bucket that each direction would have got',
    },
    { name: 'Prices', value: priceWords(outcome) },
    ...(outcome.method === 'eval/1' ? [] : windowFacts(outcome)),
    ...(outcome.method === 'eval/3' ? judgedFacts(outcome) : []),
    { name: 'Method', value: outcome.method },
  ];
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
  return [
    { name: 'Timing', value: `${before} from the anchor to the entry, ${after} from the exit to the end` },
    { name: 'Price step', value: signed(grid_z, 4), about: 'one step of the price in sigmas of the window' },
    ...(omega === null
      ? []
      : [{ name: 'Nights', value: percent(omega).replace('+', ''), about: 'their share in the daily variance' }]),
  ];
}

/** What `eval/3` judged: prices and leaps that were believed or not, and what the market did meanwhile. */
function judgedFacts(facts: Eval3Facts): readonly Fact[] {
  const { prices_left_out, night_leap, history_from, market, suspected_price } = facts;
  const { path, history } = prices_left_out;
  return [
    { name: 'History', value: `from ${history_from}`, about: 'the oldest day that the volatility rests on' },
    ...(path + history === 0
      ? []
      : [
          {
            name: 'Left out',
            value: `${path} in the window, ${history} before it`,
            about: 'prices nobody could trade at again',
          },
        ]),
    ...(night_leap === null
      ? []
      : [
          {
            name: 'Night leap',
            value: percent(night_leap - 1),
            about: 'the largest leap over a night, and it is real',
          },
        ]),
    ...(suspected_price
      ? [{ name: 'Suspected', value: 'the last prices are far from those before, and none came after' }]
      : []),
    ...(market === null ? [] : [{ name: 'Market', value: `${percent(market.move)}, ${market.instrument}` }]),
  ];
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
