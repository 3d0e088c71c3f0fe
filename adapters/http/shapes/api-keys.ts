import { z } from 'zod';
import { ACCOUNT } from '../../../domain/limits.ts';
import { instant } from '../kit/input/query-values.ts';
import { agentName } from './accounts.ts';
import { permissionMode } from './words.ts';

export const keyPath = z.strictObject({
  key_prefix: z.string().meta({ description: 'How the key is named.', example: 'sbk_Xk29fQ7b' }),
});

const permission_mode = permissionMode.describe('`read_write` submits and reads, `read_only` reads.');

export const createKeyRequest = z
  .strictObject({
    agent_id: z.string().optional().describe('An agent of yours.'),
    agent_name: agentName.optional().describe('Adds an agent of that name. Not together with `agent_id`.'),
    permission_mode: permission_mode.default('read_write'),
    label: z
      .string()
      .trim()
      .min(1)
      .max(ACCOUNT.keyLabelLength)
      .optional()
      .describe('For your own list of keys. It names the new agent where neither `agent_id` nor `agent_name` is sent.'),
  })
  .refine(({ agent_id, agent_name }) => agent_id === undefined || agent_name === undefined, {
    path: ['agent_name'],
    error: 'must not be sent together with agent_id: send the one or the other',
  })
  .meta({ id: 'CreateKeyRequest' });

/** A new key, to its owner (interface.md 2.4). */
export const createdKey = z
  .strictObject({
    api_key: z.string().describe('The key itself. It is shown this once and kept nowhere: store it now.'),
    key_prefix: z.string().describe('How the key is named from now on.'),
    agent_id: z.string(),
    permission_mode,
    created_at: instant(),
  })
  .meta({ id: 'CreatedKey' });

export const createdKeyExample = {
  api_key: 'sbk_Xk29fQ7b_0123456789abcdefghijABCDEFGHIJ010afxPd',
  key_prefix: 'sbk_Xk29fQ7b',
  agent_id: 'agt_4f1c2d3e5a6b',
  permission_mode: 'read_write',
  created_at: new Date('2026-01-30T14:30:00.000Z'),
} as const;

export const updateKeyRequest = z.strictObject({ permission_mode }).meta({ id: 'UpdateKeyRequest' });

/** What is shown of a key; the key itself never is again. */
export const keyInfo = z
  .strictObject({
    key_prefix: z.string(),
    label: z.string().nullable(),
    agent_id: z.string().nullable().describe('`null` for a legacy key, which reads and cannot submit.'),
    permission_mode,
    created_at: instant(),
    last_used_at: instant().nullable().describe('Noted about once a minute.'),
    revoked_at: instant().nullable(),
  })
  .meta({ id: 'ApiKey' });

export const keyInfoExample = {
  key_prefix: 'sbk_Xk29fQ7b',
  label: 'Momentum scout',
  agent_id: 'agt_4f1c2d3e5a6b',
  permission_mode: 'read_write',
  created_at: new Date('2026-01-30T14:30:00.000Z'),
  last_used_at: new Date('2026-02-02T09:15:00.000Z'),
  revoked_at: null,
} as const;

export const keyList = z
  .strictObject({ items: z.array(keyInfo).readonly(), next_cursor: z.string().nullable() })
  .meta({ id: 'ApiKeyPage' });
