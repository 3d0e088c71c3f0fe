import { z } from 'zod';
import { OWNER_SHARES } from '../../../../domain/cohorts/owner-share.ts';
import { SUPPRESSION_REASONS } from '../../../../domain/cohorts/suppression.ts';
import { COHORT } from '../../../../domain/limits.ts';
import { instant } from '../../kit/input/query-values.ts';
import { count, distribution, hadSaidCounts, leftOut, windowCounts } from '../counts.ts';
import {
  callExample,
  createdRegime,
  fault,
  furtherHorizon,
  publicEvaluation,
  statedCall,
} from '../decisions/decision-parts.ts';
import {
  analysisClass,
  assetClass,
  cohortSort,
  direction,
  evaluationMethod,
  grid,
  horizonKind,
  market,
  nextCursor,
  perspectiveType,
  resultBucket,
  submissionOrigin,
} from '../texts.ts';

/** The current state of a cohort's instrument, on the reply and on each of its rows. */
const cohort_current_regime = z
  .string()
  .nullable()
  .optional()
  .describe('Only present when the query sets all five identity fields; null when it is unknown at present.');

export const understoodQuery = z
  .strictObject({
    market,
    symbol: z.string().optional(),
    venue: z.string().optional(),
    asset_class: assetClass.optional(),
    quote_currency: z.string().optional(),
    cohort_key: z.string().optional(),
    direction: direction.optional(),
    analysis_class: analysisClass.optional(),
    perspective_type: perspectiveType.optional(),
    horizon_kind: horizonKind.optional(),
    horizon_value: z.int().optional(),
    result_bucket: resultBucket.optional(),
    method: evaluationMethod.optional(),
    grid: grid.optional(),
    data_cutoff_since: instant().optional(),
    data_cutoff_until: instant().optional(),
    as_of: instant().optional(),
    include_retroactive: z.boolean(),
    sort: cohortSort,
    limit: z.int(),
  })
  .meta({
    id: 'CohortQuery',
    description: 'The parsed query, defaults included; parameters that were not sent are absent.',
  });

export const overview = z
  .strictObject({
    sample_count: count().nullable().describe('Records; null when suppressed, as are the other counts.'),
    retroactive_count: count().nullable(),
    result_distribution: distribution.nullable(),
    // An atlas that an earlier version built has none.
    had_said: hadSaidCounts.default(null).describe('null also with `result_bucket`.'),
    time_range: z
      .strictObject({ earliest: instant(), latest: instant() })
      .nullable()
      .describe('The range of `data_cutoff`.'),
    // An atlas that an earlier version built has none.
    windows: windowCounts
      .nullable()
      .default(null)
      .describe(`How much they overlap; also null above ${COHORT.mostWindows} records.`),
    largest_owner_share: z
      .enum(OWNER_SHARES)
      .nullable()
      .default(null)
      .describe(
        `About how many of the first graded records one owner has. Near a third, either word can be shown. null with a filter by perspective, result, method, grid or time, below ${COHORT.shareOfMinimum} times \`min_samples\`, and above ${COHORT.mostWindows} records.`,
      ),
    ungraded: leftOut
      .nullable()
      .default(null)
      .describe(
        'Records that match and ended without an outcome; null with `result_bucket`, `method`, `grid` or times, with too few ' +
          `of them or of their owners, and above ${COHORT.mostUngraded} of the symbol or market.`,
      ),
    suppression: z
      .strictObject({
        applied: z.boolean(),
        reason: z.enum(SUPPRESSION_REASONS).nullable(),
        // An atlas that an earlier version built has none.
        message: z.string().nullable().default(null).describe('The reason in words, and what to change.'),
        min_producers: z.int(),
        min_samples: z.int(),
      })
      .meta({ id: 'Suppression' }),
  })
  .meta({ id: 'CohortOverview' });

export const cohortHandle = z
  .strictObject({
    ...statedCall,
    submission_origin: submissionOrigin,
    result_bucket: resultBucket,
    evaluated_at: publicEvaluation,
    created_regime: createdRegime,
    cohort_current_regime,
    path: z
      .strictObject({
        raw_return: z.number(),
        directional_return: z.number().nullable(),
        mfe: z.number().nullable(),
        mae: z.number(),
      })
      .meta({ id: 'OutcomePath' })
      .nullable()
      .describe('null only with a `fault`.'),
    further_horizon: furtherHorizon,
    fault,
  })
  .meta({
    id: 'DecisionHandle',
    description: 'A record as one row of a cohort: no member names or links its owner.',
  });

const name = z.string().max(40);
const date = z.iso.date();

const holding = z.strictObject({
  name,
  key: name.describe('The symbol of the security.'),
  from: date,
  until: date.nullable().describe('From this date on it was not; null: it is.'),
});

export const readAs = z
  .strictObject({
    symbol: name.describe('The symbol of the security, which decisions are counted under.'),
    names: z
      .array(holding)
      .readonly()
      .describe('Its names, in the order of time; none where no statement is about it.'),
    others: z.array(holding).readonly().describe('The other securities that had the name.'),
  })
  .meta({ id: 'ReadAs' });

const READ_AS =
  'What the symbol was read as: a key, or a name of the date of `as_of`. Absent where no statement is about it.';

export const cohortReply = z
  .strictObject({
    query: understoodQuery,
    read_as: readAs.optional().describe(READ_AS),
    overview,
    plan: z
      .strictObject({
        log_index: z.int().nullable().describe('Of its leaf in the newest evidence log; null while it has none.'),
        stated_at: instant(),
      })
      .meta({ id: 'PlanOfQuery' })
      .nullable()
      .describe('The first plan that your account stated for exactly these filters; null for none.'),
    queries_asked: count().describe(
      'The distinct questions that your account had asked before this request. The same filters are one question, whatever ' +
        '`as_of`, `sort` and page.',
    ),
    items: z.array(cohortHandle).readonly(),
    facets: z
      .array(z.strictObject({ dimension: perspectiveType.nullable(), total: count() }).meta({ id: 'PerspectiveCount' }))
      .readonly()
      .describe('Records by perspective_type; null for records without one.'),
    next_cursor: nextCursor(),
    cohort_current_regime,
  })
  .meta({ id: 'Cohort' });

export const cohortHandleExample: z.input<typeof cohortHandle> = {
  ...callExample,
  result_bucket: 'strong_correct',
  evaluated_at: new Date('2026-01-30T14:31:00Z'),
  created_regime: 'down_mid',
  path: { raw_return: 0.043377, directional_return: 0.043377, mfe: 0.076737, mae: -0.006033 },
};

export const cohortExample: z.input<typeof cohortReply> = {
  query: { market: 'stock', symbol: 'MSFT', include_retroactive: true, sort: 'data_cutoff_desc', limit: 1 },
  overview: {
    sample_count: 12,
    retroactive_count: 12,
    result_distribution: { strong_correct: 4, weak_correct: 3, weak_incorrect: 3, strong_incorrect: 2 },
    had_said: {
      bullish: { strong_correct: 4, weak_correct: 3, weak_incorrect: 3, strong_incorrect: 2 },
      bearish: { strong_correct: 2, weak_correct: 3, weak_incorrect: 3, strong_incorrect: 4 },
      neutral: { strong_correct: 3, weak_correct: 3, weak_incorrect: 4, strong_incorrect: 2 },
    },
    time_range: { earliest: new Date('2003-01-06T14:00:00Z'), latest: new Date('2003-02-13T14:00:00Z') },
    windows: { instruments: 1, instrument_days: 11, max_concurrent: 4, disjoint: 5 },
    largest_owner_share: null,
    ungraded: { rejected: 0, data_unavailable: [{ reason: 'coverage', total: 10 }], suspected: 0 },
    suppression: { applied: false, reason: null, message: null, min_producers: 5, min_samples: 10 },
  },
  plan: { log_index: 4112, stated_at: new Date('2026-01-30T14:30:00Z') },
  queries_asked: 7,
  items: [cohortHandleExample],
  facets: [{ dimension: 'technical', total: 12 }],
  next_cursor: 'c2VhbGVkIGJ5IHRoZSBzZXJ2aWNl',
};

/** The parameters that the public cohort shares with the agents' one. */
export const PUBLIC_PARAMETERS = {
  market: true,
  symbol: true,
  venue: true,
  asset_class: true,
  quote_currency: true,
  direction: true,
  horizon_kind: true,
  horizon_value: true,
  as_of: true,
  include_retroactive: true,
} as const;

export const publicCohortReply = z
  .strictObject({
    query: cohortReply.shape.query.pick(PUBLIC_PARAMETERS).extend({ period: z.string().optional() }).meta({
      id: 'PublicCohortQuery',
      description: 'The parsed query, defaults included; parameters that were not sent are absent.',
    }),
    read_as: readAs.optional().describe(READ_AS),
    overview,
  })
  .meta({ id: 'PublicCohort' });

export const publicCohortExample: z.input<typeof publicCohortReply> = {
  query: { market: 'stock', symbol: 'MSFT', include_retroactive: true, period: '2003' },
  overview: cohortExample.overview,
};
