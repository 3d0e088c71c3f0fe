import type { FactsOf, MethodName } from '../../grading/method-facts.ts';
import type { LevelFacts, OwnerFacts, ReferencePriceFact, StoredBar, Touch } from '../../grading/outcome.ts';
import type { PathFacts, PricePoint } from '../../grading/paths/path-facts.ts';
import type { Regime } from '../../grading/paths/regime.ts';
import { RECORD_ID } from '../../identifiers.ts';
import { BAR_SIZES } from '../../market/bars.ts';
import { DIRECTIONS } from '../call.ts';
import { type DecisionInput, INPUT_KINDS, type KeyFactor, type Submission } from '../submission/submission.ts';

/**
 * What views can show of what is stored as JSON: the replies of the interface have the same shapes
 * (`tests/http/record-fault-shapes.test.ts`).
 */
/** Whether they are facts of a method that this version knows, all of them and nothing else. */
export function areFacts(facts: unknown): boolean {
  const { method } = (facts ?? {}) as { readonly method?: unknown };
  return typeof method === 'string' && Object.hasOwn(FACTS, method) && FACTS[method as MethodName](facts);
}

export const areOwnerFacts: Check = (facts) => OWNER_FACTS(facts);
export const areBars: Check = (bars) => BARS(bars);
export const isRegime: Check = (regime) => REGIME(regime);
export const isNumber: Check = (value) => number(value);

type Check = (value: unknown) => boolean;
/** A check for each member, so that a new member cannot be forgotten. */
type Checks<Of> = { readonly [Name in keyof Of]-?: Check };

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
/** Far from where computing with it leaves the finite numbers. */
const number: Check = (value) => Number.isFinite(value) && Math.abs(Number(value)) < 1e300;
const integer: Check = Number.isSafeInteger;
const share: Check = (value) => number(value) && Number(value) >= 0 && Number(value) <= 1;
const instant: Check = (value) => typeof value === 'string' && Number.isFinite(Date.parse(value));
const oneOf =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
/** An object with these members alone. */
const members = <Of>(checks: Checks<Of>): Check => {
  const each = Object.entries<Check>(checks);
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).every((name) => Object.hasOwn(checks, name)) &&
    each.every(([name, check]) => check((value as Record<string, unknown>)[name]));
};

const PRICE_POINT = members<PricePoint>({ time: instant, price: number, adjusted_price: number });
const EXCURSION = members<PathFacts['mae']>({ time: text, value: number });
const PEG = members<NonNullable<PathFacts['peg']>>({
  coin: text,
  overlaps: listOf(
    members<NonNullable<PathFacts['peg']>['overlaps'][number]>({
      state: oneOf(['tripped', 'warming']),
      from: text,
      until: orNull(text),
      snapshot_id: text,
    }),
  ),
});

const PATH_FACTS: Checks<PathFacts> = {
  source: text,
  names: optional(oneOf(['today', 'of_date'])),
  bar_size: oneOf(BAR_SIZES),
  entry: PRICE_POINT,
  exit: PRICE_POINT,
  raw_return: number,
  directional_return: orNull(number),
  sigma_d: number,
  tau: number,
  z: number,
  mfe: orNull(EXCURSION),
  mae: EXCURSION,
  fraction_in_favour: orNull(number),
  realised_volatility: number,
  coverage: members<PathFacts['coverage']>({
    bars_expected: integer,
    bars_observed: integer,
    bars_carried: integer,
    ratio: number,
  }),
  halted: flag,
  delisted_exit: flag,
  peg: optional(PEG),
};

const TRADE_FACTS: Checks<Omit<FactsOf['eval/2'], 'method' | keyof PathFacts>> = {
  omega: orNull(share),
  grid_z: number,
  bars_traded: integer,
  bars_expected: integer,
  seconds_to_entry: number,
  seconds_after_exit: number,
  carried_open: flag,
  suspected_split: flag,
};

const FACTS: { readonly [Name in MethodName]: Check } = {
  'eval/1': members<FactsOf['eval/1']>({ method: text, ...PATH_FACTS }),
  'eval/2': members<FactsOf['eval/2']>({ method: text, ...PATH_FACTS, ...TRADE_FACTS }),
  'eval/3': members<FactsOf['eval/3']>({
    method: text,
    ...PATH_FACTS,
    ...TRADE_FACTS,
    suspected_price: flag,
    prices_left_out: members<FactsOf['eval/3']['prices_left_out']>({ path: integer, history: integer }),
    night_leap: orNull(number),
    history_from: text,
    market: orNull(members<NonNullable<FactsOf['eval/3']['market']>>({ instrument: text, move: number })),
  }),
};

const LEVEL = { kind: oneOf(['target', 'stop', 'drops_below', 'rises_above']), price: number };
const TOUCH = members<Touch>({ ...LEVEL, time: text, fill_price: number, ambiguous: flag });
const LEVELS = members<LevelFacts>({
  first_touch: orNull(TOUCH),
  time_to_target: orNull(number),
  time_to_stop: orNull(number),
  touches: listOf(TOUCH),
  invalid_at_entry: listOf(members<LevelFacts['invalid_at_entry'][number]>(LEVEL)),
  entry_reached: optional(orNull(flag)),
});

const OWNER_FACTS = members<OwnerFacts>({
  levels: orNull(LEVELS),
  reference_price: orNull(
    members<ReferencePriceFact>({
      price: number,
      bar: members<ReferencePriceFact['bar']>({ start: text, end: text, low: number, high: number }),
      within_bar: flag,
    }),
  ),
  knowledge_overlap: orNull(flag),
  left_out: optional(
    listOf(
      members<NonNullable<OwnerFacts['left_out']>[number]>({
        of: oneOf(['path', 'history']),
        at: oneOf(['open', 'close']),
        time: text,
        price: number,
      }),
    ),
  ),
});

const BARS = listOf(
  members<StoredBar>({
    start: text,
    end: text,
    open: number,
    high: number,
    low: number,
    close: number,
    volume: orNull(number),
    split: number,
    total: number,
  }),
);

const REGIME = members<Regime>({ label: text, vol: share, trend: share });

type Word = Exclude<
  keyof Submission,
  | 'market'
  | 'symbol'
  | 'venue'
  | 'asset_class'
  | 'quote_currency'
  | 'direction'
  | 'horizon_kind'
  | 'horizon_value'
  | 'data_cutoff'
  | 'analysis_class'
  | 'perspective_type'
  | 'workflow_ref'
  | 'related_records'
>;

const within =
  (least: number, most: number): Check =>
  (value) =>
    number(value) && Number(value) >= least && Number(value) <= most;
/** As submissions bound prices and quantities. */
const positive: Check = (value) => within(0, 1e15)(value) && value !== 0;
const FACTOR = members<KeyFactor>({
  factor: text,
  id: optional(text),
  depends_on: optional(listOf(text)),
  dimension: optional(text),
  direction: optional(oneOf(DIRECTIONS)),
  weight: optional(number),
  metric: optional(
    members<NonNullable<KeyFactor['metric']>>({
      name: text,
      value: (value) => text(value) || number(value),
      unit: optional(text),
    }),
  ),
  source: optional(
    members<NonNullable<KeyFactor['source']>>({ name: text, url: optional(text), published_at: optional(text) }),
  ),
});

/** What views show of the body of a statement; the rest they have from the row. */
export const WORD_CHECKS: Checks<Pick<Submission, Word>> = {
  key_factors: listOf((value) => text(value) || FACTOR(value)),
  reference_price: number,
  price_targets: members<NonNullable<Submission['price_targets']>>({
    entry: optional(positive),
    targets: optional(
      listOf(
        members<{ price: number; size_pct?: number }>({
          price: positive,
          size_pct: optional((value) => positive(value) && within(0, 100)(value)),
        }),
      ),
    ),
    stop_loss: optional(
      members<{ price: number; kind: string }>({ price: positive, kind: oneOf(['hard', 'trailing']) }),
    ),
  }),
  invalidation: listOf(
    members<{ kind: string; threshold: number }>({ kind: oneOf(['drops_below', 'rises_above']), threshold: positive }),
  ),
  execution_info: members<NonNullable<Submission['execution_info']>>({
    executed: flag,
    fill_price: optional(positive),
    fill_time: optional(instant),
    quantity: optional(positive),
    fees: optional(within(0, 1e15)),
    note: optional(text),
  }),
  service_interaction: members<NonNullable<Submission['service_interaction']>>({
    consulted: flag,
    wisdom_queries: optional((value) => integer(value) && within(0, 2 ** 31 - 1)(value)),
    record_ids: optional(listOf((value) => text(value) && RECORD_ID.test(String(value)))),
    note: optional(text),
  }),
  confidence: number,
  model: members<NonNullable<Submission['model']>>({ id: optional(text), knowledge_cutoff: optional(text) }),
  summary: text,
  tags: listOf(text),
  inputs: listOf(members<DecisionInput>({ kind: oneOf(INPUT_KINDS), name: text, sha256: text })),
  meta: isJsonObject,
};
export const WORD_NAMES = Object.keys(WORD_CHECKS) as readonly Word[];

function isJsonObject(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}
