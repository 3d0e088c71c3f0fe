/**
 * A person as the identity provider knows them. An owner is linked to it by both parts, compared byte for byte, and
 * never by an email address, which providers reassign (settled.md section 8).
 */
export interface Identity {
  readonly issuer: string;
  /**
   * The provider's own name for the person: 1 to 255 visible ASCII characters or spaces (OpenID Connect Core, section
   * 2).
   */
  readonly subject: string;
}

/** An identity that the provider has just proved. */
export interface ProvenIdentity {
  readonly identity: Identity;
  /** When the person last logged in at the provider; null where the provider does not say. */
  readonly authenticated_at: Date | null;
  /** The name of the person's session at the provider; null where the provider names none. */
  readonly provider_session: string | null;
  /** Whether the provider says that the person proved more than a password, by `amr` or an `acr` that the operator names. */
  readonly has_factor: boolean;
}

/** Whether the text can be a subject. */
export function isSubject(text: unknown): text is string {
  return typeof text === 'string' && /^[\x20-\x7e]{1,255}$/.test(text);
}
