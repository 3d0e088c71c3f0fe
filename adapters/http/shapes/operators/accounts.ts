import { z } from 'zod';
import { ROLES } from '../../../../domain/caller.ts';
import { ACCOUNT } from '../../../../domain/limits.ts';
import { instant, queryBoolean } from '../../kit/input/query-values.ts';
import { paged, pageOf, reasonText, tier } from '../texts.ts';

const role = z.enum(ROLES).meta({ id: 'Role' });
const count = (text: string) => z.int().min(0).describe(text);

export const accountPath = z.strictObject({
  owner_id: z.uuid().meta({ description: 'The id of the owner.', example: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3' }),
});

export const accountQuery = z.strictObject({
  find: z.string().min(1).max(ACCOUNT.emailLength).optional().describe('An owner_id, or the begin of an email.'),
  role: role.optional().describe('Only accounts with this role.'),
  tier: tier.optional().describe('Only accounts of this tier.'),
  suspended: queryBoolean().optional().describe('Only suspended accounts, or only the others.'),
  ...paged('Accounts'),
});

export const account = z
  .strictObject({
    owner_id: z.uuid(),
    email: z.string().nullable().describe('null for an account of the identity provider alone. It is not verified.'),
    role,
    tier,
    created_at: instant(),
    suspended_at: instant().nullable().describe('Since when an operator has suspended it; null: it is in use.'),
    agents: count('Those that are not archived.'),
    keys: count('Those that are not revoked.'),
    sessions: count('Those that have not expired.'),
    webhooks: count(''),
    decisions: count('All that were submitted.'),
  })
  .meta({ id: 'Account' });

export const accountPage = pageOf(account, 'AccountPage');

export const suspendRequest = z
  .strictObject({
    reason: reasonText(ACCOUNT.suspensionReasonLength).describe(
      'For operators: it is stored in the audit log for ever.',
    ),
  })
  .meta({ id: 'SuspendRequest' });

export const suspension = z
  .strictObject({
    changed: z.boolean().describe('false: it was suspended before.'),
    sessions_ended: count('By this request.'),
    keys_stopped: z.array(z.string()).readonly().describe('The prefixes of the keys that this request stopped.'),
    account,
  })
  .meta({ id: 'Suspension' });

export const resumption = z
  .strictObject({
    changed: z.boolean().describe('false: it was not suspended.'),
    keys_restored: z.array(z.string()).readonly().describe('The prefixes of the keys that work again.'),
    account,
  })
  .meta({ id: 'Resumption' });

export const tierRequest = z.strictObject({ tier }).meta({ id: 'TierRequest' });

export const tierChange = z
  .strictObject({
    changed: z.boolean().describe('false: it had that tier.'),
    sessions_ended: count('A larger tier ends the sessions.'),
    account,
  })
  .meta({ id: 'TierChange' });

export const accountExample = {
  owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
  email: 'ada@example.org',
  role: 'owner',
  tier: 'free',
  created_at: new Date('2026-01-12T09:00:00.000Z'),
  suspended_at: null,
  agents: 2,
  keys: 3,
  sessions: 1,
  webhooks: 0,
  decisions: 412,
} as const;
