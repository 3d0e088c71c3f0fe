import { z } from 'zod';
import { AGENT_ID } from '../../../../domain/identifiers.ts';
import { MODERATION } from '../../../../domain/limits.ts';
import { instant, queryBoolean, timestamp } from '../../kit/input/query-values.ts';
import {
  assetClass,
  direction,
  lifecycleState,
  market,
  paged,
  pageOf,
  quoteFilter,
  reasonText,
  resultBucket,
  submissionOrigin,
  upperCase,
} from '../texts.ts';
import { commonDetail, commonExample, expectedOwnEvaluation } from './decision-parts.ts';
import { agentNumber, evaluationProgress, ownGroup } from './decision-views.ts';
import { groupIdText } from './submit-replies.ts';

export const agentIdText = () => z.string().regex(AGENT_ID, 'must be an agent id: agt_ and 12 hex digits');

export const symbolFilter = () =>
  z.string().max(40).describe('Spelled as in a submission: `BTC` and `BTC-USDT`, `BRK.B` and `BRK/B` are the same.');

/** The parameters of a list of own records, except the agent. */
export const ownRecordsQuery = z.strictObject({
  group_id: groupIdText().optional().describe('Only records of this decision group.'),
  market: market.optional().describe('Only records of this market.'),
  symbol: symbolFilter().optional(),
  venue: upperCase().optional().describe('Such as NASDAQ or BINANCE.'),
  asset_class: assetClass.optional().describe('Only records of this kind of instrument.'),
  quote_currency: quoteFilter().optional(),
  direction: direction.optional().describe('Only decisions with this direction.'),
  lifecycle_state: lifecycleState.optional().describe('Only records in this state.'),
  result_bucket: resultBucket.optional().describe('Only records graded into this bucket.'),
  submitted_since: timestamp().optional().describe('Only records submitted at or after this time.'),
  submitted_until: timestamp().optional().describe('Only records submitted before this time.'),
  evaluated_since: timestamp().optional().describe('Only records evaluated at or after this time.'),
  include_archived: includeArchived(),
  ...paged('Records'),
});

export const ownerRecordsQuery = ownRecordsQuery.extend({
  agent_id: agentIdText().optional().describe('Only records of this agent of yours.'),
  submission_origin: submissionOrigin
    .optional()
    .describe('Only records stated before, or after the prices were known.'),
  ended_since: timestamp().optional().describe('Only records whose window ends at or after this time.'),
  ended_until: timestamp().optional().describe('Only records whose window ends before this time.'),
});

/** Archived records are included only when this is true. */
export function includeArchived() {
  return queryBoolean().optional().describe('Whether archived records are included; default false.');
}

export const revocation = z
  .strictObject({
    reason: reasonText(MODERATION.revokeReasonLength).optional().describe('Shown only to you, as `archive_reason`.'),
  })
  .meta({ id: 'Revocation' });

const { related_records: _, commitment: __, log: ___, ...shownInLists } = commonDetail;

const pathFigures = {
  raw_return: z.number(),
  directional_return: z.number().nullable(),
  mfe: z.number().nullable(),
  mae: z.number().nullable(),
};

/** A record in a list of its agent or in a graph. */
export const ownSummary = {
  ...shownInLists,
  group: ownGroup,
  lifecycle_state: lifecycleState,
  expected_evaluation_at: expectedOwnEvaluation(),
  result_bucket: resultBucket.nullable(),
  path: z.strictObject(pathFigures).meta({ id: 'SummaryPath' }).nullable(),
  evaluation: evaluationProgress,
  archived_at: instant().nullable(),
  archive_reason: z.string().nullable(),
  quarantine_reason: z.string().nullable(),
};

/** A record in a list of its agent, without the agent's id. */
export const agentSummary = z.strictObject(ownSummary).meta({ id: 'AgentDecisionSummary' });

export const agentRecordPage = pageOf(agentSummary, 'AgentDecisionPage');

/** A record in a list of its owner. */
export const ownerSummary = z
  .strictObject({
    ...ownSummary,
    path: z
      .strictObject({
        ...pathFigures,
        z: z
          .number()
          .nullable()
          .describe('As in the outcome: signed by the direction, and for a neutral decision the size of the move.'),
        market_move: z
          .number()
          .nullable()
          .describe('The return of the reference of its venue over the window; in no count. null where there is none.'),
      })
      .meta({ id: 'OwnerSummaryPath' })
      .nullable(),
    agent_id: z.string(),
    number: agentNumber,
  })
  .meta({ id: 'OwnerDecisionSummary' });

export const ownerRecordPage = pageOf(ownerSummary, 'OwnerDecisionPage');

const { related_records: ____, commitment: _____, log: ______, ...shownExample } = commonExample;

const summaryExample = {
  ...shownExample,
  group: null,
  lifecycle_state: 'evaluated',
  expected_evaluation_at: new Date('2026-01-30T14:30:00Z'),
  result_bucket: 'strong_correct',
  path: { raw_return: 0.043377, directional_return: 0.043377, mfe: 0.076737, mae: -0.006033 },
  evaluation: { attempts: 0, next_check_at: null, last_error: null, evaluated_at: new Date('2026-01-30T14:30:02Z') },
  archived_at: null,
  archive_reason: null,
  quarantine_reason: null,
} as const;

export const agentRecordPageExample: z.input<typeof agentRecordPage> = { items: [summaryExample], next_cursor: null };

export const ownerRecordPageExample: z.input<typeof ownerRecordPage> = {
  items: [
    {
      ...summaryExample,
      path: { ...summaryExample.path, z: 0.762872, market_move: 0.0091 },
      agent_id: 'agt_4f1c2d3e5a6b',
      number: 56,
    },
  ],
  next_cursor: null,
};
