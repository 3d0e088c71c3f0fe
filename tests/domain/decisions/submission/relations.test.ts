import { expect, test } from '@jest/globals';
import { refusedRelations, relationFaults } from '../../../../domain/decisions/submission/relations.ts';

const cutoff = new Date('2026-03-02T12:00:00Z');
const source = { owner_id: 'me', agent_id: 'agt_1', data_cutoff: cutoff };
const target = {
  record_id: 'dec_20260301_00000001',
  owner_id: 'me',
  agent_id: 'agt_1',
  data_cutoff: cutoff,
  lifecycle_state: 'verified',
} as const;
const refused = (relation: 'extends' | 'supersedes', targets: Parameters<typeof refusedRelations>[1]) =>
  refusedRelations({ ...source, related: [{ record_id: target.record_id, relation }] }, targets).map(
    ({ reason }) => reason,
  );

test('an unevaluated record of the same owner can be pointed to, and superseded by its agent', () => {
  expect(refused('extends', [target])).toEqual([]);
  expect(refused('supersedes', [target])).toEqual([]);
});

test('a record that does not exist and one of another owner that is not public are refused with the same reason', () => {
  expect(refused('extends', [])).toEqual(['unseen']);
  expect(refused('extends', [{ ...target, owner_id: 'other' }])).toEqual(['unseen']);
  expect(refused('extends', [{ ...target, owner_id: 'other', lifecycle_state: 'quarantined' }])).toEqual(['unseen']);
});

test('a public record of another owner can be pointed to but not superseded', () => {
  const theirs = { ...target, owner_id: 'other', agent_id: 'agt_2', lifecycle_state: 'evaluated' } as const;
  expect(refused('extends', [theirs])).toEqual([]);
  expect(refused('supersedes', [theirs])).toEqual(['other_agent']);
});

test('a record with later data is refused, one with the same data is not', () => {
  expect(refused('extends', [{ ...target, data_cutoff: new Date(cutoff.getTime() + 1) }])).toEqual(['later']);
  expect(refused('extends', [{ ...target, data_cutoff: cutoff }])).toEqual([]);
});

test('the faults name the path, the received value and what to send instead', () => {
  const related = [
    { record_id: 'dec_20260301_00000001', relation: 'extends' },
    { record_id: 'dec_20260301_00000002', relation: 'supersedes' },
  ] as const;
  const faults = relationFaults(related, [
    { index: 0, reason: 'unseen' },
    { index: 1, reason: 'other_agent' },
  ]);
  expect(faults.map(({ path, received }) => [path, received])).toEqual([
    ['related_records.0.record_id', 'dec_20260301_00000001'],
    ['related_records.1.relation', 'supersedes'],
  ]);
});
