import { FACTOR } from '../../../domain/limits.ts';
import type { Stores } from '../../ports.ts';
import { readableSecret, typedSecret } from '../../readable-secret.ts';
import { sha256 } from '../../sha256.ts';

/** SHA-256: its 120 random bits need no slow hash. */
export function hashOfRecoveryCode(owner_id: string, code: string): Uint8Array {
  return sha256('recovery code ', owner_id, ' ', typedSecret(code));
}

/** A new set of recovery codes in the place of the former one: shown once, and stored as hashes. */
export async function newRecoveryCodes(
  { factors }: Pick<Stores, 'factors'>,
  owner_id: string,
): Promise<readonly string[]> {
  const codes = Array.from({ length: FACTOR.recoveryCodes }, () => readableSecret(FACTOR.recoverySigns));
  await factors.setRecoveryCodes(
    owner_id,
    codes.map((code) => hashOfRecoveryCode(owner_id, code)),
  );
  return codes;
}
