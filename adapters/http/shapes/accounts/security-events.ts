import { z } from 'zod';
import {
  CLIENT_KINDS,
  EVENT_RESULTS,
  SECURITY_EVENT_KINDS,
  type StoredSecurityEvent,
} from '../../../../domain/accounts/security-event.ts';
import { instant, timestamp } from '../../kit/input/query-values.ts';
import { paged, pageOf } from '../texts.ts';

const kind = z.enum(SECURITY_EVENT_KINDS).meta({ id: 'SecurityEventKind' });
const result = z.enum(EVENT_RESULTS);

/** The parameters of a list of one's own events. */
export const securityEventQuery = z.strictObject({
  kind: kind.optional().describe('Only events of this kind.'),
  result: result.optional().describe('Only what succeeded, or only what was refused.'),
  since: timestamp().optional().describe('Only events that began at or after this time.'),
  ...paged('Events'),
});

export const anySecurityEventQuery = securityEventQuery.extend({
  owner_id: z.uuid().optional().describe('Only events of this owner.'),
});

const shown = {
  kind,
  result,
  at: instant().describe('When it was; of several equal events within a minute, the first.'),
  last_at: instant().describe('When the last of them was.'),
  count: z
    .int()
    .min(1)
    .describe('How many equal events within the minute it stands for; of the whole day beyond a bound.'),
  subject: z.string().nullable().describe('What it was done to, such as the prefix of a key, or a role.'),
  client: z.enum(CLIENT_KINDS).describe('The kind of client, by its User-Agent.'),
  network: z
    .string()
    .nullable()
    .describe('Equal for requests from one network (/24 or /64); it does not show the address.'),
  request_id: z.string().nullable().describe('The `x-request-id` of the first.'),
};

export const ownEvent = z
  .strictObject({ ...shown, by_operator: z.boolean().describe('Whether an operator did it.') })
  .meta({ id: 'OwnSecurityEvent' });

const anyEvent = z
  .strictObject({
    owner_id: z.uuid().nullable().describe('null where no account is known.'),
    actor: z.string().nullable().describe('The operator who did it; null for the owner, and for unknown callers.'),
    ...shown,
  })
  .meta({ id: 'SecurityEvent' });

export const ownEventPage = pageOf(ownEvent, 'OwnSecurityEventPage');
export const anyEventPage = pageOf(anyEvent, 'SecurityEventPage');

export function anyEventOf({ seq: _, ...event }: StoredSecurityEvent) {
  return event;
}

const example = {
  kind: 'login',
  result: 'failure',
  at: new Date('2026-01-30T14:30:00.000Z'),
  last_at: new Date('2026-01-30T14:30:41.000Z'),
  count: 3,
  subject: null,
  client: 'python',
  network: '6f1c0a9d2b7e4853',
  request_id: '4c8e2f0a-93b1-4d6e-8a7f-1b5d3c9e2a60',
} as const;

export const ownEventExample = { ...example, by_operator: false };
export const anyEventExample = { ...example, owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3', actor: null };
