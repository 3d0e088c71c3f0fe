import { expect, test } from '@jest/globals';
import { DAY, MINUTE } from '../../../../domain/time.ts';
import { driftChart } from '../../../../infrastructure/commands/text.ts';
import { aPeg } from '../../../builders/circuits.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE);

test('a column for 20 minutes from its least to its most drift, blank where nobody observed, a line at 50 bps', () => {
  const day = Array.from({ length: 1_440 }, (_, index) => 1_439 - index);
  const drifts = day
    .filter((minutes) => minutes < 400 || minutes > 500)
    .map((minutes) => aPeg(minutes >= 1_000 ? 400 : minutes >= 700 ? minutes - 600 : 2, ago(minutes)));
  const chart = driftChart(drifts, NOW) ?? '';
  expect(`\n${chart}\n`).toBe(`
400 ┤●●●●●●●●●●●●●●●●●●●●●●●│
    ┤                       ●●│
    ┤                         ●●●│
    ┤                            ●●│
200 ┤                              ●●●│
    ┤                                 ●●│
    ┤                                   ●●│
    ┤┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄│┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
  0 ┤                                     ●●●●●●●●●●     ●●●●●●●●●●●●●●●●●●●●
     2026-03-01T12:00Z                                      2026-03-02T12:00Z
`);
});

test('a calm day is drawn against 1 %, the drift that trips', () => {
  expect(driftChart([aPeg(1, ago(5))], NOW)).toMatch(/^100 ┤\n/);
});

test('what is older than 24 h is not drawn; without anything there is no chart', () => {
  expect(driftChart([aPeg(900, new Date(NOW.getTime() - DAY - MINUTE))], NOW)).toBeNull();
  expect(driftChart([], NOW)).toBeNull();
});
