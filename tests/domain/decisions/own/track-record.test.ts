import { expect, test } from '@jest/globals';
import {
  confidenceTenth,
  type RecordTally,
  type TrackRecord,
  trackRecord as trackRecordOf,
} from '../../../../domain/decisions/own/track-record.ts';

const AT = new Date('2026-03-02T12:00:00Z');

const WINDOWS = {
  realtime: { instruments: 1, instrument_days: 2, max_concurrent: 3, disjoint: 2 },
  retroactive: null,
} as const;

const KNOWLEDGE = { realtime: [], retroactive: null };
const FURTHER = { realtime: 0, retroactive: 0 };

function tally(changes: Partial<RecordTally>): RecordTally {
  const group = { submission_origin: 'realtime', record_group: 'pending', ungraded: null, move: null } as const;
  return { facet: 'all', key: '', ...group, records: 1, first: AT, last: AT, ...changes };
}

const trackRecord = (agent_id: string, tallies: readonly RecordTally[]): TrackRecord =>
  trackRecordOf(agent_id, { agent_count: 1, tallies, windows: WINDOWS, knowledge: KNOWLEDGE, further: FURTHER });

test('tallies of one key are added up, those of other origins apart', () => {
  const record = trackRecord('agt_000000000001', [
    tally({ records: 2 }),
    tally({ records: 3, record_group: 'weak_correct', first: new Date('2026-01-01T00:00:00Z') }),
    tally({ record_group: 'unavailable', last: new Date('2026-04-01T00:00:00Z') }),
    tally({ submission_origin: 'retroactive', record_group: 'strong_incorrect', records: 7 }),
  ]);
  expect(record).toMatchObject({
    submission_count: 6,
    evaluated_count: 3,
    pending_count: 2,
    unavailable_count: 1,
    first_submission: new Date('2026-01-01T00:00:00Z'),
    last_submission: new Date('2026-04-01T00:00:00Z'),
    retroactive: { submission_count: 7, evaluated_count: 7, first_submission: AT },
  });
});

test('the counts of all agents of the owner are apart from those of the agent', () => {
  const tallies = [
    tally({ record_group: 'strong_correct' }),
    tally({ facet: 'owner', record_group: 'strong_correct', records: 3 }),
    tally({ facet: 'owner', record_group: 'strong_incorrect', records: 27 }),
    tally({ facet: 'owner', submission_origin: 'retroactive', records: 4 }),
  ];
  const { evaluated_count, all_agents } = trackRecordOf('agt_000000000001', {
    agent_count: 10,
    tallies,
    windows: WINDOWS,
    knowledge: KNOWLEDGE,
    further: FURTHER,
  });
  expect(evaluated_count).toBe(1);
  expect(all_agents).toMatchObject({
    agent_count: 10,
    submission_count: 30,
    evaluated_count: 30,
    result_distribution: { strong_correct: 3, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 27 },
    retroactive: { submission_count: 4, pending_count: 4 },
  });
});

test('the overlap of realtime records is apart from that of retroactive ones', () => {
  const { windows, retroactive } = trackRecord('agt_000000000001', []);
  expect([windows, retroactive.windows]).toEqual([WINDOWS.realtime, null]);
});

test('what each direction would have got is counted by range, and hidden under a filter by bucket', () => {
  const tallies = [
    tally({ record_group: 'strong_correct', move: 10, records: 3 }),
    tally({ record_group: 'weak_incorrect', move: 4, records: 2 }),
    tally({ record_group: 'unavailable', move: 4 }),
  ];
  const { had_said } = trackRecord('agt_000000000001', tallies);
  expect(had_said?.bearish).toEqual({ strong_correct: 0, weak_correct: 2, weak_incorrect: 0, strong_incorrect: 3 });
  expect(had_said?.neutral).toEqual({ strong_correct: 2, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 3 });
  const older = [...tallies, tally({ record_group: 'strong_correct' })];
  expect(trackRecord('agt_000000000001', older).had_said).toBeNull();
  const filtered = trackRecordOf(
    'agt_000000000001',
    { agent_count: 1, tallies, windows: WINDOWS, knowledge: KNOWLEDGE, further: FURTHER },
    'strong_correct',
  );
  expect([filtered.had_said, filtered.all_agents.had_said, filtered.retroactive.had_said]).toEqual([null, null, null]);
});

test('ungraded records are counted by reason, the most frequent first, and quarantined ones are not among them', () => {
  const unavailable = (ungraded: string | null, records: number) =>
    tally({ record_group: 'unavailable', ungraded, records });
  const { unavailable_count, ungraded } = trackRecord('agt_000000000001', [
    unavailable('no_print', 2),
    unavailable('rejected', 3),
    unavailable(null, 5),
    unavailable('coverage', 2),
    unavailable('halted', 4),
    unavailable('no_print', 1),
  ]);
  expect(unavailable_count).toBe(17);
  const data_unavailable = [
    { reason: 'halted', total: 4 },
    { reason: 'no_print', total: 3 },
    { reason: 'coverage', total: 2 },
  ];
  expect(ungraded).toEqual({ rejected: 3, data_unavailable, suspected: 0 });
});

test('the 20 symbols with the most submissions are listed, equal ones by name', () => {
  const tallies = Array.from({ length: 30 }, (_, i) =>
    tally({ facet: 'symbol', key: `crypto:S${99 - i}`, records: i }),
  );
  const { by_symbol } = trackRecord('agt_000000000001', [
    ...tallies,
    tally({ facet: 'symbol', key: 'stock:A', records: 29 }),
  ]);
  expect(by_symbol).toHaveLength(20);
  expect(by_symbol.slice(0, 3).map(({ market, symbol }) => `${market} ${symbol}`)).toEqual([
    'crypto S70',
    'stock A',
    'crypto S71',
  ]);
});

test('months are in order, whatever the order of the tallies', () => {
  const months = ['2026-02', '2025-12', '2026-01', '2026-02'].map((key) => tally({ facet: 'month', key }));
  const { by_month } = trackRecord('agt_000000000001', months);
  expect(by_month.map(({ month, submission_count }) => [month, submission_count])).toEqual([
    ['2025-12', 1],
    ['2026-01', 1],
    ['2026-02', 2],
  ]);
});

test('calibration counts exactly the records with both a confidence and an outcome', () => {
  const open = tally({ facet: 'confidence', key: '7' });
  expect(trackRecord('agt_000000000001', [open])).not.toHaveProperty('calibration');
  const graded = tally({ facet: 'confidence', key: '9', record_group: 'strong_correct', records: 2 });
  const none = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };
  const band = { confidence_from: 0.9, confidence_to: 1, result_distribution: { ...none, strong_correct: 2 } };
  expect(trackRecord('agt_000000000001', [open, graded]).calibration).toEqual([band]);
});

test('each tenth includes its lower bound, and the last one includes 1', () => {
  expect([0, 0.0999, 0.1, 0.3, 0.6, 0.7, 0.8999, 0.9, 1].map(confidenceTenth)).toEqual([0, 0, 1, 3, 6, 7, 8, 9, 9]);
});
