import { EntitySchema } from 'typeorm';
import type { ProviderLogin } from '../../../domain/accounts/provider/identity-provider.ts';
import { INSTANT } from './columns.ts';

export const PROVIDER_LOGINS = new EntitySchema<ProviderLogin>({
  name: 'provider_login',
  tableName: 'provider_logins',
  schema: 'app',
  columns: {
    state_hash: { type: 'bytea', primary: true },
    browser_hash: { type: 'bytea' },
    nonce: { type: 'text' },
    code_verifier: { type: 'text' },
    redirect_uri: { type: 'text' },
    created_at: INSTANT,
    is_fresh: { type: 'boolean' },
  },
});
