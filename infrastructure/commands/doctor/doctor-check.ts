/** The result of one check of `doctor`. */
export interface DoctorCheck {
  readonly check: string;
  readonly state: 'ok' | 'failed';
  readonly found: string;
  /** What the operator can do; null for a check that is ok. */
  readonly advice: string | null;
}

export function ok(check: string, found: string): DoctorCheck {
  return { check, state: 'ok', found, advice: null };
}

export function failed(check: string, found: string, advice: string): DoctorCheck {
  return { check, state: 'failed', found, advice };
}
