import { type Limits, PLAN } from '../limits.ts';

/** What accounts cause to be kept for ever outside of submissions: what does not expire and is not bounded by its number. */
export type KeptKind = 'publication' | 'acceptance' | 'account_change' | 'plan';

/** Rows, and bytes of what callers send in them. */
export interface KeptAmount {
  readonly rows: number;
  readonly bytes: number;
}

/** Something that a transaction keeps for ever. */
export interface Keeping extends KeptAmount {
  readonly kind: KeptKind;
  /** Whom it counts against, in the order in which they are judged. */
  readonly subjects: readonly KeptSubject[];
}

export interface KeptSubject {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** What the subject may keep of the kind in a UTC day. */
  readonly most: KeptAmount;
}

/** The limit of the first subject that the keeping passes, and what that subject has kept of the kind today. */
export interface KeptRefusal {
  readonly subject: KeptSubject;
  readonly used: KeptAmount;
  readonly at: Date;
}

/** Counts what is kept for ever by UTC days of the database's clock. */
export interface KeptStore {
  /**
   * Counts it against every subject, or against none and returns the refusal: concurrent calls together never pass a limit,
   * on any number of processes. In a transaction that throws nothing is counted. A clock that is set back opens no day
   * that has been forgotten. The last call of its transaction, so that
   * no two transactions wait for each other. `AdmissionDesk.prune` removes old days.
   */
  keep(keeping: Keeping): Promise<KeptRefusal | null>;
}

/** What an owner may keep of a kind in a UTC day. Texts of kinds without bytes have a greatest length (docs/limits.md). */
export function mostOfOwner(kind: KeptKind, limits: Limits): KeptAmount {
  switch (kind) {
    case 'publication':
      return { rows: limits.publicationsPerDay, bytes: limits.publishedBytesPerDay };
    case 'acceptance':
      return { rows: limits.acceptancesPerDay, bytes: 0 };
    case 'account_change':
      return { rows: limits.accountChangesPerDay, bytes: 0 };
    case 'plan':
      return { rows: PLAN.perDay, bytes: PLAN.perDay * PLAN.bodyBytes };
  }
}

/** The same of the network that its requests come from. */
export function mostOfNetwork(kind: KeptKind, limits: Limits): KeptAmount {
  const { rows, bytes } = mostOfOwner(kind, limits);
  return { rows: rows * limits.keptOwnersPerNetwork, bytes: bytes * limits.keptOwnersPerNetwork };
}

/** The count after the amount is kept; null where that passes the limit. */
export function keptAfter(used: KeptAmount, more: KeptAmount, most: KeptAmount): KeptAmount | null {
  const after = { rows: used.rows + more.rows, bytes: used.bytes + more.bytes };
  return after.rows <= most.rows && after.bytes <= most.bytes ? after : null;
}
