import { z } from 'zod';
import { COHORT, PAGE } from '../../../../domain/limits.ts';
import { ASSET_CLASSES, MARKETS } from '../../../../domain/market/venues.ts';
import { queryBoolean, queryInteger, timestamp } from '../../kit/input/query-values.ts';
import {
  analysisClass,
  cohortSort,
  direction,
  evaluationMethod,
  grid,
  horizonKind,
  paged,
  perspectiveType,
  quoteFilter,
  resultBucket,
  upperCase,
} from '../texts.ts';

const INT32 = 2_147_483_647;

/** Upper-cased, as in records; an unknown name selects nothing. */
const symbol = z
  .string()
  .min(1)
  .max(40)
  .describe(
    'As in a submission: `BTC` and `BTC-USDT` are the same, as are `BRK.B` and `BRK/B`; `0700` needs a `venue`.',
  )
  .meta({ example: 'MSFT' });

const cohortKey = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[^\s:]{1,40}(:[^\s:]{1,40}){6}$/, 'must be a cohort_key as in records: seven words joined by colons')
  .describe('As in records, such as `stock:msft:spot:usd:bullish:swing:opinion`.');

/** The parameters of `GET /agent/wisdom` (interface.md 4.2, settled.md section 6). */
export const cohortQuery = z.strictObject({
  market: word(MARKETS).meta({ description: 'The market of the cohort.', example: 'stock' }),
  symbol: symbol.optional(),
  venue: upperCase().optional().describe('Such as NASDAQ or BINANCE.'),
  asset_class: word(ASSET_CLASSES).optional().describe('As in a submission.'),
  quote_currency: quoteFilter().optional(),
  cohort_key: cohortKey.optional(),
  direction: direction.optional().describe('Only this direction.'),
  analysis_class: analysisClass.optional().describe('As in a submission.'),
  perspective_type: perspectiveType.optional().describe('As in a submission.'),
  horizon_kind: horizonKind.optional().describe('As in a submission.'),
  horizon_value: queryInteger(0, INT32).optional().describe('Only this horizon.'),
  result_bucket: resultBucket.optional().describe('Only this result.'),
  method: evaluationMethod.optional().describe('Only this method.'),
  grid: grid.optional().describe(`Only a \`grid_z\` of at most ${COHORT.fineGrid}, or above it.`),
  data_cutoff_since: timestamp().optional().describe('Only a `data_cutoff` from this time on.'),
  data_cutoff_until: timestamp().optional().describe('Only a `data_cutoff` before this time.'),
  as_of: timestamp()
    .optional()
    .describe('Only an `evaluated_at` up to this time. With few other filters in a large cohort.'),
  include_retroactive: queryBoolean().optional().describe('Whether retroactive records count; default false.'),
  ...paged('Rows', { length: PAGE.momentCursorLength }),
  sort: cohortSort.optional().describe('Default `data_cutoff_desc`.'),
});

/** One of some words in any case, as in a submission. */
function word<const W extends readonly [string, ...string[]]>(words: W) {
  return z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(words))
    .meta({ type: 'string', enum: [...words] });
}
