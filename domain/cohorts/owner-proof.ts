/**
 * Which owners count as producers: all of them, or those whom an identity provider verified or who confirmed the address of
 * their account. It is judged at the moment
 * of each query, and no reply shows whether an owner is verified.
 */
export const OWNER_PROOFS = ['none', 'verified'] as const;
export type OwnerProof = (typeof OWNER_PROOFS)[number];
