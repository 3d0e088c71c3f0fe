import { z } from 'zod';
import type { Passkey } from '../../../../domain/accounts/factors/passkey.ts';
import { instant } from '../../kit/input/query-values.ts';

export const passkey = z
  .strictObject({
    passkey_id: z.uuid(),
    name: z.string(),
    synced: z.boolean().describe('Whether it is synchronised between your devices.'),
    created_at: instant(),
    last_used_at: instant().nullable().describe('When it last opened a session; `null` before that.'),
  })
  .meta({ id: 'Passkey' });

export const passkeyExample = {
  passkey_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
  name: 'Laptop',
  synced: true,
  created_at: new Date('2026-01-30T14:30:00.000Z'),
  last_used_at: null,
} as const;

/** A passkey as its owner sees it. */
export function shownPasskey({ passkey_id, name, synced, created_at, last_used_at }: Passkey) {
  return { passkey_id, name, synced, created_at, last_used_at };
}
