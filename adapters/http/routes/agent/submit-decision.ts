import { z } from 'zod';
import { previewDecision, submitDecision } from '../../../../application/decisions/submit-decision.ts';
import type { Ports } from '../../../../application/ports.ts';
import { sha256Hex } from '../../../../application/sha256.ts';
import { type Idempotency, isMissingValue } from '../../../../domain/decisions/submission/receipt.ts';
import type { Submission } from '../../../../domain/decisions/submission/submission.ts';
import { IDEMPOTENCY, SUBMIT } from '../../../../domain/limits.ts';
import { HOUR } from '../../../../domain/time.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { memberText } from '../../kit/input/json-text.ts';
import { queryBoolean } from '../../kit/input/query-values.ts';
import { submission, submissionExample } from '../../shapes/decisions/submission.ts';
import { accepted, acceptedExample, previewed, previewedExample } from '../../shapes/decisions/submit-replies.ts';

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
      'A repeated request with the same key and body gets the first answer; ' +
      `kept for ${IDEMPOTENCY.keep / HOUR} hours. 1 to ${IDEMPOTENCY.keyLength} visible ASCII characters, quoted or not; not null, None, undefined, nil or NaN.`,
    example: 'order-4711',
  });

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

/** The key with the fingerprint of its body; null without a key. */
function idempotencyOf(key: string | undefined, canonical: string): Idempotency | null {
  return key === undefined ? null : { key, fingerprint: sha256Hex(canonical) };
}
