import { expect, test } from '@jest/globals';
import {
  attemptWords,
  statusWords,
  typesWords,
} from '../../../adapters/http/page/browser/account/webhooks/webhook-words.ts';
import { networksOf } from '../../../adapters/http/page/browser/kit/value-texts.ts';
import { ATTEMPT_FAILURES } from '../../../domain/webhooks/delivery.ts';
import { WEBHOOK_STATUSES } from '../../../domain/webhooks/webhook.ts';

const AT = '2026-03-02T12:00:00Z';
const WEBHOOK = {
  webhook_id: '3f0c9a1e-5b7d-4c2a-9e61-0d8f7a6b5c43',
  url: 'https://example.com/hooks',
  event_types: null,
  description: '',
  created_at: AT,
  failing_since: null,
  former_secret_until: null,
};

test('every status and every failure has words of its own', () => {
  const states = WEBHOOK_STATUSES.map((status) => statusWords({ ...WEBHOOK, status }, String));
  const failures = ATTEMPT_FAILURES.map((failure) => attemptWords({ at: AT, status: null, failure }));
  expect(new Set([...states, ...failures]).size).toBe(states.length + failures.length);
  expect(failures.filter((words) => words === words.toUpperCase())).toEqual([]);
});

test('an active webhook that fails says since when; a stopped one does not', () => {
  const failing = { ...WEBHOOK, failing_since: AT };
  expect(statusWords({ ...failing, status: 'active' }, (time) => `<${time}>`)).toContain(`<${AT}>`);
  expect(statusWords({ ...failing, status: 'disabled' }, (time) => `<${time}>`)).not.toContain(AT);
});

test('an answered attempt shows the status', () => {
  expect(attemptWords({ at: AT, status: 503, failure: null })).toBe('answered 503');
});

test('no choice of events means all', () => {
  expect(typesWords(null)).toBe('all events');
  expect(typesWords(['decision.evaluated', 'key.expiring'])).toBe('decision.evaluated, key.expiring');
});

test.each([
  ['', []],
  [' 192.0.2.0/24,2001:db8::/32 ,  10.0.0.1\n', ['192.0.2.0/24', '2001:db8::/32', '10.0.0.1']],
])('networks are read from "%s"', (text, networks) => {
  expect(networksOf(text)).toEqual(networks);
});
