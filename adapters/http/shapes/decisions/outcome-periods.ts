import { z } from 'zod';
import { OUTCOME_PERIODS } from '../../../../domain/decisions/own/outcome-periods.ts';
import { OUTCOMES } from '../../../../domain/limits.ts';
import { timestamp } from '../../kit/input/query-values.ts';
import { count, distribution, hadSaidCounts } from '../counts.ts';
import { submissionOrigin } from '../texts.ts';
import { agentIdText } from './own-records.ts';

const most = OUTCOMES.mostRecords.toLocaleString('en-GB');

export const outcomesQuery = z.strictObject({
  since: timestamp()
    .optional()
    .describe(`Only decisions whose window ended at or after this time. At most ${most} are counted at once.`),
  agent_id: agentIdText().optional().describe('Only decisions of this agent of yours.'),
  by: z.enum(OUTCOME_PERIODS).optional().describe('Weeks begin on Monday; both are of UTC. Default week.'),
});

export const outcomesReply = z
  .strictObject({
    by: z.enum(OUTCOME_PERIODS),
    items: z
      .array(
        z
          .strictObject({
            period: z.string().describe('The first day of the week or month in which the windows ended.'),
            submission_origin: submissionOrigin,
            result_distribution: distribution,
            by_direction: z
              .strictObject({ bullish: distribution, bearish: distribution, neutral: distribution })
              .describe('The same by the direction that was stated.'),
            had_said: hadSaidCounts,
            uncounted_count: count().describe('Graded, and in no count by bucket: `suspected` or `wrong_security`.'),
          })
          .meta({ id: 'PeriodOutcomes' }),
      )
      .readonly(),
  })
  .meta({ id: 'OwnerOutcomes' });

const none = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };

export const outcomesExample: z.input<typeof outcomesReply> = {
  by: 'week',
  items: [
    {
      period: '2026-01-26',
      submission_origin: 'realtime',
      result_distribution: { ...none, strong_correct: 1, weak_incorrect: 2 },
      by_direction: { bullish: { ...none, strong_correct: 1 }, bearish: { ...none, weak_incorrect: 2 }, neutral: none },
      had_said: {
        bullish: { ...none, strong_correct: 1, weak_correct: 2 },
        bearish: { ...none, weak_incorrect: 2, strong_incorrect: 1 },
        neutral: { ...none, strong_correct: 2, weak_incorrect: 1 },
      },
      uncounted_count: 0,
    },
  ],
};
