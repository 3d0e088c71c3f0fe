import { type DeviceSignIn, isForgotten } from '../../../domain/accounts/provider/device-sign-in.ts';
import type { DeviceSignInStore } from '../../../domain/accounts/provider/device-sign-in-store.ts';
import { hex } from '../kit/hex.ts';
import type { Table } from '../kit/table.ts';
import type { OwnerTables } from './owner-store.ts';

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
