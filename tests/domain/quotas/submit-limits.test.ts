import { describe, expect, test } from '@jest/globals';
import { submitBytesPerHour } from '../../../domain/limits.ts';
import {
  activeCooldown,
  countedHour,
  countRetroactive,
  judgeSubmitLimits,
  LIMIT_CODES,
  limitRefusals,
  retroactiveDay,
  type SubmitCounts,
  submitHour,
} from '../../../domain/quotas/submit-limits.ts';
import { DAY } from '../../../domain/time.ts';

const at = (time: string) => new Date(`2026-03-02T${time}Z`);
const last = { last_at: at('12:00:00.000'), record_id: 'dec_20260302_00000001' };

describe('the cooldown', () => {
  test.each([
    ['at once', '12:00:00.000', 900],
    ['a millisecond later', '12:00:00.001', 900],
    ['a second later', '12:00:01.000', 899],
    ['a millisecond before its end', '12:14:59.999', 1],
    ['when the clock was set back by a minute', '11:59:00.000', 960],
  ])('%s it refuses', (_, now, retry_after_seconds) => {
    expect(activeCooldown(last, 900, at(now))).toEqual({ record_id: last.record_id, retry_after_seconds });
  });

  test('after exactly 15 minutes it no longer refuses, nor without an earlier submission, nor at 0 seconds', () => {
    expect(activeCooldown(last, 900, at('12:15:00.000'))).toBeNull();
    expect(activeCooldown(null, 900, at('12:00:00.000'))).toBeNull();
    expect(activeCooldown(last, 0, at('11:00:00.000'))).toBeNull();
  });
});

describe('submit frequency', () => {
  test('counts in the UTC hour, and names the seconds that remain of it', () => {
    expect(submitHour(at('12:59:59.999'))).toEqual(at('12:00:00.000'));
    expect(submitHour(at('13:00:00.000'))).toEqual(at('13:00:00.000'));
  });

  test.each([
    ['the same hour', '12:00:00.000', true],
    ['the next one, which began in between', '13:00:00.000', true],
    ['a later one, before the clock was set back', '23:00:00.000', true],
    ['an earlier one', '11:00:00.000', false],
  ])('%s counts: %s', (_, hour, isCounted) => {
    const newest = { hour: at(hour), used: 7, bytes: 70 };
    const none = { hour: at('12:00:00.000'), used: 0, bytes: 0 };
    expect(countedHour(newest, at('12:00:00.000'))).toEqual(isCounted ? newest : none);
  });

  test('an hour that is more than a day ahead counts nothing', () => {
    const newest = { hour: new Date(at('12:00:00.000').getTime() + DAY), used: 7, bytes: 70 };
    expect(countedHour(newest, at('12:00:00.000'))).toEqual(newest);
    expect(countedHour(newest, at('11:00:00.000'))).toEqual({ hour: at('11:00:00.000'), used: 0, bytes: 0 });
  });
});

describe('the retroactive quota', () => {
  test('counts in the UTC day, and names the seconds that remain of it', () => {
    expect(retroactiveDay(at('23:59:59.999'))).toEqual(at('00:00:00.000'));
    expect(countRetroactive(49, 50, at('23:59:59.999'))).toEqual({ admitted: true, used: 50 });
    expect(countRetroactive(50, 50, at('23:59:59.999'))).toEqual({ admitted: false, retry_after_seconds: 1 });
    expect(countRetroactive(50, 50, at('00:00:00.000'))).toEqual({ admitted: false, retry_after_seconds: 86_400 });
  });
});

describe('all of them', () => {
  const now = at('12:10:00.000');
  const limits = {
    ...{ submitsPerHour: 2, submitMeanBytes: 1_024, cooldownSeconds: 900, retroactivePerDay: 1 },
    agentHoursPerNetwork: 1,
  };
  const sent = { record_id: 'dec_20260302_00000002', retroactive: true, limits, bytes: 1_000, fromNetwork: true };
  const hour = submitHour(now);
  const none = { hour, cooldown: null, submitsThisHour: 0, bytesThisHour: 0, retroactiveToday: 0, agentHoursToday: 0 };
  const judged = (before: Partial<SubmitCounts>, changes = {}) =>
    judgeSubmitLimits({ ...none, ...before }, { ...sent, ...changes }, now);

  test('frequency is judged before cooldown, and cooldown before retroactive quota', () => {
    const full = { ...none, submitsThisHour: 2, cooldown: last, retroactiveToday: 1 };
    expect(judged(full).verdict).toBe('frequency');
    expect(judged({ ...full, submitsThisHour: 1 }).verdict).toBe('cooldown');
    expect(judged({ ...full, submitsThisHour: 1, cooldown: null }).verdict).toBe('retroactive_quota');
  });

  test('all refusals are listed in that order, each with its wait; the codes are in the same order', () => {
    const full = { ...none, submitsThisHour: 2, cooldown: last, retroactiveToday: 1 };
    const waits = [
      { verdict: 'frequency', retry_after_seconds: 3_000 },
      { verdict: 'cooldown', record_id: last.record_id, retry_after_seconds: 300 },
      { verdict: 'retroactive_quota', retry_after_seconds: 42_600 },
    ];
    expect(limitRefusals(full, sent, now)).toEqual(waits);
    expect(limitRefusals(full, { ...sent, retroactive: false }, now)).toEqual(waits.slice(0, 2));
    expect(limitRefusals({ ...full, submitsThisHour: 1, cooldown: null, retroactiveToday: 0 }, sent, now)).toEqual([]);
    const judgedInTurn = ['frequency', 'hour_bytes', 'cooldown', 'retroactive_quota', 'network_hours'];
    expect(Object.keys(LIMIT_CODES)).toEqual(judgedInTurn);
  });

  test('the bytes of the hour refuse what they have no room for, in place of the frequency', () => {
    const used_bytes = 65_536 - 999;
    const refused = { verdict: 'hour_bytes', retry_after_seconds: 3_000, used_bytes };
    expect(judged({ submitsThisHour: 1, bytesThisHour: used_bytes })).toEqual(refused);
    expect(judged({ submitsThisHour: 1, bytesThisHour: used_bytes - 1 }).verdict).toBe('admitted');
    expect(judged({ submitsThisHour: 2, bytesThisHour: used_bytes }).verdict).toBe('frequency');
  });

  test('an hour has room for one body of the greatest size, and for the mean times the submissions', () => {
    expect(submitBytesPerHour({ ...limits, submitsPerHour: 1 })).toBe(65_536);
    expect(submitBytesPerHour({ ...limits, submitsPerHour: 120 })).toBe(122_880);
  });

  test('the network refuses an agent that has not submitted in this hour', () => {
    const refused = { verdict: 'network_hours', retry_after_seconds: 42_600 };
    expect(judged({ agentHoursToday: 1 })).toEqual(refused);
    expect(judged({ agentHoursToday: 1, submitsThisHour: 1 })).toMatchObject({ counts: { agentHoursToday: 1 } });
    expect(judged({ agentHoursToday: 1 }, { fromNetwork: false }).verdict).toBe('admitted');
  });

  test('an admitted submission is counted and starts the cooldown', () => {
    const cooldown = { last_at: now, record_id: sent.record_id };
    const counts = {
      hour,
      cooldown,
      submitsThisHour: 1,
      bytesThisHour: 1_000,
      retroactiveToday: 1,
      agentHoursToday: 1,
    };
    expect(judged({})).toEqual({ verdict: 'admitted', counts });
    const realtime = { ...counts, retroactiveToday: 0 };
    expect(judged({}, { retroactive: false })).toEqual({ verdict: 'admitted', counts: realtime });
  });

  test('without a cooldown the last one stays as it is', () => {
    const free = { limits: { ...limits, cooldownSeconds: 0 } };
    expect(judged({ cooldown: last }, free)).toMatchObject({ verdict: 'admitted', counts: { cooldown: last } });
  });
});
