import { z } from 'zod';
import { MODERATION } from '../../../../domain/limits.ts';
import { instant } from '../../kit/input/query-values.ts';
import { identity } from '../decisions/decision-parts.ts';
import { recordIdText } from '../decisions/submission-parts.ts';
import { paged, pageOf } from '../paging.ts';
import { reasonText } from '../texts.ts';
import { direction, lifecycleState, submissionOrigin } from '../words.ts';

export const quarantinedQuery = z.strictObject({
  owner_id: z.uuid().optional().describe('Only records of this owner.'),
  ...paged('Records'),
});

export const quarantinedPage = pageOf(
  z
    .strictObject({
      record_id: recordIdText(),
      owner_id: z.uuid(),
      agent_id: z.string(),
      ...identity,
      direction,
      submission_time: instant(),
      submission_origin: submissionOrigin,
      reason: z
        .string()
        .nullable()
        .describe('As the owner sees it. When and by whom: in the audit log, by the record id.'),
      graded: z.boolean().describe('Whether a release makes it `evaluated` again, with the outcome that it had.'),
    })
    .meta({ id: 'QuarantinedRecord' }),
  'QuarantinedPage',
);

export const quarantinedExample = {
  record_id: 'dec_20260130_5c0ffee5',
  owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
  agent_id: 'agt_0f1e2d3c4b5a',
  market: 'crypto',
  symbol: 'BTC',
  venue: 'BINANCE',
  asset_class: 'spot',
  quote_currency: 'USDT',
  direction: 'bullish',
  submission_time: new Date('2026-01-30T14:30:00.000Z'),
  submission_origin: 'realtime',
  reason: 'Submitted through a stolen key.',
  graded: true,
} as const;

export const releaseRequest = z
  .strictObject({
    reason: reasonText(MODERATION.releaseReasonLength).describe('Stored in the audit log.'),
  })
  .meta({ id: 'ReleaseRequest' });

export const release = z
  .strictObject({
    record_id: recordIdText(),
    lifecycle_state: lifecycleState,
    changed: z.boolean().describe('false: it was not under quarantine.'),
  })
  .meta({ id: 'Release' });
