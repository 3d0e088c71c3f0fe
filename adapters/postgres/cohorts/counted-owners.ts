import type { OwnerProof } from '../../../domain/cohorts/cohort-reader.ts';

/** Whether there are enough owners is all that is asked. */
export interface WantedProducers {
  /** How many are enough. */
  readonly producers: number;
  readonly ownerProof: OwnerProof;
}

/**
 * A condition that is true for owners that count as producers. It reads the identities and confirmed addresses of this moment,
 * so that a count follows them at once, and cells hold owners of both kinds.
 * @param owner a column with its table: `owner_id` alone would be that of the identity
 */
export function isCounted(owner: `${string}.owner_id`, ownerProof: OwnerProof): string {
  return ownerProof === 'none'
    ? 'true'
    : `(exists (select from app.identities i where i.owner_id = ${owner})
        or exists (select from app.owners c where c.owner_id = ${owner} and c.email_confirmed_at is not null))`;
}

/** The owners for whom `isCounted` is true with `verified`. */
export const VERIFIED_OWNERS = `select owner_id from app.identities
  union select owner_id from app.owners where email_confirmed_at is not null`;
