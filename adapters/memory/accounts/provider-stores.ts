import { type Agent, activeOwner, foldEmail, type Owner, type OwnerStore } from '../../../domain/accounts/owner.ts';
import { type DeviceSignIn, isForgotten } from '../../../domain/accounts/provider/device-sign-in.ts';
import type { DeviceSignInStore } from '../../../domain/accounts/provider/device-sign-in-store.ts';
import {
  type Identity,
  type IdentityStore,
  isStale,
  type ProviderLogin,
  type ProviderLoginStore,
} from '../../../domain/accounts/provider/identity-provider.ts';
import { hex, type Table } from '../kit/table.ts';

export interface OwnerTables {
  readonly owners: Table<string, Owner>;
  readonly agents: Table<string, Agent>;
}

export function memoryOwners({ owners, agents }: OwnerTables, now: () => Date): OwnerStore {
  const withEmail = (email: string) =>
    owners.where((owner) => owner.email !== null && foldEmail(owner.email) === foldEmail(email))[0] ?? null;
  return {
    async add(owner) {
      if (owner.email !== null && withEmail(owner.email)) return false;
      if (owners.get(owner.owner_id)) throw new Error('The owner_id is taken.');
      owners.set(owner.owner_id, { ...owner });
      return true;
    },

    find: async (owner_id) => owners.get(owner_id) ?? null,

    findByEmail: async (email) => withEmail(email),

    async confirmEmail(owner_id) {
      const owner = owners.get(owner_id);
      if (!owner || owner.email === null || owner.suspended_at !== null) return null;
      const email_confirmed_at = owner.email_confirmed_at ?? now();
      owners.set(owner_id, { ...owner, email_confirmed_at });
      return email_confirmed_at;
    },

    async list(after, limit) {
      const rows = owners.where(({ owner_id }) => after === null || owner_id > after);
      return rows.toSorted((a, b) => (a.owner_id < b.owner_id ? -1 : 1)).slice(0, limit);
    },

    async findAgent(owner_id, agent_id) {
      const agent = agents.get(agent_id);
      return agent?.owner_id === owner_id ? agent : null;
    },

    async addAgent(agent, atMost) {
      activeOwner(owners.get(agent.owner_id));
      const own = agents.where(({ owner_id, archived_at }) => owner_id === agent.owner_id && archived_at === null);
      if (own.length >= atMost) return false;
      agents.set(agent.agent_id, { ...agent });
      return true;
    },
  };
}

export interface IdentityTables extends OwnerTables {
  /** By both parts. */
  readonly identities: Table<string, Identity & { readonly owner_id: string }>;
}

export function memoryIdentities(tables: IdentityTables): IdentityStore {
  const { identities, owners } = tables;
  return {
    find: async (identity) => ownerOf(tables, identity),

    async addOwner(identity, owner) {
      if (owner.email !== null) throw new Error('An owner of the identity provider has no email of ours.');
      if (identities.get(keyOf(identity))) return false;
      if (owners.get(owner.owner_id)) throw new Error('There is an owner of that id already.');
      const { issuer, subject } = identity;
      identities.set(keyOf(identity), { issuer, subject, owner_id: owner.owner_id });
      owners.set(owner.owner_id, { ...owner });
      return true;
    },
  };
}

export function ownerOf({ identities, owners }: IdentityTables, identity: Identity): Owner | null {
  const known = identities.get(keyOf(identity));
  return (known && owners.get(known.owner_id)) ?? null;
}

function keyOf({ issuer, subject }: Identity): string {
  return JSON.stringify([issuer, subject]);
}

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

export interface DeviceSignInTables extends OwnerTables {
  /** By the hash of the code, in hex. */
  readonly deviceSignIns: Table<string, DeviceSignIn>;
}

export function memoryDeviceSignIns({ deviceSignIns, owners }: DeviceSignInTables, now: () => Date): DeviceSignInStore {
  return {
    async add(signIn) {
      if (deviceSignIns.get(hex(signIn.code_hash))) throw new Error('There is a sign-in of that code already.');
      deviceSignIns.set(hex(signIn.code_hash), signIn);
    },

    async transition(code_hash, rule) {
      const before = deviceSignIns.get(hex(code_hash));
      if (!before) return null;
      const { signIn, answer } = rule(before, now());
      if (signIn.owner_id !== null && !owners.get(signIn.owner_id)) throw new Error('Nobody has that owner_id.');
      deviceSignIns.set(hex(code_hash), signIn);
      return answer;
    },

    async prune() {
      const at = now();
      return deviceSignIns.deleteWhere((signIn) => isForgotten(signIn, at));
    },
  };
}
