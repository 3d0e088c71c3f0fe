import { isStale, type ProviderLogin } from '../../../domain/accounts/provider/provider-login.ts';
import type { ProviderLoginStore } from '../../../domain/accounts/provider/provider-login-store.ts';
import { hex } from '../kit/hex.ts';
import type { Table } from '../kit/table.ts';

export interface ProviderLoginTables {
  /** By the hash of the state, in hex. */
  readonly providerLogins: Table<string, ProviderLogin>;
}

export function memoryProviderLogins({ providerLogins }: ProviderLoginTables, now: () => Date): ProviderLoginStore {
  return {
    async add(login) {
      if (providerLogins.get(hex(login.state_hash))) throw new Error('There is a login of that state already.');
      providerLogins.set(hex(login.state_hash), { ...login });
    },

    async take(state_hash, browser_hash) {
      const login = providerLogins.get(hex(state_hash));
      if (!login || hex(login.browser_hash) !== hex(browser_hash) || isStale(login, now())) return null;
      providerLogins.delete(hex(state_hash));
      return login;
    },

    async prune() {
      const at = now();
      return providerLogins.deleteWhere((login) => isStale(login, at));
    },
  };
}
