import { type FactorReset, type FactorStore, isConfirmed, type Totp } from '../../../domain/accounts/factors/factor.ts';
import {
  isExpired,
  type Passkey,
  type PasskeyChallenge,
  type PasskeyStore,
} from '../../../domain/accounts/factors/passkey.ts';
import { activeOwner } from '../../../domain/accounts/owner.ts';
import { hex, type Table } from '../kit/table.ts';
import type { OwnerTables } from './provider-stores.ts';

interface RecoveryCodeRow {
  readonly owner_id: string;
  readonly code_hash: Uint8Array;
  readonly created_at: Date;
}

export interface FactorTables extends OwnerTables, PasskeyTables {
  /** By owner. */
  readonly totpSecrets: Table<string, Totp>;
  /** By owner and hash. */
  readonly recoveryCodes: Table<string, RecoveryCodeRow>;
  /** By owner. */
  readonly factorResets: Table<string, FactorReset>;
}

export function memoryFactors(tables: FactorTables, now: () => Date): FactorStore {
  const { owners, totpSecrets, recoveryCodes, passkeys, factorResets } = tables;
  const { list } = memoryPasskeys(tables, now);
  const removeCodes = (owner: string) => recoveryCodes.deleteWhere(({ owner_id }) => owner_id === owner);
  return {
    async lock(owner_id) {
      activeOwner(owners.get(owner_id));
    },

    of: async (owner_id) => ({ totp: totpSecrets.get(owner_id) ?? null, passkeys: await list(owner_id) }),

    async beginTotp(owner_id, pending) {
      const { secret = null, confirmed_at = null, last_step = 0 } = totpSecrets.get(owner_id) ?? {};
      totpSecrets.set(owner_id, { owner_id, secret, confirmed_at, last_step, pending, pending_at: now() });
    },

    async confirmTotp(owner_id, pending, last_step, within) {
      const totp = totpSecrets.get(owner_id);
      if (!totp?.pending || !totp.pending_at || hex(totp.pending) !== hex(pending)) return false;
      const at = now();
      if (totp.pending_at.getTime() <= at.getTime() - within) return false;
      const none = { pending: null, pending_at: null };
      totpSecrets.set(owner_id, { owner_id, secret: pending, confirmed_at: at, last_step, ...none });
      return true;
    },

    async useTotp(owner_id, secret, last_step) {
      const totp = totpSecrets.get(owner_id);
      if (!totp?.secret || hex(totp.secret) !== hex(secret) || totp.last_step >= last_step) return false;
      totpSecrets.set(owner_id, { ...totp, last_step });
      return true;
    },

    async removeTotp(owner_id) {
      const wasConfirmed = isConfirmed(totpSecrets.get(owner_id) ?? null);
      totpSecrets.delete(owner_id);
      return wasConfirmed;
    },

    async setRecoveryCodes(owner_id, hashes) {
      removeCodes(owner_id);
      for (const code_hash of hashes)
        recoveryCodes.set(`${owner_id} ${hex(code_hash)}`, { owner_id, code_hash, created_at: now() });
    },

    recoveryCodes: async (owner) => recoveryCodes.where(({ owner_id }) => owner_id === owner).length,

    async useRecoveryCode(owner_id, hash) {
      const key = `${owner_id} ${hex(hash)}`;
      return recoveryCodes.get(key) !== undefined && recoveryCodes.delete(key);
    },

    async requestReset({ owner_id, evidence, actor }, wait) {
      if (factorResets.get(owner_id) !== undefined) return null;
      const requested_at = now();
      const reset = { owner_id, evidence, actor, requested_at, due_at: new Date(requested_at.getTime() + wait) };
      factorResets.set(owner_id, reset);
      return reset;
    },

    requestedReset: async (owner_id) => factorResets.get(owner_id) ?? null,

    cancelReset: async (owner_id) => factorResets.get(owner_id) !== undefined && factorResets.delete(owner_id),

    async dueResets(limit) {
      const at = now();
      return factorResets
        .where(({ owner_id, due_at }) => due_at <= at && owners.get(owner_id)?.suspended_at === null)
        .toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime() || (a.owner_id < b.owner_id ? -1 : 1))
        .slice(0, limit);
    },

    async takeDueReset(owner_id) {
      const reset = factorResets.get(owner_id);
      if (!reset || reset.due_at > now()) return null;
      factorResets.delete(owner_id);
      return reset;
    },

    async reset(owner_id) {
      const had = totpSecrets.get(owner_id) !== undefined;
      totpSecrets.delete(owner_id);
      const removed = removeCodes(owner_id) + passkeys.deleteWhere((passkey) => passkey.owner_id === owner_id);
      return removed > 0 || had;
    },
  };
}

interface PasskeyTables {
  /** By id, in the order in which they were added. */
  readonly passkeys: Table<string, Passkey>;
  /** By the hash, in hex. */
  readonly passkeyChallenges: Table<string, PasskeyChallenge>;
}

export function memoryPasskeys({ passkeys, passkeyChallenges }: PasskeyTables, now: () => Date): PasskeyStore {
  const ofCredential = (credential: string) => passkeys.where(({ credential_id }) => credential_id === credential)[0];
  const find = (owner_id: string, passkey_id: string) => {
    const passkey = passkeys.get(passkey_id);
    return passkey?.owner_id === owner_id ? passkey : null;
  };
  return {
    async add(passkey) {
      if (ofCredential(passkey.credential_id)) return false;
      passkeys.set(passkey.passkey_id, { ...passkey });
      return true;
    },

    list: async (owner) =>
      passkeys
        .where(({ owner_id }) => owner_id === owner)
        .toSorted((a, b) => Number(a.created_at) - Number(b.created_at) || (a.passkey_id < b.passkey_id ? -1 : 1)),

    findCredential: async (credential) => ofCredential(credential) ?? null,

    async use(passkey_id, counter, synced) {
      const passkey = passkeys.get(passkey_id);
      if (!passkey || (passkey.counter >= counter && (passkey.counter > 0 || counter > 0))) return false;
      passkeys.set(passkey_id, { ...passkey, counter, synced, last_used_at: now() });
      return true;
    },

    async rename(owner_id, passkey_id, name) {
      const passkey = find(owner_id, passkey_id);
      if (!passkey) return null;
      const renamed = { ...passkey, name };
      passkeys.set(passkey_id, renamed);
      return renamed;
    },

    remove: async (owner_id, passkey_id) => find(owner_id, passkey_id) !== null && passkeys.delete(passkey_id),

    async addChallenge(challenge) {
      if (passkeyChallenges.get(hex(challenge.challenge_hash))) throw new Error('There is that challenge already.');
      passkeyChallenges.set(hex(challenge.challenge_hash), { ...challenge });
    },

    async takeChallenge(challenge_hash, bound_to, purpose) {
      const challenge = passkeyChallenges.get(hex(challenge_hash));
      if (!challenge || hex(challenge.bound_to) !== hex(bound_to) || challenge.purpose !== purpose) return false;
      return !isExpired(challenge, now()) && passkeyChallenges.delete(hex(challenge_hash));
    },

    async pruneChallenges() {
      const at = now();
      return passkeyChallenges.deleteWhere((challenge) => isExpired(challenge, at));
    },
  };
}
