import { EntitySchema } from 'typeorm';
import type { LoginAttempt } from '../../../domain/accounts/sign-in/login-store.ts';
import { INSTANT } from './columns.ts';

export interface LoginAttemptsRow extends LoginAttempt {
  readonly used: number;
}

export const LOGIN_ATTEMPTS = new EntitySchema<LoginAttemptsRow>({
  name: 'login_attempts',
  tableName: 'login_attempts',
  schema: 'app',
  columns: {
    account_hash: { type: 'bytea', primary: true },
    window_start: INSTANT,
    used: { type: 'integer' },
  },
});
