import { Problem } from '../../domain/problem.ts';

/** The provider gave no reply or an invalid one. Callers never learn more than that. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** A word for operators, such as `timeout`, `issuer_mismatch` or `invalid_grant`. */
  readonly code: string;

  constructor(code: string, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

export type ReportFailure = (failure: ProviderFailure) => void;

/**
 * Turns the provider's failures into a refusal and reports each failure once, even when it fails many requests. Other
 * errors are not changed.
 */
export function refusingFailures(report: ReportFailure) {
  const reported = new WeakSet<ProviderFailure>();
  return (code: 'SERVICE_UNAVAILABLE' | 'OAUTH_CALLBACK_ERROR', message: string) =>
    (error: unknown): never => {
      if (!(error instanceof ProviderFailure)) throw error;
      if (!reported.has(error)) report(error);
      reported.add(error);
      throw new Problem(code, message);
    };
}
