import { z } from 'zod';
import { quarantineDecision } from '../../../../application/decisions/moderate-decision.ts';
import type { Ports } from '../../../../application/ports.ts';
import { MODERATION } from '../../../../domain/limits.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { recordPath } from '../../shapes/decisions/decision-parts.ts';
import { reasonText } from '../../shapes/texts.ts';

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
