import { z } from 'zod';
import type { ShownFacts } from '../../../domain/decisions/views.ts';
import { BAR_SIZES } from '../../../domain/market/bars.ts';
import { coin, resultBucket } from './words.ts';

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

/** The public facts of the price path (evaluation.md section 5). */
export const outcomeFacts = {
  method: z.literal('eval/1'),
  source: z.string(),
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
  move_z: z.number().describe('The move in sigmas of the window, signed by the price; `z` is signed by the direction.'),
  had_said: z
    .strictObject({ bullish: resultBucket, bearish: resultBucket, neutral: resultBucket })
    .meta({ id: 'HadSaid', description: 'The result that each direction would have got in this window.' }),
};

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

export const factsExample: ShownFacts = {
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
  move_z: 0.738692,
  had_said: { bullish: 'strong_correct', bearish: 'strong_incorrect', neutral: 'weak_incorrect' },
};

export const ownerFactsExample = {
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
