import { z } from 'zod';
import { ACCOUNT, API_KEY } from '../../../../domain/limits.ts';
import { isNetwork, networkText, parseNetwork } from '../../../../domain/networks.ts';
import { DAY } from '../../../../domain/time.ts';
import { instant, timestamp } from '../../kit/input/query-values.ts';
import { pageOf, permissionMode, trimmedName } from '../texts.ts';
import { agentName } from './accounts.ts';

/** IPv6 with an embedded IPv4 address, and a prefix. */
const LONGEST_NETWORK = '0000:0000:0000:0000:0000:ffff:255.255.255.255/128'.length;

export const keyPath = z.strictObject({
  key_prefix: z.string().meta({ description: 'The prefix that identifies the key.', example: 'sbk_Xk29fQ7b' }),
});

const permission_mode = permissionMode.describe('`read_write` submits and reads, `read_only` reads.');

const network = z
  .string()
  .max(LONGEST_NETWORK)
  .refine(isNetwork, { error: 'must be a network such as 192.0.2.0/24 or 2001:db8::/32, or an address' })
  .meta({ description: 'A network such as `192.0.2.0/24`, with no bits after its prefix, or an address.' });

/** Networks in the form in which they are stored, each once. */
const networks = z
  .array(network)
  .min(1)
  .max(API_KEY.networks)
  .transform((texts) => [...new Set(texts.map(networkTextOf))]);

const allowed_networks = z
  .array(z.string())
  .readonly()
  .nullable()
  .describe('The networks whose requests are accepted. `null`: all.');
const expires_at = instant().nullable().describe('`null`: it works until it is revoked.');

export const createKeyRequest = z
  .strictObject({
    agent_id: z.string().optional().describe('An agent of yours.'),
    agent_name: agentName.optional().describe('Adds an agent of that name. Not together with `agent_id`.'),
    permission_mode: permission_mode.default('read_write'),
    label: trimmedName(ACCOUNT.keyLabelLength)
      .optional()
      .describe('For your own list of keys. Without `agent_id` and `agent_name` it is also the name of the new agent.'),
    expires_at: timestamp()
      .optional()
      .describe(`From then on the key is refused. In the future, at most ${API_KEY.longestLife / DAY} days ahead.`),
    allowed_networks: networks.optional().describe('Requests from elsewhere are refused. Default: none are.'),
  })
  .refine(({ agent_id, agent_name }) => agent_id === undefined || agent_name === undefined, {
    path: ['agent_name'],
    error: 'must not be sent together with agent_id: send only one of them',
  })
  .meta({ id: 'CreateKeyRequest' });

/** A new key, to its owner (interface.md 2.4). */
export const createdKey = z
  .strictObject({
    api_key: z
      .string()
      .describe('The key itself. It is shown only once and the service does not store it: save it now.'),
    key_prefix: z.string().describe('Identifies the key from now on.'),
    agent_id: z.string(),
    permission_mode,
    created_at: instant(),
    expires_at,
    allowed_networks,
  })
  .meta({ id: 'CreatedKey' });

export const createdKeyExample = {
  api_key: 'sbk_Xk29fQ7b_0123456789abcdefghijABCDEFGHIJ010afxPd',
  key_prefix: 'sbk_Xk29fQ7b',
  agent_id: 'agt_4f1c2d3e5a6b',
  permission_mode: 'read_write',
  created_at: new Date('2026-01-30T14:30:00.000Z'),
  expires_at: null,
  allowed_networks: null,
} as const;

export const updateKeyRequest = z
  .strictObject({
    permission_mode: permission_mode.optional(),
    allowed_networks: networks.nullable().optional().describe('Requests from elsewhere are refused. `null`: none are.'),
  })
  .refine((changes) => Object.values(changes).some((change) => change !== undefined), {
    error: 'must have permission_mode or allowed_networks',
  })
  .meta({ id: 'UpdateKeyRequest', minProperties: 1 });

function networkTextOf(text: string): string {
  const network = parseNetwork(text);
  if (!network) throw new Error(`This is no network: ${text}`);
  return networkText(network);
}

/** A key as it is listed, without the key itself. */
export const keyInfo = z
  .strictObject({
    key_prefix: z.string(),
    label: z.string().nullable(),
    agent_id: z.string().nullable().describe('`null` for a legacy key, which can read but not submit.'),
    permission_mode,
    created_at: instant(),
    expires_at,
    allowed_networks,
    last_used_at: instant().nullable().describe('Updated about once a minute.'),
    last_used_network: z.string().nullable().describe('A hash of the network of that use, as in security events.'),
    revoked_at: instant().nullable(),
  })
  .meta({ id: 'ApiKey' });

export const keyInfoExample = {
  key_prefix: 'sbk_Xk29fQ7b',
  label: 'Momentum scout',
  agent_id: 'agt_4f1c2d3e5a6b',
  permission_mode: 'read_write',
  created_at: new Date('2026-01-30T14:30:00.000Z'),
  expires_at: new Date('2026-07-29T14:30:00.000Z'),
  allowed_networks: ['192.0.2.0/24'],
  last_used_at: new Date('2026-02-02T09:15:00.000Z'),
  last_used_network: '5f0c1d2e3a4b5c6d',
  revoked_at: null,
} as const;

export const keyList = pageOf(keyInfo, 'ApiKeyPage');
