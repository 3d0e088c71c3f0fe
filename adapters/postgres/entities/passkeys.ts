import { EntitySchema } from 'typeorm';
import type { Passkey } from '../../../domain/accounts/factors/passkey.ts';
import { INSTANT } from './columns.ts';

export const PASSKEYS = new EntitySchema<Passkey>({
  name: 'passkey',
  tableName: 'passkeys',
  schema: 'app',
  columns: {
    passkey_id: { type: 'uuid', primary: true },
    owner_id: { type: 'uuid' },
    credential_id: { type: 'text', unique: true },
    public_key: { type: 'bytea' },
    // 32 bits without a sign, which a number holds.
    counter: { type: 'bigint', transformer: { to: (counter) => counter, from: Number } },
    name: { type: 'text' },
    synced: { type: 'boolean' },
    created_at: INSTANT,
    last_used_at: { ...INSTANT, nullable: true },
  },
});
