import { describe, expect, test } from '@jest/globals';
import { type Breaker, breaker } from '../../../adapters/market/source-state.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';

function failing(times: number, guard: Breaker, now = 0): Breaker {
  for (let i = 0; i < times; i++) guard.failed(now);
  return guard;
}

test('four failures in a row leave it closed, the fifth opens it', () => {
  const guard = failing(4, breaker());
  expect([guard.state(0), guard.admits(0)]).toEqual(['closed', true]);
  failing(1, guard);
  expect([guard.state(0), guard.admits(0)]).toEqual(['open', false]);
});

test('failures of requests that were under way when it opened do not lengthen the pause', () => {
  const guard = failing(5, breaker());
  failing(10, guard, 20 * SECOND);
  expect(guard.state(30 * SECOND)).toBe('half_open');
  expect(guard.health(30 * SECOND).failures).toBe(15);
});

test('after the pause one request is let through, and no other while it is on its way', () => {
  const guard = failing(5, breaker());
  expect([guard.admits(30 * SECOND), guard.admits(30 * SECOND), guard.admits(90 * SECOND)]).toEqual([
    true,
    false,
    false,
  ]);
  guard.succeeded(91 * SECOND);
  expect([guard.admits(91 * SECOND), guard.admits(91 * SECOND)]).toEqual([true, true]);
});

test('each failed trial doubles the pause, up to five minutes, and one success takes all of it back', () => {
  const guard = failing(5, breaker());
  const pauses: number[] = [];
  let now = 0;
  for (let trial = 0; trial < 6; trial++) {
    const from = now;
    while (guard.state(now) === 'open') now += SECOND;
    pauses.push((now - from) / SECOND);
    guard.admits(now);
    guard.failed(now);
  }
  expect(pauses).toEqual([30, 60, 120, 240, 300, 300]);
  now += 5 * MINUTE;
  guard.admits(now);
  guard.succeeded(now);
  failing(5, guard, now);
  expect([guard.state(now + 29 * SECOND), guard.state(now + 30 * SECOND)]).toEqual(['open', 'half_open']);
});

describe('its health', () => {
  test('is that of a source that nobody has asked yet', () => {
    const health = { state: 'never asked', failures: 0, last_error_at: null, last_success_at: null };
    expect(breaker().health(0)).toEqual(health);
  });

  test('reports when it last failed and when it last answered', () => {
    const guard = breaker();
    guard.succeeded(1_000);
    guard.failed(2_000);
    expect(guard.health(3_000)).toEqual({
      state: 'failing',
      failures: 1,
      last_error_at: new Date(2_000),
      last_success_at: new Date(1_000),
    });
  });
});
