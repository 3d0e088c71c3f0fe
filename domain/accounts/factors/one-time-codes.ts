/** The codes of authenticator apps (TOTP, RFC 6238): SHA-1, 6 digits, a step of 30 seconds. */
export interface OneTimeCodes {
  /** A new random secret of 160 bits, in base 32. */
  newSecret(): string;

  /** The address by which an app takes the secret over; a page draws it as a QR code. */
  uri(secret: string, account: string): string;

  /**
   * The step of the code: that of the time `at`, or one of `TOTP.drift` steps around it (RFC 6238, section 5.2); null for
   * a wrong code.
   */
  stepOf(secret: string, code: string, at: Date): number | null;
}
