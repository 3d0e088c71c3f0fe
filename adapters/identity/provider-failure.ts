/** The provider gave no answer, or one that it must not give. The caller is never told more than that. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** A word for operators, such as `timeout`, `issuer_mismatch` or `invalid_grant`. */
  readonly code: string;

  constructor(code: string, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}
