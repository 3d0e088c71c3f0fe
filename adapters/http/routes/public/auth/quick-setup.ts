import { quickSetup } from '../../../../../application/accounts/sign-in/quick-setup.ts';
import type { RegistrationPorts } from '../../../../../application/accounts/sign-in/register-owner.ts';
import { endpoint } from '../../../kit/endpoint.ts';
import { quickSetupReply, registration } from '../../../shapes/accounts/accounts.ts';
import { registrationExample } from './register.ts';

export const quickSetupEndpoint = (ports: RegistrationPorts) =>
  endpoint({
    id: 'quickSetup',
    method: 'POST',
    path: '/api/v1/public/auth/quick-setup',
    summary: 'Open an account and get its first API key',
    description:
      'Opens an account, adds an agent (named by `agent_name`, else "First agent") and issues it a read_write key. ' +
      'The account remains even if the key cannot be issued (KEY_ISSUANCE_FAILED): then log in and create a key.',
    tag: 'Accounts',
    grows: true,
    auth: 'none',
    limits: 'signup',
    body: { schema: registration, example: registrationExample },
    replies: {
      201: {
        description: 'The account is open and has a key, shown only once.',
        schema: quickSetupReply,
        example: {
          owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
          email: registrationExample.email,
          agent_id: 'agt_4f1c2d3e5a6b',
          api_key: 'sbk_Xk29fQ7b_0123456789abcdefghijABCDEFGHIJ010afxPd',
          key_prefix: 'sbk_Xk29fQ7b',
          permission_mode: 'read_write',
        },
      },
    },
    problems: ['EMAIL_TAKEN', 'WEAK_PASSWORD', 'KEY_ISSUANCE_FAILED'],
    async handle({ body, network, source }) {
      const { owner, key } = await quickSetup(ports, body, { network, source });
      const { owner_id, email } = owner;
      const { agent_id, api_key, key_prefix, permission_mode } = key;
      return { status: 201, body: { owner_id, email, agent_id, api_key, key_prefix, permission_mode } };
    },
  });
