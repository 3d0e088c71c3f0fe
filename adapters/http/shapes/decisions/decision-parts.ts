import { z } from 'zod';
import { FAULT_PARTS } from '../../../../domain/decisions/views/record-fault.ts';
import { instant, queryBoolean } from '../../kit/input/query-values.ts';
import {
  analysisClass,
  assetClass,
  direction,
  horizonKind,
  market,
  perspectiveType,
  relation,
  submissionOrigin,
} from '../texts.ts';
import { recordIdText } from './submission.ts';

const leafQuery = z.strictObject({
  leaf: z.enum(['decision', 'outcome']).default('decision').describe('Which leaf: of the submission, or of the grade.'),
});

export const publicProofQuery = leafQuery.extend({
  evidence: queryBoolean()
    .default(false)
    .describe('Adds to `leaf=outcome` what it was computed from, where the operator may show that.'),
});

export const receiptQuery = leafQuery.extend({
  opening: z
    .enum(['public', 'full'])
    .default('public')
    .describe(
      '`full` adds salt, statement and your ids, with which you prove to others that you said it; to `leaf=outcome` the ' +
        'evidence and the bars that it was computed from.',
    ),
});

/** The reply that is a proof file of C2SP. */
export const PROOF_FILE = {
  description: 'The proof file (C2SP tlog-proof); the verifier checks it without this service.',
  contentType: 'text/plain; charset=utf-8',
  schema: z.string(),
  example: 'c2sp.org/tlog-proof@v1\nextra eyJ2IjoxfQ==\nindex 1\n\napi.example.com/log/1\n2\n...\n',
};

/** The path parameter of the endpoints of one record. */
export const recordPath = z.strictObject({
  record_id: recordIdText().meta({
    description: 'The id of the record: `dec_`, a date and 8 hex digits.',
    example: 'dec_20260130_5c0ffee5',
  }),
});

export const furtherHorizon = z
  .literal(true)
  .optional()
  .describe(
    'Another horizon of the same decision leads: cohorts count this record only where a query pins `horizon_kind` and ' +
      '`horizon_value`. Absent of all others.',
  );

/** What a view lacks, on each form of a record. */
export const fault = z
  .strictObject({
    parts: z.array(z.enum(FAULT_PARTS)).readonly(),
    message: z.string().describe('In words, with what to do.'),
  })
  .meta({ id: 'RecordFault' })
  .optional()
  .describe(
    'Present where the service cannot read what it stored of the record. `outcome`: `outcome` is null, or absent from a ' +
      'state; `created_regime`: its members are null; `path`: `path` is null; `statement`: factors, own words or ' +
      '`commitment` are empty or null; `bars`: there are none.',
  );

/** The five identity fields. */
export const identity = {
  market,
  symbol: z.string(),
  venue: z.string(),
  asset_class: assetClass,
  quote_currency: z.string(),
};

/** Where the security had another name on the date of the anchor, or a statement that was learned later reads another one. */
const nameThen = {
  name: z
    .string()
    .optional()
    .describe('The name that the security had on the date of the anchor, where it is not its symbol.'),
  counted_as: z
    .strictObject({ symbol: z.string(), cohort_key: z.string(), since: instant() })
    .meta({ id: 'CountedAs' })
    .optional()
    .describe(
      'What the record counts under since a statement was learned that reads its name as another security; the receipt, ' +
        '`symbol` and `cohort_key` stay. Absent of nearly all.',
    ),
  wrong_security: z
    .literal(true)
    .optional()
    .describe(
      'The outcome is by the prices of another security, as a statement says that was learned later: it stays, and no cohort ' +
        'counts it. Absent of nearly all.',
    ),
};

export const window = z.strictObject({ anchor_time: instant(), end_time: instant() }).meta({ id: 'EvaluationWindow' });

const EXPECTED_EVALUATION =
  'When the prices of the window are settled, so that the record can be evaluated; never before its submission.';
export const EXPECTED_OWN_EVALUATION = `${EXPECTED_EVALUATION} Null while no configured source can grade the window, and in a state without an outcome.`;
export const expectedEvaluation = () => instant().describe(EXPECTED_EVALUATION);
export const expectedOwnEvaluation = () => instant().nullable().describe(EXPECTED_OWN_EVALUATION);

/** The label of the regime at the anchor, in every view and row. */
export const createdRegime = z
  .string()
  .nullable()
  .describe(
    'The market regime at the anchor: `up`, `range` or `down`, then `_low`, `_mid` or `_high` volatility. It never changes.',
  );

const regime = {
  created_regime: createdRegime,
  created_regime_values: z
    .strictObject({ vol: z.number().min(0).max(1), trend: z.number().min(0).max(1) })
    .meta({ id: 'RegimeValues' })
    .nullable()
    .describe('The numbers behind `created_regime`.'),
};

/** What a decision claims: the first members of each view of it and of each row of a cohort. */
export const statedCall = {
  record_id: z.string(),
  ...identity,
  ...nameThen,
  cohort_key: z.string(),
  direction,
  analysis_class: analysisClass,
  perspective_type: perspectiveType.nullable(),
  horizon_kind: horizonKind,
  horizon_value: z.int(),
  data_cutoff: instant(),
};

/** The time of the evaluation in public views. */
export const publicEvaluation = instant().describe('To the minute, rounded up.');

/** The members that every view of a record shows. */
export const commonDetail = {
  ...statedCall,
  submission_time: instant(),
  submission_origin: submissionOrigin,
  window,
  method: z
    .string()
    .describe('The evaluation method, fixed at receipt: `eval/3`, or `eval/2` or `eval/1` for earlier records.'),
  workflow_ref: z.string().nullable(),
  ...regime,
  related_records: z
    .array(z.strictObject({ record_id: z.string(), relation }).meta({ id: 'RelatedRecord' }))
    .readonly(),
  commitment: z.string().nullable().describe('null only with a `fault`.'),
  log: z
    .strictObject({ index: z.int(), outcome_index: z.int().nullable(), late: z.boolean().nullable() })
    .meta({ id: 'LeafIndexes' })
    .nullable()
    .describe(
      'Its leaves in the newest evidence log: of the submission, and of the grade. Null while it has none there. ' +
        '`late`: that of the submission was signed more than 5 minutes after its minute, so that its content could have ' +
        'been chosen later; null of a retroactive decision, and of one that is older than the log.',
    ),
  fault,
};

/** The public form of a key factor. */
export const publicFactor = {
  factor: z.string(),
  id: z.string().optional(),
  depends_on: z.array(z.string()).readonly().optional(),
  dimension: z.string().optional(),
  direction: direction.optional(),
  weight: z.number().optional(),
  metric: z
    .strictObject({ name: z.string(), value: z.union([z.number(), z.string()]), unit: z.string().optional() })
    .optional(),
};

/** What a decision claims, in every form of it. */
export const callExample = {
  record_id: 'dec_20260130_5c0ffee5',
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  cohort_key: 'stock:msft:spot:usd:bullish:swing:opinion',
  direction: 'bullish',
  analysis_class: 'opinion',
  perspective_type: null,
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff: new Date('2003-02-13T14:00:00Z'),
  submission_origin: 'retroactive',
} as const;

export const commonExample = {
  ...callExample,
  submission_time: new Date('2026-01-30T14:30:00Z'),
  window: { anchor_time: new Date('2003-02-13T14:00:00Z'), end_time: new Date('2003-02-20T21:00:00Z') },
  method: 'eval/3',
  workflow_ref: null,
  created_regime: 'down_mid',
  created_regime_values: { vol: 0.5655, trend: 0.0143 },
  related_records: [],
  commitment: '59b87355977fa104a5d75979b4d65442e1c9f69c7fc4f3aa44adbadd05664bc4',
  log: { index: 1, outcome_index: 2, late: null },
} as const;
