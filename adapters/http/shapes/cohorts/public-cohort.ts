import { z } from 'zod';
import { calendarPart } from '../../kit/input/query-values.ts';
import { cohortExample, cohortReply, overview } from './cohort.ts';
import { cohortQuery } from './cohort-query.ts';

const SHARED = {
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

/** The parameters of `GET /public/cohorts`. */
export const publicCohortQuery = cohortQuery.pick(SHARED).extend({
  period: calendarPart()
    .optional()
    .describe('Only a `data_cutoff` in this UTC year, month or day: `2026`, `2026-01` or `2026-01-30`.'),
});

export const publicCohortReply = z
  .strictObject({
    query: cohortReply.shape.query.pick(SHARED).extend({ period: z.string().optional() }).meta({
      id: 'PublicCohortQuery',
      description: 'The parsed query, defaults included; parameters that were not sent are absent.',
    }),
    overview,
  })
  .meta({ id: 'PublicCohort' });

export const publicCohortExample: z.input<typeof publicCohortReply> = {
  query: { market: 'stock', symbol: 'MSFT', include_retroactive: true, period: '2003' },
  overview: cohortExample.overview,
};
