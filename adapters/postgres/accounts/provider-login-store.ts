import type { ProviderLogin } from '../../../domain/accounts/provider-login.ts';
import type { ProviderLoginStore } from '../../../domain/accounts/provider-login-store.ts';
import { IDENTITY } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresProviderLogins(sql: Sql): ProviderLoginStore {
  return {
    async add({ state_hash, browser_hash, nonce, code_verifier, redirect_uri, created_at }) {
      await sql.rows(ADD, [state_hash, browser_hash, nonce, code_verifier, redirect_uri, created_at]);
    },

    async take(state_hash, browser_hash) {
      const [login] = await sql.rows<ProviderLogin>(TAKE, [state_hash, browser_hash]);
      return login ?? null;
    },

    async prune() {
      return (await sql.rows(PRUNE)).length;
    },
  };
}

const COLUMNS = 'state_hash, browser_hash, nonce, code_verifier, redirect_uri, created_at';

const ADD = `insert into app.provider_logins (${COLUMNS}) values ($1, $2, $3, $4, $5, $6)`;

const LIFE = `interval '${IDENTITY.loginLife / SECOND} seconds'`;

const TAKE = `
  delete from app.provider_logins
  where state_hash = $1 and browser_hash = $2 and created_at > (select app.now()) - ${LIFE}
  returning ${COLUMNS}`;

const PRUNE = `
  delete from app.provider_logins l using (select app.now() as at) clock
  where l.created_at <= clock.at - ${LIFE}
  returning l.state_hash`;
