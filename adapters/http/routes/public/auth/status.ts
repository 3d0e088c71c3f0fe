import { z } from 'zod';
import { capabilitiesOf } from '../../../../../application/accounts/capabilities.ts';
import type { RequiredFactorPorts } from '../../../../../application/accounts/factors/required-factor.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import { capabilities, capabilitiesExample } from '../../../shapes/accounts/capabilities.ts';

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
