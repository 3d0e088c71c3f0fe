import { z } from 'zod';
import { COHORT } from '../../../../domain/limits.ts';
import { instant, queryBoolean, queryDate, queryInt64 } from '../../kit/input/query-values.ts';
import { count, distribution, hadSaidCounts, leftOut, windowCounts } from '../counts.ts';
import { direction, market, nextCursor, permissionMode, perspectiveType, resultBucket } from '../texts.ts';
import { symbolFilter } from './own-records.ts';

export const trackRecordQuery = z.strictObject({
  symbol: symbolFilter().optional(),
  direction: direction.optional().describe('Only decisions with this direction.'),
  holding_seconds_min: queryInt64().optional().describe('Inclusive; excludes horizons in trading days.'),
  holding_seconds_max: queryInt64().optional().describe('Inclusive; excludes horizons in trading days.'),
  perspective_type: perspectiveType.optional().describe('As in a submission.'),
  result_bucket: resultBucket.optional().describe('Only records graded into this bucket.'),
  has_outcome: queryBoolean().optional().describe('Whether the record is evaluated, without suspected prices.'),
  date_from: queryDate().optional().describe('The first UTC date of submission.'),
  date_to: queryDate().optional().describe('The last UTC date of submission.'),
});

export const recordCounts = {
  submission_count: count().describe('The sum of the other three counts.'),
  evaluated_count: count(),
  pending_count: count().describe('Records that may still be evaluated.'),
  unavailable_count: count().describe(
    'Records that were rejected, have no data, are quarantined, or have suspected prices.',
  ),
  ungraded: leftOut,
  result_distribution: distribution,
  had_said: hadSaidCounts.describe('null with `result_bucket`.'),
};

export const calibrationBand = z
  .strictObject({ confidence_from: z.number(), confidence_to: z.number(), result_distribution: distribution })
  .meta({ id: 'CalibrationBand' });

const plainCounts = z.strictObject(recordCounts).meta({ id: 'TrackRecordCounts' });

const allAgents = z
  .strictObject({
    agent_count: count().describe('All agents of the owner, also those without records.'),
    ...recordCounts,
    retroactive: plainCounts,
  })
  .meta({ id: 'AllAgentsCounts' });

export const knowledgeCounts = z
  .strictObject({
    before: plainCounts.describe('Data from before the stated end of what the model knew: it may know the outcome.'),
    after: plainCounts,
    without: plainCounts.describe('No `model.knowledge_cutoff` was sent.'),
  })
  .meta({ id: 'KnowledgeCounts' });

export const facets = {
  ...recordCounts,
  calls: count().describe('The submissions, where a decision group counts once: by the horizon that leads.'),
  windows: windowCounts
    .nullable()
    .describe(`Of one horizon of a decision group; null for more than ${COHORT.mostWindows} evaluated records.`),
  by_direction: z
    .strictObject({ bullish: plainCounts, bearish: plainCounts, neutral: plainCounts })
    .meta({ id: 'DirectionCounts' }),
  by_knowledge_cutoff: knowledgeCounts
    .nullable()
    .describe(`By the stated \`model.knowledge_cutoff\`; null for more than ${COHORT.mostWindows} records.`),
  by_symbol: z
    .array(z.strictObject({ market, symbol: z.string(), ...recordCounts }).meta({ id: 'SymbolCounts' }))
    .readonly()
    .describe(`The ${COHORT.trackRecordSymbols} with the most submissions.`),
  by_month: z.array(z.strictObject({ month: z.string(), ...recordCounts }).meta({ id: 'MonthCounts' })).readonly(),
  first_submission: instant().nullable(),
  last_submission: instant().nullable(),
  calibration: z
    .array(calibrationBand)
    .readonly()
    .optional()
    .describe('Evaluated records by the tenth of their submitted confidence; a tenth without records is absent.'),
};

export const trackRecordReply = z
  .strictObject({
    agent_id: z.string(),
    ...facets,
    retroactive: z.strictObject(facets).meta({
      id: 'RetroactiveTrackRecord',
      description: 'The same counts for retroactive records, which count nowhere else.',
    }),
    all_agents: allAgents.describe('The same selection over all agents of the owner, this one included.'),
  })
  .meta({ id: 'TrackRecord' });

export const agentList = z
  .strictObject({
    items: z
      .array(
        z
          .strictObject({
            agent_id: z.string(),
            name: z.string(),
            created_at: instant(),
            archived_at: instant().nullable().describe('null: it is in use.'),
            keys: z.array(z.strictObject({ key_prefix: z.string(), permission_mode: permissionMode })).readonly(),
            track_record: z
              .strictObject({
                ...recordCounts,
                retroactive: plainCounts,
                cached_at: instant().describe('When these counts were taken: at most five minutes ago.'),
              })
              .meta({ id: 'CachedTrackRecord' }),
          })
          .meta({ id: 'Agent' }),
      )
      .readonly(),
    next_cursor: nextCursor(),
  })
  .meta({ id: 'AgentList' });

const NONE = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };
export const countsOfNone = {
  submission_count: 0,
  evaluated_count: 0,
  pending_count: 0,
  unavailable_count: 0,
  ungraded: { rejected: 0, data_unavailable: [], suspected: 0 },
  result_distribution: NONE,
  had_said: { bullish: NONE, bearish: NONE, neutral: NONE },
};
const COUNTS_OF_TWO = {
  ...countsOfNone,
  submission_count: 2,
  evaluated_count: 1,
  pending_count: 1,
  result_distribution: { ...NONE, weak_correct: 1 },
  had_said: {
    bullish: { ...NONE, weak_correct: 1 },
    bearish: { ...NONE, weak_incorrect: 1 },
    neutral: { ...NONE, strong_correct: 1 },
  },
};

export const trackRecordExample: z.input<typeof trackRecordReply> = {
  agent_id: 'agt_4f1c2d3e5a6b',
  ...COUNTS_OF_TWO,
  calls: 2,
  windows: { instruments: 1, instrument_days: 1, max_concurrent: 1, disjoint: 1 },
  by_direction: { bullish: COUNTS_OF_TWO, bearish: countsOfNone, neutral: countsOfNone },
  by_knowledge_cutoff: { before: countsOfNone, after: countsOfNone, without: COUNTS_OF_TWO },
  by_symbol: [{ market: 'crypto', symbol: 'BTC', ...COUNTS_OF_TWO }],
  by_month: [{ month: '2026-01', ...COUNTS_OF_TWO }],
  first_submission: new Date('2026-01-29T09:00:00Z'),
  last_submission: new Date('2026-01-30T14:30:00Z'),
  calibration: [{ confidence_from: 0.6, confidence_to: 0.7, result_distribution: { ...NONE, weak_correct: 1 } }],
  retroactive: {
    ...countsOfNone,
    calls: 0,
    windows: { instruments: 0, instrument_days: 0, max_concurrent: 0, disjoint: 0 },
    by_direction: { bullish: countsOfNone, bearish: countsOfNone, neutral: countsOfNone },
    by_knowledge_cutoff: { before: countsOfNone, after: countsOfNone, without: countsOfNone },
    by_symbol: [],
    by_month: [],
    first_submission: null,
    last_submission: null,
  },
  all_agents: {
    agent_count: 3,
    ...COUNTS_OF_TWO,
    submission_count: 14,
    pending_count: 13,
    retroactive: countsOfNone,
  },
};

export const agentListExample: z.input<typeof agentList> = {
  items: [
    {
      agent_id: 'agt_4f1c2d3e5a6b',
      name: 'Scout',
      created_at: new Date('2026-01-29T08:00:00Z'),
      archived_at: null,
      keys: [{ key_prefix: 'sbk_4bV9xQ2z', permission_mode: 'read_write' }],
      track_record: { ...COUNTS_OF_TWO, retroactive: countsOfNone, cached_at: new Date('2026-01-30T14:31:00Z') },
    },
  ],
  next_cursor: null,
};
