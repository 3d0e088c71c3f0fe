import { expect, test } from '@jest/globals';
import { isTimeZone, localToInstant } from '../../domain/zoned-time.ts';

const local = (text: string) => Date.parse(`${text}Z`);
const instant = (text: string, zone: string) => {
  const at = localToInstant(local(text), zone);
  return at === null ? null : new Date(at).toISOString();
};

test.each([
  ['2026-01-30T09:30:00', 'America/New_York', '2026-01-30T14:30:00.000Z'],
  ['2026-07-30T09:30:00', 'America/New_York', '2026-07-30T13:30:00.000Z'],
  ['2024-06-17T13:00:00', 'Asia/Shanghai', '2024-06-17T05:00:00.000Z'],
  ['2026-01-30T09:30:00', 'UTC', '2026-01-30T09:30:00.000Z'],
  ['2026-01-30T09:30:00', 'Asia/Kolkata', '2026-01-30T04:00:00.000Z'],
])('%s by the clocks of %s is %s', (text, zone, expected) => {
  expect(instant(text, zone)).toBe(expected);
});

test('a time that is shown twice is the first of the two, one that is skipped is none', () => {
  expect(instant('2026-11-01T01:30:00', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z');
  expect(instant('2026-11-01T02:30:00', 'America/New_York')).toBe('2026-11-01T07:30:00.000Z');
  expect(instant('2026-03-08T02:30:00', 'America/New_York')).toBeNull();
  expect(instant('2026-03-08T03:00:00', 'America/New_York')).toBe('2026-03-08T07:00:00.000Z');
});

test('zones are distinguished from other words', () => {
  expect(['UTC', 'Europe/Berlin', 'America/New_York'].every(isTimeZone)).toBe(true);
  expect(['', 'Mars/Olympus', 'New York'].some(isTimeZone)).toBe(false);
});
