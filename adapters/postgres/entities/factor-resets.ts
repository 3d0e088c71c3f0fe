import { EntitySchema } from 'typeorm';
import type { FactorReset } from '../../../domain/accounts/factors/factor.ts';
import { INSTANT } from './columns.ts';

export const FACTOR_RESETS = new EntitySchema<FactorReset>({
  name: 'factor_reset',
  tableName: 'factor_resets',
  schema: 'app',
  columns: {
    owner_id: { type: 'uuid', primary: true },
    evidence: { type: 'text' },
    actor: { type: 'text' },
    requested_at: INSTANT,
    due_at: INSTANT,
  },
});
