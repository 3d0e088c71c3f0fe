import {
  ALL_PARTS,
  type Problem,
  type ProblemDetail,
  type RequestedLogin,
  suggestionWith,
} from '../../../../domain/problem.ts';

/** The body of every error (interface.md section 7). */
export interface Envelope {
  readonly error: {
    readonly code: string;
    readonly category: string;
    readonly message: string;
    readonly suggestion: string;
    readonly retry_after_seconds: number | null;
    readonly details?: readonly ProblemDetail[];
    readonly request_id: string;
  };
}

/** @param parts those of this service that a suggestion may name */
export function envelope(problem: Problem, requestId: string, parts = ALL_PARTS): Envelope {
  const { code, category, message, retry_after_seconds, details } = problem;
  return {
    error: {
      code,
      category,
      message,
      suggestion: suggestionWith(problem, parts),
      retry_after_seconds,
      ...(details ? { details } : {}),
      request_id: requestId,
    },
  };
}

export const CHALLENGE = 'Bearer realm="stancebook"';

/** The headers that a refusal needs in addition to the common ones, as name, value, name, value. */
export function refusalHeaders({ status, login, retry_after_seconds }: Problem): string[] {
  const headers: string[] = [];
  if (login) headers.push('www-authenticate', loginChallenge(login));
  else if (status === 401) headers.push('www-authenticate', CHALLENGE);
  if (retry_after_seconds !== null) headers.push('retry-after', String(retry_after_seconds));
  return headers;
}

/** RFC 9470, section 3: a client sends both values on in its next authorization request. */
function loginChallenge({ max_age, acr_values }: RequestedLogin): string {
  const age = max_age === undefined ? '' : `, max_age="${max_age}"`;
  const levels = acr_values.join(' ').replace(/["\\]/g, '\\$&');
  const level = levels === '' ? '' : `, acr_values="${levels}"`;
  return `${CHALLENGE}, error="insufficient_user_authentication"${age}${level}`;
}
