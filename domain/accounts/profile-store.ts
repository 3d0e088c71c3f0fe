import type { LegalAcceptance } from './legal.ts';
import type { Preferences } from './preferences.ts';

/** What an owner has told of themselves beside what they log in with. */
export interface ProfileStore {
  /** Keeps the acceptance beside those before it, at the same millisecond too; false when the owner is gone. */
  accept(owner_id: string, acceptance: LegalAcceptance): Promise<boolean>;

  /** The one that was kept last. */
  lastAcceptance(owner_id: string): Promise<LegalAcceptance | null>;

  /** Locks the owner's preferences until the transaction ends; null when the owner is gone. */
  lockPreferences(owner_id: string): Promise<Preferences | null>;

  /** Replaces them whole. */
  setPreferences(owner_id: string, preferences: Preferences): Promise<void>;
}
