import { z } from 'zod';
import { previewDecision } from '../../../../application/decisions/preview-decision.ts';
import { submitDecision } from '../../../../application/decisions/submit-decision.ts';
import type { Ports } from '../../../../application/ports.ts';
import type { Submission } from '../../../../domain/decisions/submission/submission.ts';
import { SUBMIT } from '../../../../domain/limits.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { idempotencyKey, idempotencyOf } from '../../kit/input/idempotency-key.ts';
import { memberText } from '../../kit/input/member-text.ts';
import { queryBoolean } from '../../kit/input/query-values.ts';
import { submission, submissionExample } from '../../shapes/decisions/submission.ts';
import { accepted, acceptedExample, previewed, previewedExample } from '../../shapes/decisions/submit-replies.ts';

export function submitDecisionEndpoint(ports: Ports) {
  return endpoint({
    id: 'submitDecision',
    method: 'POST',
    path: '/api/v1/agent/decisions',
    summary: 'Submit a decision',
    description:
      'States a decision before its outcome is known. The record can never be changed. It is graded against market prices ' +
      'when its window has ended. With `validate_only=true` everything is checked and nothing is stored; ' +
      '`would_wait` lists the limits that would refuse it now.',
    tag: 'Agent decisions',
    grows: true,
    auth: ['api_key'],
    permission: 'submit',
    query: z.strictObject({ validate_only: queryBoolean().optional().describe('Check everything and store nothing.') }),
    headers: z.strictObject({ 'idempotency-key': idempotencyKey.optional() }),
    body: { schema: submission, example: submissionExample, limit: SUBMIT.bodyBytes },
    valueStatus: 422,
    judgesValues: true,
    replies: {
      201: {
        description: 'Accepted. Poll `state_url` after `poll_after_seconds`.',
        schema: accepted,
        example: acceptedExample,
        headers: {
          'idempotency-replayed': '`true` when this repeats the reply to an earlier request with the same key.',
        },
      },
      200: { description: 'Valid (`validate_only=true`).', schema: previewed, example: previewedExample },
    },
    problems: [
      'INVALID_SYMBOL',
      'IDEMPOTENCY_KEY_REUSED',
      'STABLECOIN_CIRCUIT_OPEN',
      'DUPLICATE_SUBMISSION',
      'SUBMIT_FREQUENCY_EXCEEDED',
      'RETROACTIVE_QUOTA_EXCEEDED',
      'DAILY_QUOTA_EXCEEDED',
      'SERVICE_UNAVAILABLE',
    ],
    async handle({ caller, query, headers, body, rawBody, valueFaults, network }) {
      const submission = withMetaText(body, rawBody);
      const canonical = ports.canonicalJson(submission);
      const idempotency = idempotencyOf(headers['idempotency-key'], canonical);
      const request = { agent: caller, submission, canonical, idempotency, network };
      if (query.validate_only) return { status: 200, body: await previewDecision(ports, request, valueFaults) };
      const { reply, replayed } = await submitDecision(ports, request, valueFaults);
      return { status: 201, body: reply, ...(replayed ? { headers: { 'idempotency-replayed': 'true' } } : {}) };
    },
  });
}

/** Only bodies with `meta` are read a second time. */
function withMetaText(body: z.output<typeof submission>, rawBody: string): Submission {
  return { ...body, ...(body.meta ? { meta: memberText(rawBody, 'meta') } : {}) } as Submission;
}
