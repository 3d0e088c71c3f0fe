import { z } from 'zod';
import { PLAN } from '../../../../domain/limits.ts';
import { instant, timestamp } from '../../kit/input/query-values.ts';
import { PROMISED_RECEIPT } from '../decisions/submit-replies.ts';
import { filledText, paged, pageOf } from '../texts.ts';
import { understoodQuery } from './cohort.ts';
import { cohortQuery } from './cohort-query.ts';

const INT32 = 2_147_483_647;

const instantText = () => z.string().meta({ type: 'string', format: 'date-time' });

/** The filters of a cohort query, as values of JSON. */
const plannedFilters = cohortQuery
  .omit({ as_of: true, limit: true, sort: true, cursor: true })
  .extend({
    symbol: filledText(40).optional().describe('As in a submission: `BTC` and `BTC-USDT` are the same.'),
    horizon_value: z.int().min(0).max(INT32).optional().describe('Only this horizon.'),
    data_cutoff_since: timestamp().optional().describe('Only a `data_cutoff` from this time on.'),
    data_cutoff_until: timestamp().optional().describe('Only a `data_cutoff` before this time.'),
    include_retroactive: z.boolean().optional().describe('Whether retroactive records count; default false.'),
  })
  .meta({ id: 'PlannedFilters', description: 'The filters of the cohort query, without `as_of`, `sort` and paging.' });

export const planRequest = z
  .strictObject({
    query: plannedFilters,
    sentence: filledText(PLAN.sentenceLength).describe('What you expect to find, and why you ask.'),
  })
  .meta({ id: 'PlanRequest' });

export const plannedQuery = understoodQuery
  .omit({ as_of: true, sort: true, limit: true })
  .extend({ data_cutoff_since: instantText().optional(), data_cutoff_until: instantText().optional() })
  .meta({ id: 'PlannedQuery', description: 'The filters as they were understood: the canonical query.' });

export const statedPlan = z
  .strictObject({
    plan_id: z.uuid(),
    stated_at: instant(),
    query: plannedQuery,
    sentence: z.string(),
    asked_before: z.boolean().describe('Whether your account had asked this question before it was stated.'),
    salt: z.string().describe('32 random bytes in hex: who has salt and statement can open the leaf.'),
    statement: z.string().describe('What is committed to, in the form of RFC 8785.'),
    producer: z.string().describe('The digest of salt, owner and agent, in hex.'),
    leaf: z.string().describe('The `c` of the leaf in the evidence log.'),
    log_index: z.int().nullable().describe('Of the leaf; null until the log has it.'),
    receipt: PROMISED_RECEIPT.describe('Proves the plan to others; null without an evidence log.'),
  })
  .meta({ id: 'StatedPlan' });

export const listedPlan = statedPlan
  .pick({ plan_id: true, stated_at: true, query: true, sentence: true, asked_before: true, log_index: true })
  .extend({ agent_id: z.string().describe('The agent that stated it.') })
  .meta({ id: 'ListedPlan' });

export const planList = pageOf(listedPlan, 'PlanList');

export const planListQuery = z.strictObject(paged('Plans'));

export const planPath = z.strictObject({
  plan_id: z.uuid().meta({ description: 'The id of the plan.', example: '019a2f60-5c00-7000-8000-00005c0ffee5' }),
});

export const planReceiptQuery = z.strictObject({
  opening: z
    .enum(['public', 'full'])
    .default('public')
    .describe('`full` adds your ids, with which you prove who stated it.'),
});

export const planRequestExample: z.input<typeof planRequest> = {
  query: { market: 'stock', symbol: 'MSFT', direction: 'bullish', include_retroactive: true },
  sentence: 'Bullish decisions after a stock split come out better than had_said.bullish.',
};

export const statedPlanExample: z.input<typeof statedPlan> = {
  plan_id: '019a2f60-5c00-7000-8000-00005c0ffee5',
  stated_at: new Date('2026-01-30T14:30:00Z'),
  query: { market: 'stock', symbol: 'MSFT', direction: 'bullish', include_retroactive: true },
  sentence: planRequestExample.sentence,
  asked_before: false,
  salt: '5c'.repeat(32),
  statement: '{"asked_before":false,"plan_id":"019a2f60-5c00-7000-8000-00005c0ffee5","query":{"direction":"bullish"}}',
  producer: '59b87355977fa104a5d75979b4d65442e1c9f69c7fc4f3aa44adbadd05664bc4',
  leaf: '0b1c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5061728394a5b6c7d8e9fa',
  log_index: null,
  receipt: null,
};

const { plan_id, stated_at, query, sentence, asked_before } = statedPlanExample;

export const planListExample: z.input<typeof planList> = {
  items: [{ plan_id, agent_id: 'agt_3f9c2e7a1b4d', stated_at, query, sentence, asked_before, log_index: 41 }],
  next_cursor: null,
};
