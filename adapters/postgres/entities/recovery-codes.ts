import { EntitySchema } from 'typeorm';
import { INSTANT } from './columns.ts';

export interface RecoveryCodeRow {
  readonly owner_id: string;
  readonly code_hash: Uint8Array;
  readonly created_at: Date;
}

export const RECOVERY_CODES = new EntitySchema<RecoveryCodeRow>({
  name: 'recovery_code',
  tableName: 'recovery_codes',
  schema: 'app',
  columns: {
    owner_id: { type: 'uuid', primary: true },
    code_hash: { type: 'bytea', primary: true },
    created_at: INSTANT,
  },
});
