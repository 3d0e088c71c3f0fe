import { z } from 'zod';
import { quarantineDecision, releaseDecision } from '../../../../application/decisions/moderate-decision.ts';
import { listQuarantined } from '../../../../application/operators/operator-lists.ts';
import type { Ports } from '../../../../application/ports.ts';
import { MODERATION } from '../../../../domain/limits.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { recordPath } from '../../shapes/decisions/decision-parts.ts';
import { recordIdText } from '../../shapes/decisions/submission.ts';
import { quarantinedPage } from '../../shapes/operators/listings.ts';
import { lifecycleState, paged, reasonText } from '../../shapes/texts.ts';

const body = z
  .strictObject({
    reason: reasonText(MODERATION.quarantineReasonLength).describe("Shown to the record's owner."),
  })
  .meta({ id: 'Quarantine' });

export function quarantineDecisionEndpoint(ports: Pick<Ports, 'transaction' | 'clock'>) {
  return endpoint({
    id: 'quarantineDecision',
    method: 'POST',
    path: '/api/v1/admin/decisions/{record_id}/quarantine',
    summary: 'Put a record under quarantine',
    description:
      'After the reply only the owner sees the record, and no cohort counts it. A record that is already under ' +
      'quarantine keeps its first reason.',
    tag: 'Admin',
    auth: 'admin',
    params: recordPath,
    body: { schema: body, example: { reason: 'Submitted through a stolen key.' } },
    replies: { 204: { description: 'The record is under quarantine.' } },
    problems: ['NOT_FOUND', 'RECORD_BEING_EVALUATED'],
    async handle({ caller, params, body: { reason } }) {
      await quarantineDecision(ports, params.record_id, reason, caller.owner_id);
      return { status: 204 };
    },
  });
}

const quarantinedQuery = z.strictObject({
  owner_id: z.uuid().optional().describe('Only records of this owner.'),
  ...paged('Records'),
});

const quarantinedExample = {
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

const releaseRequest = z
  .strictObject({
    reason: reasonText(MODERATION.releaseReasonLength).describe('Stored in the audit log.'),
  })
  .meta({ id: 'ReleaseRequest' });

const release = z
  .strictObject({
    record_id: recordIdText(),
    lifecycle_state: lifecycleState,
    changed: z.boolean().describe('false: it was not under quarantine.'),
  })
  .meta({ id: 'Release' });

export const listQuarantinedEndpoint = (ports: Pick<Ports, 'quarantined' | 'settings'>) =>
  endpoint({
    id: 'listQuarantined',
    method: 'GET',
    path: '/api/v1/admin/quarantined-decisions',
    isAddition: true,
    summary: 'List the records under quarantine',
    description: 'Those of all owners, the one submitted last first, without what their owners wrote.',
    tag: 'Admin',
    auth: 'admin',
    query: quarantinedQuery,
    replies: {
      200: {
        description: 'A page of records.',
        schema: quarantinedPage,
        example: { items: [quarantinedExample], next_cursor: null },
      },
    },
    problems: [],
    async handle({ query }) {
      return { status: 200, body: await listQuarantined(ports, query) };
    },
  });

export const releaseDecisionEndpoint = (ports: Pick<Ports, 'transaction'>) =>
  endpoint({
    id: 'releaseDecision',
    method: 'POST',
    path: '/api/v1/admin/decisions/{record_id}/release',
    isAddition: true,
    summary: 'End the quarantine of a record',
    description:
      'A graded record is `evaluated` again, with the outcome that it had. Any other is verified again, and graded like any ' +
      'other. The reason of the quarantine stays in the audit log alone.',
    tag: 'Admin',
    auth: 'admin',
    params: recordPath,
    body: { schema: releaseRequest, example: { reason: 'The key was not stolen.' } },
    replies: {
      200: {
        description: 'It is not under quarantine.',
        schema: release,
        example: { record_id: quarantinedExample.record_id, lifecycle_state: 'evaluated', changed: true },
      },
    },
    problems: ['NOT_FOUND'],
    async handle({ caller, params: { record_id }, body: { reason } }) {
      const released = await releaseDecision(ports, record_id, caller.owner_id, reason);
      return { status: 200, body: { record_id, ...released } };
    },
  });
