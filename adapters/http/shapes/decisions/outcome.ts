import { z } from 'zod';
import type { OutcomeFacts } from '../../../../domain/grading/outcome.ts';
import { BAR_SIZES } from '../../../../domain/market/bars.ts';
import { coin, resultBucket } from '../texts.ts';

const instantText = () => z.string().meta({ type: 'string', format: 'date-time' });

const pricePoint = z
  .strictObject({ time: instantText(), price: z.number(), adjusted_price: z.number() })
  .meta({ id: 'PricePoint' });
const excursion = z.strictObject({ time: instantText(), value: z.number() }).meta({ id: 'Excursion' });

const peg = z
  .strictObject({
    coin,
    overlaps: z
      .array(
        z.strictObject({
          state: z.enum(['tripped', 'warming']),
          from: instantText().describe('Before the window or during it.'),
          until: instantText().nullable().describe('null when it lasted beyond the end of the window.'),
          snapshot_id: z.uuid(),
        }),
      )
      .readonly(),
  })
  .meta({
    id: 'PegInWindow',
    description: 'The states of the circuit of the quote currency during the window; absent when it was always normal.',
  });

/** The public facts of the price path by any method (evaluation.md section 5), and what follows from them. */
const pathFacts = {
  source: z.string(),
  names: z
    .enum(['today', 'of_date'])
    .optional()
    .describe(
      'How the source named the security: by its name on the day of the grade, or on the dates of its bars. Absent where ' +
        'bars belong to the security itself, as in files.',
    ),
  bar_size: z.enum(BAR_SIZES),
  entry: pricePoint,
  exit: pricePoint,
  raw_return: z.number(),
  directional_return: z.number().nullable(),
  sigma_d: z.number(),
  tau: z.number(),
  z: z.number(),
  mfe: excursion.nullable(),
  mae: excursion,
  fraction_in_favour: z.number().nullable(),
  realised_volatility: z.number(),
  coverage: z
    .strictObject({
      bars_expected: z.int(),
      bars_observed: z.int(),
      bars_carried: z.int(),
      ratio: z.number(),
    })
    .meta({ id: 'BarCoverage' }),
  halted: z.boolean(),
  delisted_exit: z.boolean(),
  peg: peg.optional(),
  move_z: z.number().describe('The move in sigmas of the window, signed by the price whatever the direction.'),
  had_said: z
    .strictObject({ bullish: resultBucket, bearish: resultBucket, neutral: resultBucket })
    .meta({ id: 'HadSaid', description: 'The bucket that each direction would have got in this window.' }),
};

const tradeFacts = {
  omega: z
    .number()
    .nullable()
    .describe('The share of nights in the daily variance, in [0, 1); null where trading never stops.'),
  grid_z: z.number().describe('One step of the price in sigmas of the window.'),
  bars_traded: z.int().describe('Bars of the path: those in which something traded.'),
  bars_expected: z.int().describe('Bars that the calendar expects whole in the window.'),
  seconds_to_entry: z.number().describe('From the anchor to the entry.'),
  seconds_after_exit: z.number().describe('From the exit to the end of the window.'),
  carried_open: z
    .boolean()
    .describe('Most daily opens before the anchor repeat the close before, so they are no prices of the open.'),
  suspected_split: z
    .boolean()
    .describe('The path has a jump that looks like a split, and no corporate action for it is known.'),
};

export const marketMove = z
  .strictObject({ instrument: z.string(), move: z.number() })
  .meta({ id: 'MarketMove' })
  .nullable()
  .describe('What the reference of the venue did meanwhile, by its daily closes; null where that is not known.');

const priceFacts = {
  suspected_price: z
    .boolean()
    .describe('The last prices of the window or of the days before it are far from those before, and none came after.'),
  prices_left_out: z
    .strictObject({ path: z.int(), history: z.int() })
    .meta({ id: 'PricesLeftOut', description: 'Prices at which nobody could trade again: they are no facts.' }),
  night_leap: z
    .number()
    .nullable()
    .describe('The largest real leap over a night: the new price over the old one; null without one above 1.4.'),
  history_from: z.string().describe('The date of the oldest day that sigma_d is computed from.'),
  market: marketMove,
};

/**
 * An outcome by any evaluation method; `method` shows which.
 * @param id the name of the whole; those of its forms follow from it
 * @param first members of all forms, before the facts
 * @param last members of all forms, after the facts
 */
export function outcomeOf<First extends z.ZodRawShape, Last extends z.ZodRawShape>(
  id: string,
  first: First,
  last: Last,
) {
  const eval1 = z.strictObject({ ...first, method: z.literal('eval/1'), ...pathFacts, ...last });
  const eval2 = z.strictObject({ ...first, method: z.literal('eval/2'), ...pathFacts, ...tradeFacts, ...last });
  const ofPrices = { ...pathFacts, ...tradeFacts, ...priceFacts };
  const eval3 = z.strictObject({ ...first, method: z.literal('eval/3'), ...ofPrices, ...last });
  const forms = [
    eval1.meta({ id: `${id}Eval1` }),
    eval2.meta({ id: `${id}Eval2` }),
    eval3.meta({ id: `${id}Eval3` }),
  ] as const;
  return z.discriminatedUnion('method', forms).meta({
    id,
    description: 'The facts of the price path, by the method of the record. Returns are fractions: 0.01 is 1 %.',
  });
}

const level = { kind: z.enum(['target', 'stop', 'drops_below', 'rises_above']), price: z.number() };
const touch = z
  .strictObject({ ...level, time: instantText(), fill_price: z.number(), ambiguous: z.boolean() })
  .meta({ id: 'LevelTouch' });

/** The facts that only the owner sees, and the raw bars of the path. */
export const ownerFacts = {
  levels: z
    .strictObject({
      first_touch: touch.nullable(),
      time_to_target: z.number().nullable(),
      time_to_stop: z.number().nullable(),
      touches: z.array(touch).readonly(),
      invalid_at_entry: z.array(z.strictObject(level).meta({ id: 'PriceLevel' })).readonly(),
      entry_reached: z
        .boolean()
        .nullable()
        .optional()
        .describe('By eval/3: whether the price reached the entry of the plan; null where the plan names none.'),
    })
    .meta({ id: 'LevelTouches' })
    .nullable(),
  reference_price: z
    .strictObject({
      price: z.number(),
      bar: z.strictObject({ start: instantText(), end: instantText(), low: z.number(), high: z.number() }),
      within_bar: z.boolean(),
    })
    .meta({ id: 'ReferencePriceCheck' })
    .nullable(),
  knowledge_overlap: z.boolean().nullable(),
  left_out: z
    .array(
      z
        .strictObject({
          of: z.enum(['path', 'history']),
          at: z.enum(['open', 'close']),
          time: instantText(),
          price: z.number(),
        })
        .meta({ id: 'LeftOutPrice' }),
    )
    .readonly()
    .optional()
    .describe('By eval/3: the prices that are no facts, because nobody could trade at them again.'),
  bars: z
    .array(
      z
        .strictObject({
          start: instantText(),
          end: instantText(),
          open: z.number(),
          high: z.number(),
          low: z.number(),
          close: z.number(),
          volume: z.number().nullable(),
          split: z.number(),
          total: z.number(),
        })
        .meta({ id: 'Bar' }),
    )
    .readonly(),
};

/** What the owner's detail says of the outcome beyond `ownerFacts`. */
export const sourceFacts = {
  sources_after_cutoff: z
    .int()
    .nullable()
    .describe('How many sources of key_factors are dated after data_cutoff; null where none has a date.'),
};

export const factsExample = {
  method: 'eval/1',
  source: 'bar-files',
  bar_size: '1d',
  entry: { time: '2003-02-13T14:30:00.000Z', price: 46.41, adjusted_price: 23.136412 },
  exit: { time: '2003-02-20T21:00:00.000Z', price: 24.14, adjusted_price: 24.14 },
  raw_return: 0.043377,
  directional_return: 0.043377,
  sigma_d: 0.025707,
  tau: 5,
  z: 0.738692,
  mfe: { time: '2003-02-18T21:00:00.000Z', value: 0.076737 },
  mae: { time: '2003-02-13T21:00:00.000Z', value: -0.006033 },
  fraction_in_favour: 1,
  realised_volatility: 0.049517,
  coverage: { bars_expected: 5, bars_observed: 5, bars_carried: 0, ratio: 1 },
  halted: false,
  delisted_exit: false,
} as const satisfies OutcomeFacts;

/** The same window by the newer method, as a reply shows it. */
export const outcomeExample = {
  ...factsExample,
  method: 'eval/3',
  tau: 4.688066,
  z: 0.762872,
  fraction_in_favour: 1,
  omega: 0.311934,
  grid_z: 0.003748,
  bars_traded: 5,
  bars_expected: 5,
  seconds_to_entry: 1800,
  seconds_after_exit: 0,
  carried_open: false,
  suspected_split: false,
  suspected_price: false,
  prices_left_out: { path: 0, history: 0 },
  night_leap: null,
  history_from: '2003-01-14',
  market: { instrument: 'stock:SPX:NYSE:spot:USD', move: 0.0225 },
  move_z: 0.762872,
  had_said: { bullish: 'strong_correct', bearish: 'strong_incorrect', neutral: 'weak_incorrect' },
} as const;

export const ownerFactsExample = {
  left_out: [],
  levels: null,
  reference_price: null,
  knowledge_overlap: null,
  bars: [
    {
      start: '2003-02-13T14:30:00.000Z',
      end: '2003-02-13T21:00:00.000Z',
      open: 46.41,
      high: 46.97,
      low: 46.21,
      close: 46.99,
      volume: null,
      split: 0.5,
      total: 0.498522,
    },
  ],
};
