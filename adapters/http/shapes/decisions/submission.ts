import { z } from 'zod';
import { HORIZON_RANGES } from '../../../../domain/grading/windows/horizon.ts';
import { SUBMIT } from '../../../../domain/limits.ts';
import { filledText } from '../texts.ts';
import { analysisClass, direction, horizonKind, perspectiveType, relation } from '../words.ts';
import {
  dateOrTimestampText,
  executionInfo,
  INT32,
  keyFactor,
  meta,
  price,
  priceTargets,
  recordIdText,
  serviceInteraction,
  timestampText,
  workflowRef,
} from './submission-parts.ts';

const knowledgeCutoff = dateOrTimestampText().meta({
  description: 'Until when your model was trained; a date includes that whole UTC day.',
  example: '2025-06-30',
});

/** The body of a submission, in the words of the contract (settled.md section 4). */
export const submission = z
  .strictObject({
    market: filledText(20).meta({ description: '`stock` or `crypto`.' }),
    symbol: filledText(40).meta({
      description: 'A listed ticker (`MSFT`, `BRK.B`), or the base of a pair (`BTC`; `BTC-USDT` is the same).',
    }),
    venue: filledText(40).meta({ description: 'Where it trades, such as NASDAQ, NYSE, BINANCE or COINBASE.' }),
    asset_class: filledText(20).meta({ description: '`spot` or `perp`.' }),
    quote_currency: filledText(20).meta({ description: 'Such as `USD` or `USDT`.' }),
    direction: direction.meta({ description: 'Where you expect the price to go.' }),
    horizon_kind: horizonKind,
    horizon_value: z.int().min(0).max(INT32).meta({ description: HORIZON_RANGES }),
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
    price_targets: priceTargets.optional().meta({ description: 'Owner-only; not allowed with `neutral`.' }),
    invalidation: z
      .array(
        z
          .strictObject({ kind: z.enum(['drops_below', 'rises_above']), threshold: price() })
          .meta({ id: 'Invalidation' }),
      )
      .max(SUBMIT.invalidations)
      .readonly()
      .optional()
      .meta({ description: 'What would prove the decision wrong; each kind at most once.' }),
    execution_info: executionInfo.optional().meta({ description: 'Owner-only.' }),
    service_interaction: serviceInteraction.optional().meta({ description: 'What you read here before; owner-only.' }),
    related_records: z
      .array(z.strictObject({ record_id: recordIdText(), relation }))
      .max(SUBMIT.relatedRecords)
      .readonly()
      .optional()
      .meta({
        description: 'Own or public records with no later `data_cutoff`, each link once.',
      }),
    confidence: z.number().min(0).max(1).optional().meta({ description: 'Owner-only.' }),
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
