import type { PRICE_GAPS } from '../../../../../domain/grading/bars/price-gap.ts';
import type { DEFERRALS, UNAVAILABILITIES } from '../../../../../domain/grading/evaluation.ts';
import { UNAVAILABLE_STATES } from '../kit/domain.ts';

type Reason = (typeof DEFERRALS)[number] | (typeof UNAVAILABILITIES)[number] | (typeof PRICE_GAPS)[number];

const BY_OPERATOR = 'The operator can set a price source, or import bars, for the instrument and its window';
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

/** What the owner of a decision without an outcome can do; null: nothing but waiting for the time that is shown. */
export function whatToDo(state: string, lastError: string | null): string | null {
  const [, reason = ''] = /^(\w+): /.exec(lastError ?? '') ?? [];
  const known = ADVICE_OF_STATE[state] ?? (reason in ADVICE ? ADVICE[reason as Reason] : null);
  if (known !== null) return known;
  const isOver = UNAVAILABLE_STATES.some((each) => each === state);
  return isOver ? 'Ask the operator, who can have the instrument read again.' : null;
}
