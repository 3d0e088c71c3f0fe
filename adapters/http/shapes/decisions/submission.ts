import { z } from 'zod';
import { JsonText } from '../../../../application/json-text.ts';
import { INPUT_KINDS } from '../../../../domain/decisions/submission/submission.ts';
import { HORIZON_RANGES } from '../../../../domain/grading/windows/window.ts';
import { RECORD_ID } from '../../../../domain/identifiers.ts';
import { GROUP_HORIZONS, SUBMIT } from '../../../../domain/limits.ts';
import { timestampString } from '../../kit/input/query-values.ts';
import { analysisClass, direction, filledText, horizonKind, nameText, perspectiveType, relation } from '../texts.ts';

/** The largest whole number that is stored. */
export const INT32 = 2_147_483_647;

const price = () => z.number().positive().max(1e15);

const WITHIN_YEARS = { error: 'must lie in the years 1970 to 2100' };

export const recordIdText = () => z.string().regex(RECORD_ID, 'must be a record id: dec_YYYYMMDD_ and 8 hex digits');

const factorId = () => filledText(64);

const keyFactor = z
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

const priceTargets = z
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

const executionInfo = z
  .strictObject({
    executed: z.boolean(),
    fill_price: price().optional(),
    fill_time: timestampText().optional(),
    quantity: z.number().positive().max(1e15).optional(),
    fees: z.number().min(0).max(1e15).optional(),
    note: filledText(1_000).optional(),
  })
  .meta({ id: 'ExecutionInfo' });

const serviceInteraction = z
  .strictObject({
    consulted: z.boolean(),
    wisdom_queries: z.int().min(0).max(INT32).optional(),
    record_ids: z.array(recordIdText()).max(SUBMIT.interactionRecords).readonly().optional(),
    note: filledText(1_000).optional(),
  })
  .meta({ id: 'ServiceInteraction' });

const inputs = z
  .array(
    z
      .strictObject({
        kind: z.enum(INPUT_KINDS),
        name: nameText(SUBMIT.inputNameLength),
        sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'),
      })
      .meta({ id: 'DecisionInput' }),
  )
  .max(SUBMIT.inputs)
  .readonly()
  .meta({ description: 'Digests of what you used; owner-only.' });

const meta = z.record(z.string().max(SUBMIT.metaBytes), z.unknown()).meta({
  type: 'object',
  description: 'At most 4 KiB of JSON, stored as sent.',
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
const workflowRef = z
  .string()
  .meta({ description: '`wf:` and the hash of a published workflow.', example: `wf:${'0'.repeat(64)}` });

const knowledgeCutoff = dateOrTimestampText().meta({
  description: 'Training end, at most tomorrow; a date: its whole day.',
  example: '2025-06-30',
});

const horizonOf = {
  horizon_kind: horizonKind,
  horizon_value: z.int().min(0).max(INT32).meta({ description: HORIZON_RANGES }),
};

/** What each horizon of a decision group may have for itself. */
const perHorizon = {
  price_targets: priceTargets.optional().meta({ description: 'Owner-only; not allowed with `neutral`.' }),
  invalidation: z
    .array(
      z.strictObject({ kind: z.enum(['drops_below', 'rises_above']), threshold: price() }).meta({ id: 'Invalidation' }),
    )
    .max(SUBMIT.invalidations)
    .readonly()
    .optional()
    .meta({ description: 'What would prove the decision wrong; each kind at most once.' }),
  confidence: z.number().min(0).max(1).optional().meta({ description: 'Owner-only.' }),
};

/** The body of a submission, in the words of the contract (settled.md section 4). */
export const submission = z
  .strictObject({
    market: filledText(20).meta({ description: '`stock` or `crypto`.' }),
    symbol: filledText(40).meta({
      description: 'A listed ticker (`MSFT`, `BRK.B`), or the base of a pair (`BTC`).',
    }),
    venue: filledText(40).meta({ description: 'Such as NASDAQ, NYSE, BINANCE or COINBASE.' }),
    asset_class: filledText(20).meta({ description: '`spot` or `perp`.' }),
    quote_currency: filledText(20).meta({ description: 'Such as `USD` or `USDT`.' }),
    direction: direction.meta({ description: 'Where you expect the price to go.' }),
    ...horizonOf,
    data_cutoff: timestampText().meta({ description: 'The time of the newest data that you analysed.' }),
    key_factors: z
      .array(z.union([filledText(SUBMIT.factorLength).meta({ id: 'KeyFactorText' }), keyFactor]))
      .max(SUBMIT.keyFactors)
      .optional()
      .meta({
        description:
          'The reasons of the decision; a text is short for `{ factor }`. `depends_on` lists ids, no cycle or repeat.',
      }),
    analysis_class: analysisClass
      .optional()
      .meta({ description: '`trade_plan` requires `price_targets` and is the default when they are sent.' }),
    perspective_type: perspectiveType.optional(),
    workflow_ref: workflowRef.optional(),
    reference_price: price()
      .optional()
      .meta({ description: 'The price that you saw. It is compared with the bar and not used for grading.' }),
    price_targets: perHorizon.price_targets,
    invalidation: perHorizon.invalidation,
    execution_info: executionInfo.optional().meta({ description: 'Owner-only.' }),
    service_interaction: serviceInteraction.optional().meta({ description: 'What you read here; owner-only.' }),
    related_records: z
      .array(z.strictObject({ record_id: recordIdText(), relation }))
      .max(SUBMIT.relatedRecords)
      .readonly()
      .optional()
      .meta({
        description: 'Own or public records, none with a later `data_cutoff`; each link once.',
      }),
    confidence: perHorizon.confidence,
    model: z
      .strictObject({ id: filledText(120).optional(), knowledge_cutoff: knowledgeCutoff.optional() })
      .meta({ id: 'AgentModel' })
      .optional(),
    summary: filledText(SUBMIT.summaryLength).optional().meta({ description: 'Owner-only.' }),
    tags: z
      .array(filledText(SUBMIT.tagLength))
      .max(SUBMIT.tags)
      .readonly()
      .optional()
      .meta({ description: 'Each once.' }),
    inputs: inputs.optional(),
    meta: meta.optional(),
  })
  .meta({ id: 'DecisionSubmission' });

/** The body of a decision group (securities.md section 5): several horizons of one decision. */
export const groupSubmission = submission
  .omit({ horizon_kind: true, horizon_value: true, price_targets: true, invalidation: true, confidence: true })
  .extend({
    horizons: z
      .array(z.strictObject({ ...horizonOf, ...perHorizon }).meta({ id: 'GroupHorizon' }))
      .min(GROUP_HORIZONS.least)
      .max(GROUP_HORIZONS.most)
      .readonly()
      .meta({ description: 'The first one leads. Each kind and value once.' }),
  })
  .meta({ id: 'DecisionGroupSubmission' });

export const submissionExample: z.input<typeof submission> = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  direction: 'bullish',
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff: '2003-02-13T14:00:00Z',
  key_factors: ['Stock split announced', { factor: 'Trades below its 50-day average', dimension: 'price' }],
};

export const groupSubmissionExample: z.input<typeof groupSubmission> = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  direction: 'bullish',
  data_cutoff: '2003-02-13T14:00:00Z',
  key_factors: ['Stock split announced'],
  horizons: [
    { horizon_kind: 'trading_days', horizon_value: 5, confidence: 0.7 },
    { horizon_kind: 'trading_days', horizon_value: 20 },
    { horizon_kind: 'trading_days', horizon_value: 60, price_targets: { targets: [{ price: 30 }] } },
  ],
};

/** RFC 3339 with an offset, stored as it was sent. */
function timestampText() {
  return timestampString()
    .refine(isWithinYears, WITHIN_YEARS)
    .meta({ type: 'string', format: 'date-time', example: '2026-01-30T14:30:00Z' });
}

/** A date, or RFC 3339 with an offset; stored as it was sent. */
function dateOrTimestampText() {
  return z
    .union([z.iso.date(), timestampString()], {
      error: 'must be a date such as 2026-01-30, or an RFC 3339 timestamp with an offset, such as 2026-01-30T14:30:00Z',
    })
    .refine(isWithinYears, WITHIN_YEARS);
}

function isWithinYears(at: string): boolean {
  return /^(19[7-9]|20\d|2100)/.test(at) && !Number.isNaN(Date.parse(at));
}
