import { EntitySchema } from 'typeorm';
import type { Totp } from '../../../domain/accounts/factors/factor.ts';
import { INSTANT } from './columns.ts';

export const TOTP_SECRETS = new EntitySchema<Totp>({
  name: 'totp_secret',
  tableName: 'totp_secrets',
  schema: 'app',
  columns: {
    owner_id: { type: 'uuid', primary: true },
    secret: { type: 'bytea', nullable: true },
    confirmed_at: { ...INSTANT, nullable: true },
    last_step: { type: 'integer' },
    pending: { type: 'bytea', nullable: true },
    pending_at: { ...INSTANT, nullable: true },
  },
});
