import { Problem } from '../../problem.ts';
import type { Decision } from '../decision.ts';

/**
 * The salt of a commitment, for its owner.
 * @throws Problem UNAUTHORIZED for a request that began before the account was removed, once the salt is erased
 */
export function openSalt({ salt, record_id }: Pick<Decision, 'salt' | 'record_id'>): string {
  if (salt !== null) return salt;
  throw new Problem('UNAUTHORIZED', `The owner of ${record_id} was erased.`, { suggestion: 'Create a new account.' });
}
