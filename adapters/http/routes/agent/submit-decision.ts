import { z } from 'zod';
import { previewDecision, submitDecision } from '../../../../application/decisions/submit-decision.ts';
import { previewGroup, submitGroup } from '../../../../application/decisions/submit-group.ts';
import type { Ports } from '../../../../application/ports.ts';
import { sha256Hex } from '../../../../application/sha256.ts';
import { type GroupSubmission, groupPath } from '../../../../domain/decisions/submission/decision-group.ts';
import { type Idempotency, isMissingValue } from '../../../../domain/decisions/submission/receipt.ts';
import type { Submission } from '../../../../domain/decisions/submission/submission.ts';
import { GROUP_HORIZONS, IDEMPOTENCY, SUBMIT } from '../../../../domain/limits.ts';
import { HOUR } from '../../../../domain/time.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { memberText } from '../../kit/input/json-text.ts';
import { queryBoolean } from '../../kit/input/query-values.ts';
import {
  groupSubmission,
  groupSubmissionExample,
  submission,
  submissionExample,
} from '../../shapes/decisions/submission.ts';
import {
  accepted,
  acceptedExample,
  acceptedGroup,
  acceptedGroupExample,
  previewed,
  previewedExample,
  previewedGroup,
  previewedGroupExample,
} from '../../shapes/decisions/submit-replies.ts';

/** `"k"` and `k` are the same key (settled.md section 4). */
const idempotencyKey = z
  .string()
  .transform((sent) => (/^".*"$/s.test(sent) ? sent.slice(1, -1) : sent))
  .pipe(
    z
      .string()
      .regex(
        new RegExp(`^[!-~]{1,${IDEMPOTENCY.keyLength}}$`),
        `must be 1 to ${IDEMPOTENCY.keyLength} visible ASCII characters without spaces`,
      )
      .refine((key) => !isMissingValue(key), {
        error: 'must not be the text of a missing value: send a key of this decision, or leave it out',
      }),
  )
  .meta({
    type: 'string',
    maxLength: IDEMPOTENCY.keyLength + 2,
    description:
      'The same key and body get the first answer; ' +
      `kept for ${IDEMPOTENCY.keep / HOUR} hours. 1 to ${IDEMPOTENCY.keyLength} visible ASCII characters; not null, None, undefined, nil or NaN.`,
    example: 'order-4711',
  });

const validateOnly = z.strictObject({
  validate_only: queryBoolean().optional().describe('Check everything and store nothing.'),
});

const REPLAYED = {
  'idempotency-replayed': '`true` when this repeats the reply to an earlier request with the same key.',
};

const SUBMIT_PROBLEMS = [
  'INVALID_SYMBOL',
  'IDEMPOTENCY_KEY_REUSED',
  'STABLECOIN_CIRCUIT_OPEN',
  'DUPLICATE_SUBMISSION',
  'SUBMIT_FREQUENCY_EXCEEDED',
  'RETROACTIVE_QUOTA_EXCEEDED',
  'DAILY_QUOTA_EXCEEDED',
  'SERVICE_UNAVAILABLE',
] as const;

/** What a submission of one decision and of a group have in common. */
const SUBMITS = {
  grows: true,
  isUrgent: true,
  auth: ['api_key'],
  permission: 'submit',
  query: validateOnly,
  headers: z.strictObject({ 'idempotency-key': idempotencyKey.optional() }),
  valueStatus: 422,
  judgesValues: true,
  problems: SUBMIT_PROBLEMS,
} as const;

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
    ...SUBMITS,
    body: { schema: submission, example: submissionExample, limit: SUBMIT.bodyBytes },
    replies: {
      201: {
        description: 'Accepted. Poll `state_url` after `poll_after_seconds`.',
        schema: accepted,
        example: acceptedExample,
        headers: REPLAYED,
      },
      200: { description: 'Valid (`validate_only=true`).', schema: previewed, example: previewedExample },
    },
    async handle({ caller, query, headers, body, rawBody, valueFaults, network }) {
      const submission: Submission = withMetaText(body, rawBody);
      const canonical = ports.canonicalJson(submission);
      const idempotency = idempotencyOf(headers['idempotency-key'], canonical);
      const request = { agent: caller, submission, canonical, idempotency, network };
      if (query.validate_only) return { status: 200, body: await previewDecision(ports, request, valueFaults) };
      const { reply, replayed } = await submitDecision(ports, request, valueFaults);
      return { status: 201, body: reply, ...(replayed ? { headers: { 'idempotency-replayed': 'true' } } : {}) };
    },
  });
}

/** Several horizons of one decision (securities.md section 5). */
export function submitDecisionGroupEndpoint(ports: Ports) {
  return endpoint({
    id: 'submitDecisionGroup',
    method: 'POST',
    path: '/api/v1/agent/decision-groups',
    isAddition: true,
    summary: 'Submit one decision over several horizons',
    description:
      `States one decision with ${GROUP_HORIZONS.least} to ${GROUP_HORIZONS.most} horizons, each of which becomes a ` +
      'decision of its own and is graded for itself: all of them or none. They share instrument, direction, data and ' +
      'factors, one `Idempotency-Key` and one cooldown; the limits by hour and day count each. The first horizon leads: ' +
      'cohorts count the others only where a query pins both `horizon_kind` and `horizon_value`, and others see them ' +
      'marked `further_horizon`. Nobody else sees which decisions are one group. `validate_only=true` as for a decision.',
    tag: 'Agent decisions',
    ...SUBMITS,
    body: { schema: groupSubmission, example: groupSubmissionExample, limit: SUBMIT.bodyBytes, pathOf: groupPath },
    replies: {
      201: {
        description: 'Accepted, all of them.',
        schema: acceptedGroup,
        example: acceptedGroupExample,
        headers: REPLAYED,
      },
      200: { description: 'Valid (`validate_only=true`).', schema: previewedGroup, example: previewedGroupExample },
    },
    async handle({ caller, query, headers, body, rawBody, valueFaults, network }) {
      const group: GroupSubmission = withMetaText(body, rawBody);
      const canonical = ports.canonicalJson(group);
      const idempotency = idempotencyOf(headers['idempotency-key'], canonical);
      const request = { agent: caller, group, canonical, idempotency, network };
      if (query.validate_only) return { status: 200, body: await previewGroup(ports, request, valueFaults) };
      const { reply, replayed } = await submitGroup(ports, request, valueFaults);
      return { status: 201, body: reply, ...(replayed ? { headers: { 'idempotency-replayed': 'true' } } : {}) };
    },
  });
}

/** Only bodies with `meta` are read a second time. */
function withMetaText<Sent extends Submission | GroupSubmission>(
  body: z.output<typeof submission> | z.output<typeof groupSubmission>,
  rawBody: string,
): Sent {
  return { ...body, ...(body.meta ? { meta: memberText(rawBody, 'meta') } : {}) } as unknown as Sent;
}

/** The key with the fingerprint of its body; null without a key. */
function idempotencyOf(key: string | undefined, canonical: string): Idempotency | null {
  return key === undefined ? null : { key, fingerprint: sha256Hex(canonical) };
}
