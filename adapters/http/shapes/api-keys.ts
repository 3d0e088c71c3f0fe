import { z } from 'zod';
import { ACCOUNT, API_KEY } from '../../../domain/limits.ts';
import { DAY } from '../../../domain/time.ts';
import { instant, timestamp } from '../kit/input/query-values.ts';
import { agentName } from './accounts.ts';
import { trimmedName } from './texts.ts';
import { permissionMode } from './words.ts';

export const keyPath = z.strictObject({
  key_prefix: z.string().meta({ description: 'The prefix that identifies the key.', example: 'sbk_Xk29fQ7b' }),
});

const permission_mode = permissionMode.describe('`read_write` submits and reads, `read_only` reads.');

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
  })
  .meta({ id: 'CreatedKey' });

export const createdKeyExample = {
  api_key: 'sbk_Xk29fQ7b_0123456789abcdefghijABCDEFGHIJ010afxPd',
  key_prefix: 'sbk_Xk29fQ7b',
  agent_id: 'agt_4f1c2d3e5a6b',
  permission_mode: 'read_write',
  created_at: new Date('2026-01-30T14:30:00.000Z'),
  expires_at: null,
} as const;

export const updateKeyRequest = z.strictObject({ permission_mode }).meta({ id: 'UpdateKeyRequest' });

/** A key as it is listed, without the key itself. */
export const keyInfo = z
  .strictObject({
    key_prefix: z.string(),
    label: z.string().nullable(),
    agent_id: z.string().nullable().describe('`null` for a legacy key, which can read but not submit.'),
    permission_mode,
    created_at: instant(),
    expires_at,
    last_used_at: instant().nullable().describe('Updated about once a minute.'),
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
  last_used_at: new Date('2026-02-02T09:15:00.000Z'),
  revoked_at: null,
} as const;

export const keyList = z
  .strictObject({ items: z.array(keyInfo).readonly(), next_cursor: z.string().nullable() })
  .meta({ id: 'ApiKeyPage' });
