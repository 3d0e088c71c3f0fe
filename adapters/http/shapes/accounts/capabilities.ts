import { z } from 'zod';
import { ROLES } from '../../../../domain/caller.ts';
import { instant } from '../../kit/input/query-values.ts';
import { permissionMode, tier } from '../texts.ts';

const pool = z
  .strictObject({
    limit: z.int().describe('The units of today, credit included.'),
    used: z.int(),
    credit: z.int().describe('Earned today by evaluated realtime submissions.'),
    remaining: z.int(),
    reset: instant().describe('00:00 UTC.'),
  })
  .meta({ id: 'QuotaPool' });

/** The daily pools of an owner (interface.md section 8). */
export const quotaUsage = z
  .strictObject({
    query: pool.describe('Cohort queries.'),
    read: pool.describe('Records and batches.'),
    check: z.strictObject({ limit_per_decision: z.int() }).describe('Reads of states: each decision has its own pool.'),
  })
  .meta({ id: 'QuotaUsage' });

const reset = new Date('2026-01-31T00:00:00.000Z');

export const quotaUsageExample = {
  query: { limit: 30, used: 4, credit: 10, remaining: 26, reset },
  read: { limit: 200, used: 17, credit: 0, remaining: 183, reset },
  check: { limit_per_decision: 20 },
};

/** What a valid credential allows (settled.md section 8); an invalid one is 401. */
export const capabilities = z
  .strictObject({
    authenticated: z.literal(true),
    credential: z.enum(['api_key', 'owner_bearer', 'legacy_session']),
    owner_id: z.uuid(),
    agent_id: z.string().nullable().describe('`null` for an owner, and for a legacy key that is bound to no agent.'),
    permission_mode: permissionMode.nullable().describe('The mode of the key; `null` for an owner.'),
    can_submit: z.boolean(),
    can_query: z.boolean(),
    tier,
    owner: z
      .strictObject({
        email: z.string().nullable().describe('`null` for an account of the identity provider.'),
        role: z.enum(ROLES),
        needs_factor: z
          .boolean()
          .describe(
            'Whether the operator requires a second factor, and this session was opened without one, or this token names none: ' +
              'then it can add one, log in with one, read this and log out, and everything else is FACTOR_REQUIRED.',
          ),
      })
      .optional()
      .describe('For an owner, by session or bearer token.'),
    email_confirmed_at: instant()
      .nullable()
      .optional()
      .describe('Of an owner alone: since when the email address is confirmed; `null`: it is not.'),
    quota: quotaUsage.optional().describe('With `include=quota`.'),
  })
  .meta({ id: 'Capabilities' });

export const capabilitiesExample = {
  authenticated: true,
  credential: 'api_key',
  owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
  agent_id: 'agt_4f1c2d3e5a6b',
  permission_mode: 'read_write',
  can_submit: true,
  can_query: true,
  tier: 'free',
  quota: quotaUsageExample,
} as const;
