import { expect, test } from '@jest/globals';
import { publicFacts } from '../../../../domain/decisions/views/public-views.ts';
import { publicWindow } from '../../../../domain/decisions/views/views.ts';
import { tauWithNights } from '../../../../domain/grading/paths/volatility.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { aDecision } from '../../../builders/decision-records.ts';
import { anOutcome } from '../../../builders/outcomes.ts';

const { facts: newer } = anOutcome();
const { entry, exit } = newer;
const STOCK = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ' } as const;

/** A record received `millis` after a whole minute, an hour before the end of its window, and its facts. */
function received(millis: number, changes: Parameters<typeof aDecision>[0] = {}) {
  const anchor_time = new Date(Date.parse(entry.time) - 60_000 + millis);
  const end_time = new Date(anchor_time.getTime() + 3_600_000);
  const record = aDecision({ anchor_time, end_time, ...changes });
  if (newer.method === 'eval/1') throw new TypeError('The builder makes outcomes of eval/3');
  const tau = tauWithNights(calendarOf(record), newer.omega, anchor_time.getTime(), end_time.getTime());
  const facts = {
    ...newer,
    grid_z: 0.001 / Math.sqrt(tau),
    seconds_to_entry: (Date.parse(entry.time) - anchor_time.getTime()) / 1_000,
    seconds_after_exit: (end_time.getTime() - Date.parse(exit.time)) / 1_000,
  };
  return { record, facts };
}

function shownOf({ record, facts }: ReturnType<typeof received>) {
  const shown = publicFacts(facts, record, publicWindow(record));
  if (shown.method === 'eval/1') throw new TypeError('The method never changes');
  return shown;
}

test('receipts within one minute show the same facts', () => {
  const whole = shownOf(received(0));
  for (const millis of [1, 12_345, 59_999]) {
    const shown = shownOf(received(millis));
    expect({ ...shown, grid_z: shown.grid_z.toFixed(12) }).toEqual({ ...whole, grid_z: whole.grid_z.toFixed(12) });
  }
  expect(whole).toMatchObject({ seconds_to_entry: 60, seconds_after_exit: expect.any(Number) });
});

test('at a closed market the window weighs nothing more or less within a minute, so that nothing is scaled', () => {
  const during = {
    ...STOCK,
    anchor_time: new Date('2026-03-01T12:00:30Z'),
    end_time: new Date('2026-03-03T21:00:00Z'),
  };
  const { record, facts } = received(0, during);
  expect(publicFacts(facts, record, publicWindow(record))).toMatchObject({ grid_z: facts.grid_z });
});

test('the facts of eval/1 have no such times, and a retroactive record shows its window as it is', () => {
  const { record, facts } = received(12_345, { submission_origin: 'retroactive' });
  expect(publicFacts(facts, record, publicWindow(record))).toEqual(facts);
  const { method: _, ...rest } = facts;
  const earlier = { ...rest, method: 'eval/1' } as const;
  const realtime = received(12_345).record;
  expect(publicFacts(earlier, realtime, publicWindow(realtime))).toBe(earlier);
});
