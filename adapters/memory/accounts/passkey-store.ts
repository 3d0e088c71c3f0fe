import { isExpired, type Passkey, type PasskeyChallenge } from '../../../domain/accounts/factors/passkey.ts';
import type { PasskeyStore } from '../../../domain/accounts/factors/passkey-store.ts';
import { hex } from '../kit/hex.ts';
import type { Table } from '../kit/table.ts';

export interface PasskeyTables {
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
