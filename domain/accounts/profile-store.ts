import type { LegalAcceptance } from './legal.ts';
import type { Preferences } from './preferences.ts';

/** What an owner has set or accepted, besides what they sign in with. */
export interface ProfileStore {
  /** Adds the acceptance to the earlier ones, also within one millisecond; false when the owner is gone. */
  accept(owner_id: string, acceptance: LegalAcceptance): Promise<boolean>;

  /** The acceptance that was stored last. */
  lastAcceptance(owner_id: string): Promise<LegalAcceptance | null>;

  /** The owner's preferences; null when the owner is gone. */
  preferences(owner_id: string): Promise<Preferences | null>;

  /** Locks the owner's preferences until the transaction ends; null when the owner is gone. */
  lockPreferences(owner_id: string): Promise<Preferences | null>;

  /** Replaces the preferences as a whole. */
  setPreferences(owner_id: string, preferences: Preferences): Promise<void>;
}
