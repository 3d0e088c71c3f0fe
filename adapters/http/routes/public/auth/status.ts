import { z } from 'zod';
import { capabilitiesOf } from '../../../../../application/accounts/capabilities.ts';
import type { RequiredFactorPorts } from '../../../../../application/accounts/factors/required-factor.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { ROLES } from '../../../../../domain/caller.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import { instant } from '../../../kit/input/query-values.ts';
import { quotaUsage, quotaUsageExample } from '../../../shapes/accounts/quota.ts';
import { permissionMode, tier } from '../../../shapes/texts.ts';

/** What a valid credential allows (settled.md section 8); an invalid one is 401. */
const capabilities = z
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

const capabilitiesExample = {
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

export function authStatusEndpoint(ports: Pick<Ports, 'quotas' | 'owners' | 'settings'> & RequiredFactorPorts) {
  return endpoint({
    id: 'readAuthStatus',
    method: 'GET',
    path: '/api/v1/public/auth/status',
    summary: 'Read what your credential allows',
    description:
      'Returns the caller and its permissions, and with `include=quota` the remaining units of the daily pools, which ' +
      'all keys of an owner share. It takes no unit of a pool. To an owner it also says who is signed in.',
    tag: 'Accounts',
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    withoutFactor: true,
    query: z.strictObject({ include: z.enum(['quota']).optional().describe('`quota` adds the daily pools.') }),
    replies: { 200: { description: 'The credential is valid.', schema: capabilities, example: capabilitiesExample } },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller, credential, query }) {
      return { status: 200, body: await capabilitiesOf(ports, caller, credential, query.include === 'quota') };
    },
  });
}
