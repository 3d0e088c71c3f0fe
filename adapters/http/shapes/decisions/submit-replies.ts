import { z } from 'zod';
import { WARNINGS, type WarningCode } from '../../../../domain/decisions/submission/receipt.ts';
import { GROUP_ID } from '../../../../domain/identifiers.ts';
import { LIMIT_CODES } from '../../../../domain/quotas/submit-limits.ts';
import { lifecycleState, submissionOrigin } from '../texts.ts';
import { EXPECTED_OWN_EVALUATION, identity, window } from './decision-parts.ts';

const warning = z
  .strictObject({
    code: z
      .enum(Object.keys(WARNINGS) as [WarningCode, ...WarningCode[]])
      .describe(
        'With `NO_PRICE_SOURCE` and `PRICES_END_BEFORE_WINDOW` no outcome is expected. `NO_PRICE_SOURCE` also means that ' +
          'every configured source has only bars that are too long for the window. With `COARSE_PRICES`, none is expected by ' +
          'the daily prices known now.',
      ),
    message: z.string().describe('What it means, and what to do.'),
  })
  .meta({ id: 'SubmitWarning' });

const instantText = () => z.string().meta({ type: 'string', format: 'date-time' });

/** Where the proof of a leaf will be; null without an evidence log. */
export const PROMISED_RECEIPT = z
  .strictObject({
    url: z.string().describe('Of the proof, by `included_by`.'),
    origin: z.string().describe('Of the log.'),
    included_by: instantText(),
  })
  .meta({ id: 'PromisedReceipt' })
  .nullable();

/** The 201 of a submission. */
export const accepted = z
  .strictObject({
    record_id: z.string(),
    lifecycle_state: lifecycleState,
    submission_time: instantText(),
    submission_origin: submissionOrigin,
    cohort_key: z.string(),
    retroactive: z.boolean(),
    window: z.strictObject({ anchor_time: instantText(), end_time: instantText() }),
    expected_evaluation_at: instantText().nullable().describe(EXPECTED_OWN_EVALUATION),
    poll_after_seconds: z
      .int()
      .describe(
        'Seconds from the submission to the next possible change of the state, at least 2: the verification of the ' +
          'instrument, then the end of the window, then the first attempt to grade.',
      ),
    state_url: z.string(),
    workflow_attribution: z.strictObject({ hash: z.string() }).nullable(),
    commitment: z
      .string()
      .meta({ description: 'SHA-256(salt || statement) in hex; the owner can reveal salt and statement.' }),
    receipt: PROMISED_RECEIPT.describe('Proves the submission to others; null without an evidence log.'),
    warnings: z.array(warning).readonly(),
  })
  .meta({ id: 'AcceptedDecision' });

export const acceptedExample: z.input<typeof accepted> = {
  record_id: 'dec_20260130_5c0ffee5',
  lifecycle_state: 'verified',
  submission_time: '2026-01-30T14:30:00.000Z',
  submission_origin: 'retroactive',
  cohort_key: 'stock:msft:spot:usd:bullish:swing:opinion',
  retroactive: true,
  window: { anchor_time: '2003-02-13T14:00:00.000Z', end_time: '2003-02-20T21:00:00.000Z' },
  expected_evaluation_at: '2026-01-30T14:30:00.000Z',
  poll_after_seconds: 2,
  state_url: '/api/v1/agent/decisions/dec_20260130_5c0ffee5/state',
  workflow_attribution: null,
  commitment: '59b87355977fa104a5d75979b4d65442e1c9f69c7fc4f3aa44adbadd05664bc4',
  receipt: null,
  warnings: [],
};

/** The 200 of `validate_only`. */
export const previewed = z
  .strictObject({
    valid: z.literal(true),
    normalized: z.strictObject({ ...identity, cohort_key: z.string() }).meta({ id: 'NormalizedInstrument' }),
    submission_origin: submissionOrigin,
    window,
    would_wait: z
      .array(
        z
          .strictObject({ code: z.enum(Object.values(LIMIT_CODES)), retry_after_seconds: z.int().min(1) })
          .meta({ id: 'SubmissionWait' }),
      )
      .readonly()
      .describe(
        'The limits that would refuse this submission now, in the order in which they are judged: a submission gets the ' +
          'first one. Empty: none would.',
      ),
    cooldown: z
      .strictObject({
        active: z.boolean(),
        retry_after_seconds: z.int().nullable(),
        record_id: z.string().nullable(),
      })
      .meta({ id: 'Cooldown' })
      .describe('DUPLICATE_SUBMISSION of `would_wait`, with the record that holds the cooldown.'),
    warnings: z.array(warning).readonly(),
  })
  .meta({ id: 'ValidatedSubmission' });

/** `grp_` and 24 hex digits. */
export const groupIdText = () => z.string().regex(GROUP_ID, 'must be a group id: grp_ and 24 hex digits');

/** The 201 of a decision group. */
export const acceptedGroup = z
  .strictObject({
    group_id: z.string().describe('For `GET /api/v1/agent/decisions?group_id=`; shown to the owner alone.'),
    members: z.array(accepted).readonly().describe('In the order of the horizons; each as a submission of its own.'),
  })
  .meta({ id: 'AcceptedDecisionGroup' });

/** The 200 of `validate_only` for a decision group. */
export const previewedGroup = z
  .strictObject({
    ...previewed.pick({ valid: true, submission_origin: true }).shape,
    members: z
      .array(previewed.pick({ normalized: true, window: true, warnings: true }).meta({ id: 'ValidatedHorizon' }))
      .readonly()
      .describe('In the order of the horizons.'),
    ...previewed.pick({ would_wait: true, cooldown: true }).shape,
  })
  .meta({ id: 'ValidatedDecisionGroup' });

export const previewedExample: z.input<typeof previewed> = {
  valid: true,
  normalized: {
    market: 'stock',
    symbol: 'MSFT',
    venue: 'NASDAQ',
    asset_class: 'spot',
    quote_currency: 'USD',
    cohort_key: 'stock:msft:spot:usd:bullish:swing:opinion',
  },
  submission_origin: 'retroactive',
  window: { anchor_time: new Date('2003-02-13T14:00:00Z'), end_time: new Date('2003-02-20T21:00:00Z') },
  would_wait: [],
  cooldown: { active: false, retry_after_seconds: null, record_id: null },
  warnings: [],
};

export const acceptedGroupExample: z.input<typeof acceptedGroup> = {
  group_id: 'grp_5c0ffee55c0ffee55c0ffee5',
  members: [
    acceptedExample,
    {
      ...acceptedExample,
      record_id: 'dec_20260130_0ddba11a',
      cohort_key: 'stock:msft:spot:usd:bullish:position:opinion',
      window: { anchor_time: '2003-02-13T14:00:00.000Z', end_time: '2003-03-14T21:00:00.000Z' },
      state_url: '/api/v1/agent/decisions/dec_20260130_0ddba11a/state',
      commitment: '0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8',
    },
  ],
};

export const previewedGroupExample: z.input<typeof previewedGroup> = {
  valid: true,
  submission_origin: 'retroactive',
  members: [
    { normalized: previewedExample.normalized, window: previewedExample.window, warnings: [] },
    {
      normalized: { ...previewedExample.normalized, cohort_key: 'stock:msft:spot:usd:bullish:position:opinion' },
      window: { anchor_time: new Date('2003-02-13T14:00:00Z'), end_time: new Date('2003-03-14T21:00:00Z') },
      warnings: [],
    },
  ],
  would_wait: [],
  cooldown: { active: false, retry_after_seconds: null, record_id: null },
};
