import { z } from 'zod';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';

export const count = () => z.int().min(0);

/** An object with a count for each of the given names. */
export function countOfEach<Name extends string>(names: readonly Name[]) {
  const shape = Object.fromEntries(names.map((name) => [name, count()])) as Record<Name, ReturnType<typeof count>>;
  return z.strictObject(shape);
}

export const distribution = countOfEach(RESULT_BUCKETS).meta({
  id: 'ResultDistribution',
  description: 'The number of records by result.',
});

/** The number of records by the bucket that each direction would have got. */
export const hadSaidCounts = z
  .strictObject({ bullish: distribution, bearish: distribution, neutral: distribution })
  .meta({
    id: 'HadSaidCounts',
    description:
      'The same records by the result that a decision of each direction would have got in the same windows: what the market alone gave.',
  })
  .nullable();

export const ungraded = z
  .strictObject({
    rejected: count().describe('No source knows the instrument, or none could be asked for 8 days.'),
    data_unavailable: z
      .array(z.strictObject({ reason: z.string(), total: count() }).meta({ id: 'UnavailableCount' }))
      .readonly()
      .describe('By the first word of `last_error`, such as `coverage`; more reasons may be added.'),
  })
  .meta({ id: 'UngradedCounts', description: 'Records that ended without an outcome; quarantined ones are left out.' });

/** The same in a cohort or a track record, whose distributions leave out some outcomes too. */
export const leftOut = z
  .strictObject({
    ...ungraded.shape,
    suspected: count().describe(
      'Outcomes with a price or a leap that nothing explains: graded, and in no count by bucket.',
    ),
    wrong_security: count()
      .optional()
      .describe(
        'The same by the prices of another security, as a statement says that was learned later; absent without any.',
      ),
  })
  .meta({ id: 'LeftOutCounts', description: 'Records that are in no count by bucket; quarantined ones are left out.' });

export const windowCounts = z
  .strictObject({
    instruments: count().describe('Securities: all venues, quotes, spot and perpetuals of one are one.'),
    instrument_days: count().describe('Securities and venue dates on which a window starts.'),
    max_concurrent: count().describe('Per security, the most at once.'),
    disjoint: count().describe('Per security, the most without overlap; summed.'),
  })
  .meta({
    id: 'WindowCounts',
    description: 'How much the windows of the graded records overlap.',
  });
