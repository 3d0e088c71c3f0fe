import { z } from 'zod';
import { instant } from '../../kit/input/query-values.ts';
import { lifecycleState, resultBucket } from '../texts.ts';
import {
  commonDetail,
  commonExample,
  expectedEvaluation,
  expectedOwnEvaluation,
  fault,
  furtherHorizon,
  publicEvaluation,
  publicFactor,
  window,
} from './decision-parts.ts';
import { outcomeExample, outcomeOf, ownerFacts, sourceFacts } from './outcome.ts';
import { metaReply, submission } from './submission.ts';

const nextCheckAt = instant()
  .nullable()
  .describe(
    'The time of the next attempt to verify or to grade. Null while the first verification runs, and at the end.',
  );

export const evaluationProgress = z
  .strictObject({
    attempts: z
      .int()
      .describe(
        'Deferred evaluations; in `pending_verify` the attempts in a row to verify the instrument that reached no source.',
      ),
    next_check_at: nextCheckAt,
    last_error: z
      .string()
      .nullable()
      .describe('Why the last attempt brought no result, why no other will follow, or why no outcome is expected.'),
    evaluated_at: instant().nullable(),
  })
  .meta({ id: 'EvaluationProgress' });

export const publicDetail = z
  .strictObject({
    view: z.literal('public'),
    ...commonDetail,
    further_horizon: furtherHorizon,
    key_factors: z.array(z.strictObject(publicFactor).meta({ id: 'PublicFactor' })).readonly(),
    result_bucket: resultBucket,
    evaluated_at: publicEvaluation,
    outcome: outcomeOf('Outcome', {}, {}).nullable().describe('null only with a `fault`.'),
  })
  .meta({
    id: 'PublicDecisionRecord',
    description: 'The public form of a record: no member names or links its owner.',
  });

/** For the owner alone. */
export const ownGroup = z
  .strictObject({ id: z.string(), of: z.int(), place: z.int() })
  .meta({ id: 'GroupPlace' })
  .nullable()
  .describe('The decision group that it was submitted in, and its place there; null of one that was submitted alone.');

/** Of an agent's decisions, from 1. */
export const agentNumber = z
  .int()
  .nullable()
  .describe('Its number among the decisions of the agent, from 1 without gaps; null before there were numbers.');

const submitted = submission.shape;

/** What was stored before blank texts were refused is still returned. */
const storedText = z.string().optional();
const stored = {
  execution_info: submitted.execution_info.unwrap().extend({ note: storedText }).meta({ id: 'StoredExecutionInfo' }),
  service_interaction: submitted.service_interaction
    .unwrap()
    .extend({ note: storedText })
    .meta({ id: 'StoredServiceInteraction' }),
  model: submitted.model.unwrap().extend({ id: storedText }).meta({ id: 'StoredAgentModel' }),
};

export const noteNumber = z.int().describe('Among the notes of the record, from 1.');

const note = z
  .strictObject({
    number: noteNumber,
    text: z.string().nullable().describe('Null where the owner has emptied the note.'),
    written_at: instant(),
  })
  .meta({ id: 'Note' });

export const ownerDetail = z
  .strictObject({
    view: z.literal('owner'),
    ...commonDetail,
    agent_id: z.string(),
    number: agentNumber,
    group: ownGroup,
    lifecycle_state: lifecycleState,
    expected_evaluation_at: expectedOwnEvaluation(),
    key_factors: z
      .array(
        z
          .strictObject({
            ...publicFactor,
            source: z
              .strictObject({ name: z.string(), url: z.string().optional(), published_at: z.string().optional() })
              .optional(),
          })
          .meta({ id: 'Factor' }),
      )
      .readonly(),
    reference_price: z.number().nullable(),
    price_targets: submitted.price_targets.unwrap().nullable(),
    invalidation: submitted.invalidation.unwrap().nullable(),
    execution_info: stored.execution_info.nullable(),
    service_interaction: stored.service_interaction.nullable(),
    confidence: z.number().nullable(),
    model: stored.model.nullable(),
    summary: z.string().nullable(),
    tags: z.array(z.string()).readonly().nullable(),
    inputs: submitted.inputs.unwrap().nullable(),
    meta: metaReply.nullable(),
    isolation_snapshot_id: z.string().nullable(),
    result_bucket: resultBucket.nullable(),
    outcome: outcomeOf('OwnerOutcome', {}, { ...ownerFacts, ...sourceFacts }).nullable(),
    evaluation: evaluationProgress,
    commitment_opening: z
      .strictObject({ salt: z.string(), statement: z.string() })
      .meta({ id: 'CommitmentOpening' })
      .nullable()
      .describe('null only with a `fault`.'),
    archived_at: instant().nullable(),
    archive_reason: z.string().nullable(),
    quarantine_reason: z.string().nullable(),
    notes: z
      .array(note)
      .readonly()
      .describe(
        'What its agent wrote after the outcome, oldest first: no part of the statement, and shown to nobody else.',
      ),
  })
  .meta({
    id: 'OwnerDecisionRecord',
    description: 'A record as its owner sees it. It contains what the agent submitted, as it was stored.',
  });

export const anyDetail = z.discriminatedUnion('view', [ownerDetail, publicDetail]).meta({
  id: 'DecisionRecord',
  description: 'Owner form for the owner, public form for others; `view` shows which.',
});

const progress = {
  record_id: z.string(),
  lifecycle_state: lifecycleState,
  state: z.enum(['awaiting_verification', 'tracking', 'awaiting_evaluation', 'closed', 'unavailable']),
  window,
  expected_evaluation_at: expectedEvaluation(),
  next_check_at: nextCheckAt,
  fault,
};

export const publicState = z
  .strictObject({
    view: z.literal('public'),
    ...progress,
    outcome: outcomeOf('GradedOutcome', { result_bucket: resultBucket }, {})
      .nullable()
      .describe('null only with a `fault`.'),
  })
  .meta({ id: 'PublicDecisionState' });

export const ownerState = z
  .strictObject({
    view: z.literal('owner'),
    ...progress,
    expected_evaluation_at: expectedOwnEvaluation(),
    poll_after_seconds: z
      .int()
      .nullable()
      .describe(
        'Seconds until the next possible change of the state, at least 2; null when only an operator changes it.',
      ),
    outcome: outcomeOf('OwnerGradedOutcome', { result_bucket: resultBucket }, ownerFacts).optional(),
    evaluation: evaluationProgress,
  })
  .meta({ id: 'OwnerDecisionState' });

export const anyState = z.discriminatedUnion('view', [ownerState, publicState]).meta({
  id: 'DecisionState',
  description: 'Owner form for the owner, public form for others; `view` shows which.',
});

export const publicDetailExample: z.input<typeof publicDetail> = {
  view: 'public',
  ...commonExample,
  key_factors: [{ factor: 'Stock split announced' }],
  result_bucket: 'strong_correct',
  evaluated_at: new Date('2026-01-30T14:31:00Z'),
  outcome: outcomeExample,
};

export const publicStateExample: z.input<typeof publicState> = {
  view: 'public',
  record_id: commonExample.record_id,
  lifecycle_state: 'evaluated',
  state: 'closed',
  window: commonExample.window,
  expected_evaluation_at: new Date('2026-01-30T14:30:00Z'),
  next_check_at: null,
  outcome: { result_bucket: 'strong_correct', ...outcomeExample },
};
