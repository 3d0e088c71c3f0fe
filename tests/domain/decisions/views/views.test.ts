import { expect, test } from '@jest/globals';
import { LIFECYCLE_STATES } from '../../../../domain/decisions/lifecycle.ts';
import { ownerState, publicState } from '../../../../domain/decisions/views/state-view.ts';
import { ownerDetail, publicDetail } from '../../../../domain/decisions/views/views.ts';
import { publicStatement } from '../../../../domain/log/leaves/public-statement.ts';
import { aDecision } from '../../../builders/decision-records.ts';

const now = new Date('2026-03-02T14:00:00Z');

test.each(LIFECYCLE_STATES.filter((state) => state !== 'evaluated'))('a record that is %s is not public', (state) => {
  const decision = aDecision({ lifecycle_state: state });
  expect(publicDetail(decision)).toBeNull();
  expect(publicState(decision, now)).toBeNull();
});

test('the public form names neither owner nor agent, nor shows fields that only the owner sees', () => {
  const decision = aDecision();
  const shown = JSON.stringify([publicDetail(decision), publicState(decision, now)]);
  const secrets = [
    decision.owner_id,
    decision.agent_id,
    decision.salt,
    'owner-only summary',
    'owner-only note',
    'only the owner knows the model',
    'secret source',
    'levels',
    'bars"',
    'last_error',
    'attempts',
    'confidence',
    'submitted_symbol',
  ];
  for (const secret of secrets) expect(shown).not.toContain(secret);
});

test('others see no time from which the receipt follows to the second', () => {
  const at = new Date('2026-03-02T12:34:56.789Z');
  const times = { submission_time: at, anchor_time: at, end_time: new Date(at.getTime() + 3_600_000), settles_at: at };
  const decision = aDecision(times);
  const shown = JSON.stringify([publicDetail(decision), publicState(decision, now)]);
  expect(shown).not.toContain(':56.789Z');
  expect(publicState(decision, now)?.window.anchor_time).toEqual(new Date('2026-03-02T12:34:00.000Z'));
  const looked = publicDetail({ ...decision, submission_origin: 'retroactive' });
  expect(looked?.window.anchor_time).toEqual(at);
});

test('the state of a quarantined record has no outcome', () => {
  expect(ownerState(aDecision(), now)).toHaveProperty('outcome');
  expect(ownerState(aDecision({ lifecycle_state: 'quarantined' }), now)).not.toHaveProperty('outcome');
});

test('others see escapes in place of what hides in the key factors of an older record; what was sealed stays', () => {
  const factor = {
    factor: 'Buy\u{e0041}\u200b now',
    id: 'a\u00ad',
    depends_on: ['b\u202e'],
    dimension: 'c\ufeff',
    metric: { name: 'd\u2060', value: 'e\u0085', unit: 'f\u{e0100}' },
  };
  const decision = aDecision();
  const older = { ...decision, submission: { ...decision.submission, key_factors: [factor] } };
  expect(publicDetail(older)?.key_factors).toEqual([
    {
      factor: 'Buy\\u{E0041}\\u{200B} now',
      id: 'a\\u{00AD}',
      depends_on: ['b\\u{202E}'],
      dimension: 'c\\u{FEFF}',
      metric: { name: 'd\\u{2060}', value: 'e\\u{0085}', unit: 'f\\u{E0100}' },
    },
  ]);
  expect(ownerDetail(older).key_factors).toEqual([factor]);
  expect(publicStatement(older).key_factors).toEqual([factor]);
});

test('the public form shows the submission time to the minute', () => {
  const decision = aDecision({ submission_time: new Date('2026-03-02T12:34:56.789Z') });
  expect(publicDetail(decision)?.submission_time).toEqual(new Date('2026-03-02T12:34:00.000Z'));
  expect(ownerDetail(decision).submission_time).toEqual(new Date('2026-03-02T12:34:56.789Z'));
});

test('others see relations to public records only, and never `supersedes`', () => {
  const related = [
    { record_id: 'dec_20260301_00000001', relation: 'extends', public: true },
    { record_id: 'dec_20260301_00000002', relation: 'extends', public: false },
    { record_id: 'dec_20260301_00000003', relation: 'supersedes', public: true },
  ] as const;
  const decision = aDecision({ related });
  expect(publicDetail(decision)?.related_records.map(({ record_id }) => record_id)).toEqual(['dec_20260301_00000001']);
  expect(ownerDetail(decision).related_records).toHaveLength(3);
});

test('others see a workflow only while its snapshot is public', () => {
  const workflow_hash = 'a'.repeat(64);
  expect(publicDetail(aDecision({ workflow_hash, workflow_public: false }))?.workflow_ref).toBeNull();
  expect(publicDetail(aDecision({ workflow_hash, workflow_public: true }))?.workflow_ref).toBe(`wf:${workflow_hash}`);
  expect(ownerDetail(aDecision({ workflow_hash, workflow_public: false })).workflow_ref).toBe(`wf:${workflow_hash}`);
});

test('the owner sees the symbol as it was submitted, others the normalised one', () => {
  const decision = aDecision({ symbol: 'BTC', submitted_symbol: 'BTC-USDT' });
  expect([ownerDetail(decision).symbol, publicDetail(decision)?.symbol]).toEqual(['BTC-USDT', 'BTC']);
});

test('the state has no outcome before it is closed, and the retry counters are the owner’s', () => {
  const open = aDecision({
    lifecycle_state: 'deferred',
    facts: null,
    owner_facts: null,
    result_bucket: null,
    attempts: 2,
    last_error: 'coverage: 0.50 of the expected bars are there.',
  });
  const state = ownerState(open, now);
  expect(state).toMatchObject({ state: 'awaiting_evaluation', evaluation: { attempts: 2 } });
  expect(state).not.toHaveProperty('outcome');
});
