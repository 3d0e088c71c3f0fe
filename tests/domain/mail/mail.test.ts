import { expect, test } from '@jest/globals';
import { MAIL } from '../../../domain/limits.ts';
import { afterAttempt, type MailFailure } from '../../../domain/mail/mail.ts';
import { wantsNotices } from '../../../domain/mail/notices.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';

const NOW = new Date('2026-03-02T12:00:00Z');
const after = (millis: number) => new Date(NOW.getTime() + millis);
const mail = (attempts: number, life = DAY) => ({ attempts, expires_at: after(life) });
const failed = (reason: MailFailure) => ({ outcome: 'failed', reason }) as const;

test('a mail that was accepted, or has nothing to send, has ended', () => {
  const ended = { failure: null, due_at: null };
  expect(afterAttempt(mail(1), { outcome: 'accepted' }, NOW, 0)).toEqual({ status: 'sent', ...ended });
  expect(afterAttempt(mail(1), { outcome: 'void' }, NOW, 0)).toEqual({ status: 'void', ...ended });
});

test('one that failed is sent again after pauses that double up to the longest, a tenth longer at most', () => {
  const pause = (attempts: number, random = 0) =>
    Number(afterAttempt(mail(attempts), failed('try_later'), NOW, random).due_at) - NOW.getTime();
  expect([1, 2, 3].map((attempts) => pause(attempts))).toEqual([1, 2, 4].map((n) => n * MAIL.firstPause));
  expect(pause(100)).toBe(MAIL.longestPause);
  expect(pause(100, 1)).toBeCloseTo(MAIL.longestPause * (1 + MAIL.jitter));
});

test('it is given up when the next attempt would come too late', () => {
  const next = (life: number) => afterAttempt(mail(1, life), failed('timed_out'), NOW, 0);
  expect(next(MAIL.firstPause + 1)).toMatchObject({ status: 'pending', failure: 'timed_out' });
  expect(next(MAIL.firstPause)).toEqual({ status: 'failed', failure: 'timed_out', due_at: null });
});

test.each(['recipient_refused', 'unreadable', 'expired'] as const)('%s: it is given up at once', (reason) => {
  expect(afterAttempt(mail(1), failed(reason), NOW, 0)).toEqual({ status: 'failed', failure: reason, due_at: null });
  expect(afterAttempt(mail(1, MINUTE), failed('internal'), NOW, 0).status).toBe('pending');
});

test.each([
  [{ mail: { notices: false } }, false],
  [{ mail: { notices: true } }, true],
  [{ mail: {} }, true],
  [{ mail: false }, true],
  [{ mail: { notices: 'false' } }, true],
  [{ notices: false }, true],
  [{}, true],
  [undefined, true],
])('%j: notices %j', (notify, wanted) => {
  expect(wantsNotices(notify)).toBe(wanted);
});
