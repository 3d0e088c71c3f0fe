import {
  type QuickSetupPorts,
  quickSetup,
  type Registration,
  type RegistrationPorts,
  registerOwner,
} from '../../../../../application/accounts/sign-in/register-owner.ts';
import type { Ports } from '../../../../../application/ports.ts';
import { type Endpoint, endpoint } from '../../../kit/endpoint.ts';
import { quickSetupReply, registeredOwner, registration } from '../../../shapes/accounts/accounts.ts';

export function registrationEndpoints(ports: Ports): readonly Endpoint[] {
  return [quickSetupEndpoint(ports), registerEndpoint(ports)];
}

export const registrationExample: Registration = {
  email: 'ada@example.com',
  password: 'four plain words, spaced',
  agent_name: 'Momentum scout',
};

/** What both ways to open an account have in common. */
const SIGN_UP = {
  method: 'POST',
  tag: 'Accounts',
  grows: true,
  auth: 'none',
  limits: 'signup',
  body: { schema: registration, example: registrationExample },
} as const;

export const registerEndpoint = (ports: RegistrationPorts) =>
  endpoint({
    ...SIGN_UP,
    id: 'registerOwner',
    path: '/api/v1/public/auth/register',
    summary: 'Open an account',
    description:
      'Opens an account that logs in by email and password. With `agent_name` it also adds an agent. ' +
      'When the new accounts of this day are used up, for this address or for all, the reply is RATE_LIMIT_EXCEEDED.',
    replies: {
      201: {
        description: 'The account is open.',
        schema: registeredOwner,
        example: {
          owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
          email: registrationExample.email,
          created_at: new Date('2026-01-30T14:30:00.000Z'),
        },
      },
    },
    problems: ['EMAIL_TAKEN', 'WEAK_PASSWORD'],
    async handle({ body, network, source }) {
      const { owner_id, email, created_at } = await registerOwner(ports, body, { network, source });
      return { status: 201, body: { owner_id, email, created_at } };
    },
  });

export const quickSetupEndpoint = (ports: QuickSetupPorts) =>
  endpoint({
    ...SIGN_UP,
    id: 'quickSetup',
    path: '/api/v1/public/auth/quick-setup',
    summary: 'Open an account and get its first API key',
    description:
      'Opens an account, adds an agent (`agent_name`, else "First agent") and issues it a read_write key. ' +
      'After KEY_ISSUANCE_FAILED the account is there: log in, create a key. FACTOR_REQUIRED: accounts need a ' +
      'second factor first.',
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
    problems: ['EMAIL_TAKEN', 'WEAK_PASSWORD', 'KEY_ISSUANCE_FAILED', 'FACTOR_REQUIRED'],
    async handle({ body, network, source }) {
      const { owner, key } = await quickSetup(ports, body, { network, source });
      const { owner_id, email } = owner;
      const { agent_id, api_key, key_prefix, permission_mode } = key;
      return { status: 201, body: { owner_id, email, agent_id, api_key, key_prefix, permission_mode } };
    },
  });
