import { z } from 'zod';
import { ANALYSIS_CLASSES } from '../../../domain/decisions/submission.ts';
import { RECORD_ID } from '../../../domain/identifiers.ts';
import { SUBMIT } from '../../../domain/limits.ts';
import { direction, horizonKind, perspectiveType, relation } from './words.ts';

/** The largest a stored whole number can be. */
const INT32 = 2_147_483_647;

const text = (most: number) => z.string().min(1).max(most);
const price = () => z.number().positive().max(1e15);

/** RFC 3339 with an offset, kept as it was sent. */
export function timestampText() {
  return z.iso
    .datetime({ offset: true })
    .refine((at) => /^(19[7-9]|20\d|2100)/.test(at) && !Number.isNaN(Date.parse(at)), {
      error: 'must lie in the years 1970 to 2100',
    })
    .meta({ type: 'string', format: 'date-time', example: '2026-01-30T14:30:00Z' });
}

export const recordIdText = () => z.string().regex(RECORD_ID, 'must be a record id: dec_YYYYMMDD_ and 8 hex digits');

const factorId = () => text(64);

const keyFactor = z
  .strictObject({
    factor: text(SUBMIT.factorLength),
    id: factorId().optional(),
    depends_on: z.array(factorId()).max(SUBMIT.keyFactors).readonly().optional(),
    dimension: text(80).optional(),
    direction: direction.optional(),
    weight: z.number().min(0).max(1).optional(),
    metric: z
      .strictObject({ name: text(80), value: z.union([z.number(), text(200)]), unit: text(40).optional() })
      .optional(),
    source: z
      .strictObject({
        name: text(200),
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
    note: text(1_000).optional(),
  })
  .meta({ id: 'ExecutionInfo' });

const serviceInteraction = z
  .strictObject({
    consulted: z.boolean(),
    wisdom_queries: z.int().min(0).max(INT32).optional(),
    record_ids: z.array(recordIdText()).max(SUBMIT.interactionRecords).readonly().optional(),
    note: text(1_000).optional(),
  })
  .meta({ id: 'ServiceInteraction' });

const meta = z
  .record(z.string().max(SUBMIT.metaBytes), z.unknown())
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= SUBMIT.metaBytes, {
    error: `must be at most ${SUBMIT.metaBytes} bytes of JSON`,
  })
  .meta({ type: 'object', description: 'Any JSON object of at most 4 KiB; stored as it is.' });

/** Any text: an invalid one is warned of and does not block the decision (interface.md 4.2). */
const workflowRef = z
  .string()
  .meta({ description: '`wf:` and the hash of a published workflow.', example: `wf:${'0'.repeat(64)}` });

/** The body of a submission, as the contract words it (settled.md section 4). */
export const submission = z
  .strictObject({
    market: text(20).meta({ description: '`stock` or `crypto`.' }),
    symbol: text(40).meta({
      description: 'A ticker (`MSFT`, `BRK.B`), or the base of a pair (`BTC`; `BTC-USDT` is the same).',
    }),
    venue: text(40).meta({ description: 'Where it trades: such as NASDAQ, NYSE, BINANCE or COINBASE.' }),
    asset_class: text(20).meta({ description: '`spot` or `perp`.' }),
    quote_currency: text(20).meta({ description: 'Such as `USD` or `USDT`.' }),
    direction: direction.meta({ description: 'Where you expect the price to go within the horizon.' }),
    horizon_kind: horizonKind,
    horizon_value: z.int().min(0).max(INT32).meta({
      description: 'Seconds (120 to 31,536,000) or full sessions (1 to 252).',
    }),
    data_cutoff: timestampText().meta({ description: 'The time of the newest data that was analysed.' }),
    key_factors: z
      .array(z.union([text(SUBMIT.factorLength), keyFactor]))
      .max(SUBMIT.keyFactors)
      .optional()
      .meta({
        description: 'What the call rests on; a text is short for `{ factor }`. `depends_on` names ids, in no circle.',
      }),
    analysis_class: z
      .enum(ANALYSIS_CLASSES)
      .optional()
      .meta({ description: '`trade_plan` needs `price_targets` and is the default with them.' }),
    perspective_type: perspectiveType.optional(),
    workflow_ref: workflowRef.optional(),
    reference_price: price()
      .optional()
      .meta({ description: 'The price that you saw: compared with the bar, not graded by.' }),
    price_targets: priceTargets.optional().meta({ description: 'Seen by the owner only; not with `neutral`.' }),
    invalidation: z
      .array(
        z
          .strictObject({ kind: z.enum(['drops_below', 'rises_above']), threshold: price() })
          .meta({ id: 'Invalidation' }),
      )
      .max(SUBMIT.invalidations)
      .readonly()
      .optional()
      .meta({ description: 'What would prove the call wrong; kinds distinct.' }),
    execution_info: executionInfo.optional().meta({ description: 'Seen by the owner only.' }),
    service_interaction: serviceInteraction
      .optional()
      .meta({ description: 'What you read here before you decided; seen by the owner only.' }),
    related_records: z
      .array(z.strictObject({ record_id: recordIdText(), relation: relation }))
      .max(SUBMIT.relatedRecords)
      .readonly()
      .optional()
      .meta({ description: 'Your own or public records, of no later `data_cutoff`.' }),
    confidence: z.number().min(0).max(1).optional().meta({ description: 'Seen by the owner only.' }),
    model: z
      .strictObject({ id: text(120).optional(), knowledge_cutoff: timestampText().optional() })
      .meta({ id: 'AgentModel' })
      .optional(),
    summary: text(SUBMIT.summaryLength).optional().meta({ description: 'Seen by the owner only.' }),
    tags: z.array(text(SUBMIT.tagLength)).max(SUBMIT.tags).readonly().optional(),
    meta: meta.optional(),
  })
  .meta({ id: 'DecisionSubmission' });

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
