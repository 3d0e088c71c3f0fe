import type { Schemas } from '../../kit/schemas.ts';

type Webhook = Schemas['Webhook'];
type Delivery = Schemas['WebhookDelivery'];

export const WEBHOOKS = '/api/v1/owner/webhooks';

/** What the state of a webhook means. @param at writes a time */
export function statusWords({ status, failing_since }: Webhook, at: (time: string) => string): string {
  if (status === 'active' && failing_since !== null)
    return `active, but every attempt failed since ${at(failing_since)}`;
  return STATUSES[status];
}

const STATUSES: Readonly<Record<Webhook['status'], string>> = {
  active: 'active',
  disabled: 'stopped by you',
  gone: 'stopped: its receiver answered 410',
  paused: 'paused: nothing but failures for days',
};

export function typesWords(types: Webhook['event_types']): string {
  return types === null ? 'all events' : types.join(', ');
}

/** One attempt in words: the status of the reply, or why there was none. */
export function attemptWords({ status, failure }: Delivery['attempts'][number]): string {
  if (failure !== null) return FAILURES[failure] ?? failure;
  return `answered ${status}`;
}

const FAILURES: Readonly<Record<string, string>> = {
  ADDRESS_REFUSED: 'not sent: its host has no public address',
  CONNECTION_FAILED: 'could not connect',
  TIMED_OUT: 'no answer in time',
  REDIRECTED: 'answered with a redirect, which is not followed',
  TLS_FAILED: 'no trusted certificate',
  SECRET_UNREADABLE: 'not sent: its secret cannot be read; rotate it',
};
