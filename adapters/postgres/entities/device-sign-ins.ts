import { EntitySchema } from 'typeorm';
import type { DeviceSignIn } from '../../../domain/accounts/provider/device-sign-in.ts';
import { INSTANT } from './columns.ts';

export const DEVICE_SIGN_INS = new EntitySchema<DeviceSignIn>({
  name: 'device_sign_in',
  tableName: 'device_sign_ins',
  schema: 'app',
  columns: {
    code_hash: { type: 'bytea', primary: true },
    sealed_code: { type: 'bytea' },
    status: { type: 'text' },
    owner_id: { type: 'uuid', nullable: true },
    poll_every: { type: 'integer' },
    next_poll_at: INSTANT,
    lease_token: { type: 'uuid', nullable: true },
    lease_until: { ...INSTANT, nullable: true },
    created_at: INSTANT,
    expires_at: INSTANT,
  },
});
