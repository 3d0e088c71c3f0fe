import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ALL_TIME, namedPeriod, type Period, periodsWithin } from '../../../domain/cohorts/calendar-periods.ts';

const at = (text: string) => new Date(text);
const shown = (periods: readonly Period[]) =>
  periods.map(
    ({ unit, since, until }) => `${unit} ${since?.toISOString().slice(0, 10)} ${until?.toISOString().slice(0, 10)}`,
  );

test('all time falls into years, years into months, months into days, the latest first', () => {
  const years = periodsWithin(ALL_TIME, at('2024-12-31T23:59:59.999Z'), at('2026-01-01T00:00:00Z'));
  expect(shown(years)).toEqual([
    'year 2026-01-01 2027-01-01',
    'year 2025-01-01 2026-01-01',
    'year 2024-01-01 2025-01-01',
  ]);
  const [, , leap] = years;
  const months = leap ? periodsWithin(leap, at('2024-01-31T12:00:00Z'), at('2024-02-01T00:00:00Z')) : [];
  expect(shown(months)).toEqual(['month 2024-02-01 2024-03-01', 'month 2024-01-01 2024-02-01']);
  const [february] = months;
  const days = february ? periodsWithin(february, at('2024-02-28T23:59:59.999Z'), at('2024-02-29T23:59:59.999Z')) : [];
  expect(shown(days)).toEqual(['day 2024-02-29 2024-03-01', 'day 2024-02-28 2024-02-29']);
  expect(days.flatMap((day) => periodsWithin(day, at('2024-02-28T00:00:00Z'), at('2024-02-29T00:00:00Z')))).toEqual([]);
});

test.each([
  ['2024', 'year 2024-01-01 2025-01-01'],
  ['2024-02', 'month 2024-02-01 2024-03-01'],
  ['2024-12', 'month 2024-12-01 2025-01-01'],
  ['2024-02-29', 'day 2024-02-29 2024-03-01'],
])('the calendar part %s is the %s', (part, period) => {
  const named = namedPeriod(part);
  expect(shown(named ? [named] : [])).toEqual([period]);
});

test.each([
  '2023-02-29',
  '2024-13',
  '2024-00',
  '2024-01-00',
  '2024-1',
  '24',
  '2024-W05',
  '0024',
  ' 2024',
  '2024-01-01T00',
])('%s is no calendar part', (part) => {
  expect(namedPeriod(part)).toBeNull();
});

test('exactly one period of each unit contains an instant between the ends', () => {
  const instant = fc.date({
    min: at('1970-01-01T00:00:00Z'),
    max: at('2100-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(instant, instant, instant, (...instants) => {
      const [from, middle, to] = instants.toSorted((a, b) => Number(a) - Number(b));
      if (!from || !middle || !to) return;
      let period = ALL_TIME;
      for (const unit of ['year', 'month', 'day']) {
        const [first, last] = [period.since && period.since > from ? period.since : from, to];
        const end = period.until && period.until <= last ? new Date(period.until.getTime() - 1) : last;
        const holding = periodsWithin(period, first, end).filter(
          ({ since, until }) => since && until && since <= middle && middle < until,
        );
        expect(holding.map((each) => each.unit)).toEqual([unit]);
        period = holding[0] ?? period;
      }
    }),
  );
});
