import { EntitySchema } from 'typeorm';
import type { PasskeyChallenge } from '../../../domain/accounts/factors/passkey.ts';
import { INSTANT } from './columns.ts';

export const PASSKEY_CHALLENGES = new EntitySchema<PasskeyChallenge>({
  name: 'passkey_challenge',
  tableName: 'passkey_challenges',
  schema: 'app',
  columns: {
    challenge_hash: { type: 'bytea', primary: true },
    bound_to: { type: 'bytea' },
    purpose: { type: 'text' },
    created_at: INSTANT,
  },
});
