import { z } from 'zod';
import { NEWEST_PUBLIC } from '../../../../domain/limits.ts';
import { queryInt64 } from '../../kit/input/query-values.ts';
import { cohortHandle } from '../cohorts/cohort.ts';

export const newestQuery = z.strictObject({
  limit: queryInt64(0)
    .optional()
    .describe(`Default ${NEWEST_PUBLIC.byDefault}; more than ${NEWEST_PUBLIC.most} is read as ${NEWEST_PUBLIC.most}.`),
});

/** The newest public records, each as a row of its cohort. */
export const newestRecords = z
  .strictObject({ items: z.array(cohortHandle).readonly().describe('The newest `data_cutoff` first.') })
  .meta({ id: 'PublicDecisionList' });
