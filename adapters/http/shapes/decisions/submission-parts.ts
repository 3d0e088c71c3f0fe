import { z } from 'zod';
import { JsonText } from '../../../../application/json-text.ts';
import { RECORD_ID } from '../../../../domain/identifiers.ts';
import { SUBMIT } from '../../../../domain/limits.ts';
import { filledText } from '../texts.ts';
import { direction } from '../words.ts';

/** The largest whole number that is stored. */
export const INT32 = 2_147_483_647;

export const price = () => z.number().positive().max(1e15);

/** RFC 3339 with an offset, stored as it was sent. */
export function timestampText() {
  return z.iso
    .datetime({ offset: true })
    .refine(isWithinYears, WITHIN_YEARS)
    .meta({ type: 'string', format: 'date-time', example: '2026-01-30T14:30:00Z' });
}

/** A date, or RFC 3339 with an offset; stored as it was sent. */
export function dateOrTimestampText() {
  return z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], {
      error: 'must be a date such as 2026-01-30, or an RFC 3339 timestamp with an offset, such as 2026-01-30T14:30:00Z',
    })
    .refine(isWithinYears, WITHIN_YEARS);
}

const WITHIN_YEARS = { error: 'must lie in the years 1970 to 2100' };

function isWithinYears(at: string): boolean {
  return /^(19[7-9]|20\d|2100)/.test(at) && !Number.isNaN(Date.parse(at));
}

export const recordIdText = () => z.string().regex(RECORD_ID, 'must be a record id: dec_YYYYMMDD_ and 8 hex digits');

const factorId = () => filledText(64);

export const keyFactor = z
  .strictObject({
    factor: filledText(SUBMIT.factorLength),
    id: factorId().optional(),
    depends_on: z.array(factorId()).max(SUBMIT.keyFactors).readonly().optional(),
    dimension: filledText(80).optional(),
    direction: direction.optional(),
    weight: z.number().min(0).max(1).optional(),
    metric: z
      .strictObject({
        name: filledText(80),
        value: z.union([z.number(), filledText(200)]),
        unit: filledText(40).optional(),
      })
      .optional(),
    source: z
      .strictObject({
        name: filledText(200),
        url: z
          .url({ protocol: /^https?$/ })
          .max(2_048)
          .optional(),
        published_at: timestampText().optional(),
      })
      .optional(),
  })
  .meta({ id: 'KeyFactor' });

export const priceTargets = z
  .strictObject({
    entry: price().optional(),
    targets: z
      .array(z.strictObject({ price: price(), size_pct: z.number().positive().max(100).optional() }))
      .max(SUBMIT.targets)
      .readonly()
      .optional(),
    stop_loss: z.strictObject({ price: price(), kind: z.enum(['hard', 'trailing']) }).optional(),
  })
  .meta({ id: 'PriceTargets' });

export const executionInfo = z
  .strictObject({
    executed: z.boolean(),
    fill_price: price().optional(),
    fill_time: timestampText().optional(),
    quantity: z.number().positive().max(1e15).optional(),
    fees: z.number().min(0).max(1e15).optional(),
    note: filledText(1_000).optional(),
  })
  .meta({ id: 'ExecutionInfo' });

export const serviceInteraction = z
  .strictObject({
    consulted: z.boolean(),
    wisdom_queries: z.int().min(0).max(INT32).optional(),
    record_ids: z.array(recordIdText()).max(SUBMIT.interactionRecords).readonly().optional(),
    note: filledText(1_000).optional(),
  })
  .meta({ id: 'ServiceInteraction' });

export const meta = z.record(z.string().max(SUBMIT.metaBytes), z.unknown()).meta({
  type: 'object',
  description: 'Any JSON object of at most 4 KiB; its text is stored as sent.',
});

/** `meta` in a reply: the text is written as the JSON object that it is. */
export const metaReply = z
  .string()
  .transform((text) => new JsonText(text))
  .meta({
    type: 'object',
    additionalProperties: true,
    description:
      'The text that was sent, without the white space between its tokens: same order of members, same digits.',
  });

/** Any text: an invalid one gives a warning and does not block the decision (interface.md 4.2). */
export const workflowRef = z
  .string()
  .meta({ description: '`wf:` and the hash of a published workflow.', example: `wf:${'0'.repeat(64)}` });
