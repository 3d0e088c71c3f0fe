import type { ProviderLogin } from '../../../domain/accounts/provider/provider-login.ts';
import type { ProviderLoginStore } from '../../../domain/accounts/provider/provider-login-store.ts';
import { IDENTITY } from '../../../domain/limits.ts';
import { PROVIDER_LOGINS } from '../entities/provider-logins.ts';
import { lessThanAgo } from '../kit/age.ts';
import { deleteExpired, olderThan } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresProviderLogins(sql: Sql): ProviderLoginStore {
  return {
    async add(login) {
      await sql.tables.insert(PROVIDER_LOGINS, login);
    },

    async take(state_hash, browser_hash) {
      const own = { state_hash, browser_hash, created_at: lessThanAgo(IDENTITY.loginLife) };
      const taking = sql.tables.createQueryBuilder().delete().from(PROVIDER_LOGINS).where(own).returning('*');
      const [login]: readonly ProviderLogin[] = (await taking.execute()).raw;
      return login ?? null;
    },

    prune: () => deleteExpired(sql, olderThan('provider_logins', 'created_at', IDENTITY.loginLife)),
  };
}
