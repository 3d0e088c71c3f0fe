import type { z } from 'zod';
import { commonExample } from './decision-parts.ts';
import { type ownerDetail, type ownerState, publicStateExample } from './decision-views.ts';
import { outcomeExample, ownerFactsExample } from './outcome.ts';

const progressExample = {
  attempts: 0,
  next_check_at: null,
  last_error: null,
  evaluated_at: new Date('2026-01-30T14:30:02Z'),
};

export const ownerDetailExample: z.input<typeof ownerDetail> = {
  view: 'owner',
  ...commonExample,
  agent_id: 'agt_4f1c2d3e5a6b',
  lifecycle_state: 'evaluated',
  expected_evaluation_at: new Date('2026-01-30T14:30:00Z'),
  key_factors: [{ factor: 'Stock split announced' }],
  reference_price: null,
  price_targets: null,
  invalidation: null,
  execution_info: null,
  service_interaction: null,
  confidence: 0.7,
  model: null,
  summary: 'Splits have drawn buyers before.',
  tags: null,
  meta: null,
  isolation_snapshot_id: null,
  result_bucket: 'strong_correct',
  outcome: { ...outcomeExample, ...ownerFactsExample },
  evaluation: progressExample,
  commitment_opening: { salt: 'ab'.repeat(32), statement: '{"body":{},"record_id":"dec_20260130_5c0ffee5"}' },
  archived_at: null,
  archive_reason: null,
  quarantine_reason: null,
};

export const ownerStateExample: z.input<typeof ownerState> = {
  ...publicStateExample,
  view: 'owner',
  poll_after_seconds: null,
  outcome: { result_bucket: 'strong_correct', ...outcomeExample, ...ownerFactsExample },
  evaluation: progressExample,
};
