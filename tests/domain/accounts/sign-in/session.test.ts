import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  endOfSession,
  isOver,
  isSessionId,
  isToBeNoted,
  SESSION_ID_BYTES,
} from '../../../../domain/accounts/sign-in/session.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import { anOwner, aSessionOf } from '../../../builders/accounts.ts';

const LOGIN = new Date('2026-03-02T12:00:00.000Z');
const after = (millis: number) => new Date(LOGIN.getTime() + millis);
const seen = (last_seen_at: Date) => ({ ...aSessionOf(anOwner(), { created_at: LOGIN }), last_seen_at });

test('a session is over 12 hours after its last noted request, to the millisecond', () => {
  expect(isOver(seen(LOGIN), after(12 * HOUR - 1))).toBe(false);
  expect(isOver(seen(LOGIN), after(12 * HOUR))).toBe(true);
  expect(isOver(seen(after(HOUR)), after(13 * HOUR - 1))).toBe(false);
});

test('a session is over 7 days after the login, however much it is used', () => {
  const busy = seen(after(7 * DAY - 1));
  expect(isOver(busy, after(7 * DAY - 1))).toBe(false);
  expect(isOver(busy, after(7 * DAY))).toBe(true);
  expect(endOfSession(busy)).toEqual(after(7 * DAY));
});

test('a clock that was set back neither ends a session nor notes it', () => {
  expect(isOver(seen(LOGIN), after(-DAY))).toBe(false);
  expect(isToBeNoted(seen(LOGIN), after(-DAY))).toBe(false);
});

test('a request is noted once a minute', () => {
  expect(isToBeNoted(seen(LOGIN), after(MINUTE - 1))).toBe(false);
  expect(isToBeNoted(seen(LOGIN), after(MINUTE))).toBe(true);
});

test('an id is 256 bits in base64url; any other text is invalid', () => {
  const id = randomBytes(SESSION_ID_BYTES).toString('base64url');
  expect(isSessionId(id)).toBe(true);
  for (const other of ['', id.slice(1), `${id}A`, `${id}\n`, `${id.slice(1)}+`, `${id.slice(1)}=`]) {
    expect(isSessionId(other)).toBe(false);
  }
});
