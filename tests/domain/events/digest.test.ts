import { expect, test } from '@jest/globals';
import type { SecurityEventKind, StoredSecurityEvent } from '../../../domain/accounts/security-event.ts';
import { signInLines } from '../../../domain/events/digest.ts';
import { HEALTHY, type Webhook, webhookLines } from '../../../domain/webhooks/webhook.ts';

const at = (hour: number, day = 2) => new Date(Date.UTC(2026, 2, day, hour));

function event(kind: SecurityEventKind, network: string, when: Date, more: Partial<StoredSecurityEvent> = {}) {
  const of = { owner_id: 'one', actor: null, subject: null, request_id: null, client: 'browser' as const };
  return { ...of, kind, network, result: 'success' as const, seq: '1', at: when, last_at: when, count: 1, ...more };
}

test('a sign-in is new in a network where the owner did not prove to be the owner before', () => {
  const events = [
    event('login', 'away', at(14)),
    event('passkey_login', 'away', at(13)),
    event('login', 'home', at(12)),
    event('registration', 'home', at(11)),
  ];
  expect(signInLines(events, at(0), null)).toEqual([
    { day: '2026-03-02', kind: 'new_sign_in', total: 1, unread: 1, at: at(13), subject: null },
  ]);
});

test('a sign-in that was refused makes no network familiar, and is no line', () => {
  const events = [event('login', 'away', at(14)), event('login', 'away', at(13), { result: 'failure' })];
  expect(signInLines(events, at(0), null)).toMatchObject([{ kind: 'new_sign_in', at: at(14) }]);
});

test('earlier events make a network familiar, and are in no line', () => {
  const events = [event('login', 'home', at(1)), event('login', 'home', at(1, 1))];
  expect(signInLines(events, at(0), null)).toEqual([]);
  expect(signInLines(events, at(0, 1), null)).toMatchObject([{ day: '2026-03-01' }]);
});

test('those of a day are one line; the mark covers what was before it', () => {
  const events = [
    event('lockout', 'x', at(14), { result: 'failure', count: 3 }),
    event('lockout', 'y', at(10), { result: 'failure', count: 2 }),
  ];
  const mark = { place: 'a 1', at: at(12) };
  expect(signInLines(events, at(0), mark)).toEqual([
    { day: '2026-03-02', kind: 'lockout', total: 5, unread: 3, at: at(14), subject: null },
  ]);
});

test('webhooks that fail, and those that were stopped for it, have a line; those that work or that the owner stopped have none', () => {
  const webhook = (webhook_id: string, more: Partial<Webhook>) => ({ ...HEALTHY, webhook_id, ...more }) as Webhook;
  const all = [
    webhook('works', {}),
    webhook('fails', { failures: 2, failing_since: at(9) }),
    webhook('gone', { status: 'gone', failures: 1, failing_since: at(10) }),
    webhook('paused', { status: 'paused', failures: 9, failing_since: at(11) }),
    webhook('disabled', { status: 'disabled', failures: 9, failing_since: at(11) }),
  ];
  const lines = webhookLines(all, { place: 'a 1', at: at(10) });
  expect(lines.map(({ kind, subject, unread }) => [kind, subject, unread])).toEqual([
    ['webhook_failing', 'fails', 0],
    ['webhook_stopped', 'gone', 0],
    ['webhook_stopped', 'paused', 1],
  ]);
});
