import { ACCOUNT } from './limits.ts';
/** The categories of refusal of interface.md section 7, by what a caller can do about them. */
export type ProblemCategory =
  | 'input_invalid'
  | 'auth_failed'
  | 'not_found'
  | 'quota_exceeded'
  | 'retryable'
  | 'service_degraded'
  | 'internal';

/** What a code means to the caller, whatever its cause. */
export interface ProblemKind {
  readonly category: ProblemCategory;
  readonly status: number;
  readonly suggestion: string;
  /** The other status that may be given when it is thrown. */
  readonly otherStatus?: number;
  /** Sent when the code that throws gives no better figure; null for other codes. */
  readonly retry_after_seconds?: number;
}

/** The table of errors (interface.md section 7, settled.md section 12). */
export const PROBLEMS = {
  MALFORMED_BODY: kind('input_invalid', 400, 'Send one well-formed JSON document in UTF-8.'),
  VALIDATION_ERROR: {
    ...kind('input_invalid', 400, 'Correct the fields named in error.details and send the request again.'),
    otherStatus: 422,
  },
  INVALID_SYMBOL: kind('input_invalid', 422, 'Send a ticker that is listed on the venue.'),
  ADMISSION_REJECTED: kind('input_invalid', 422, 'Correct what the message names and submit again.'),
  IDEMPOTENCY_KEY_REUSED: kind('input_invalid', 422, 'Send a new Idempotency-Key with a new body, or the first body.'),
  EMAIL_TAKEN: kind('input_invalid', 400, 'Log in with this address, or register another one.'),
  WEAK_PASSWORD: kind(
    'input_invalid',
    400,
    `Choose ${ACCOUNT.passwordMin} to ${ACCOUNT.passwordMax} characters that are not a common password.`,
  ),
  WORKFLOW_NOT_READY: kind('input_invalid', 400, 'Correct every failure of error.details, then publish again.'),
  CIRCUIT_NOT_WARMING: kind('input_invalid', 400, 'Wait until the circuit is warming; only then can it be resolved.'),
  UNKNOWN_LEGAL_VERSION: kind('input_invalid', 400, 'Send the versions that GET /api/v1/owner/legal-status lists.'),
  UNSUPPORTED_SCHEMA: kind('input_invalid', 400, 'Send a document of schema_version v1.'),
  METHOD_NOT_ALLOWED: kind('input_invalid', 405, 'Use one of the methods of the Allow header.'),
  REQUEST_TIMEOUT: kind('input_invalid', 408, 'Send the whole request within 30 seconds.'),
  PAYLOAD_TOO_LARGE: kind('input_invalid', 413, 'Send a smaller body.'),
  UNSUPPORTED_MEDIA_TYPE: kind('input_invalid', 415, 'Send the content type that the message names.'),
  HEADERS_TOO_LARGE: kind('input_invalid', 431, 'Send at most 16 KiB of headers.'),
  AUTHORIZATION_PENDING: kind('retryable', 400, 'Poll again after the interval; the user has not decided yet.'),
  SLOW_DOWN: kind('retryable', 400, 'Poll less often: the interval has grown by five seconds.'),
  ACCESS_DENIED: kind('auth_failed', 400, 'The user refused; start the device flow again to ask once more.'),
  EXPIRED_TOKEN: kind('auth_failed', 400, 'Start the device flow again; this code has expired.'),
  OAUTH_CALLBACK_ERROR: kind('auth_failed', 400, 'Start the login again at GET /api/v1/public/auth/idp.'),
  UNAUTHORIZED: kind('auth_failed', 401, 'Send a valid credential, for agents the header X-API-Key.'),
  INVALID_CREDENTIALS: kind('auth_failed', 401, 'Check the email address and the password.'),
  INVALID_STATE: kind('auth_failed', 401, 'Start the login again in the same browser.'),
  FORBIDDEN: kind('auth_failed', 403, 'Use a credential that is accepted here and has the permission.'),
  ADMIN_REQUIRED: kind('auth_failed', 403, 'Ask an operator; this area needs an owner with the role admin.'),
  KEY_UNBOUND: kind('auth_failed', 403, 'The owner creates a key for an agent: POST /api/v1/owner/auth/api-keys.'),
  PASSWORDLESS_ACCOUNT: kind('auth_failed', 403, 'Log in through the identity provider; this account has no password.'),
  NOT_OWNER: kind('auth_failed', 403, 'Fork the workflow to change a copy of your own.'),
  CROSS_ORIGIN_SESSION: kind(
    'auth_failed',
    403,
    'Send changes by session from pages of this service; a client that is no browser adds Sec-Fetch-Site: same-origin.',
  ),
  NOT_FOUND: kind('not_found', 404, 'Check the path and the identifier.'),
  VERSION_CONFLICT: kind('retryable', 409, 'Read the current version, apply the change to it and send it again.'),
  RECORD_BEING_EVALUATED: {
    ...kind('retryable', 409, 'The record is being evaluated; try again shortly.'),
    retry_after_seconds: 5,
  },
  STABLECOIN_CIRCUIT_OPEN: kind('service_degraded', 422, 'Submit an instrument that is quoted in USD.'),
  DAILY_QUOTA_EXCEEDED: kindWithWait('quota_exceeded', 429, 'Wait for the reset at 00:00 UTC.'),
  RETROACTIVE_QUOTA_EXCEEDED: kindWithWait('quota_exceeded', 429, 'Submit realtime decisions, or wait for 00:00 UTC.'),
  TIER_LIMIT_REACHED: kindWithWait(
    'quota_exceeded',
    429,
    'Remove what you no longer use, or ask the operator for a larger tier.',
  ),
  DUPLICATE_SUBMISSION: kindWithWait(
    'retryable',
    429,
    'Wait retry_after_seconds, or send another symbol or direction.',
  ),
  RATE_LIMIT_EXCEEDED: kindWithWait('retryable', 429, 'Wait retry_after_seconds, and spread the requests.'),
  SUBMIT_FREQUENCY_EXCEEDED: kindWithWait('retryable', 429, 'Wait for the next UTC hour.'),
  KEY_ISSUANCE_FAILED: kind(
    'internal',
    500,
    'The account exists: log in, then create a key: POST /api/v1/owner/auth/api-keys.',
  ),
  INTERNAL_ERROR: kind(
    'internal',
    500,
    'Try again later; if the error persists, report the request_id to the operator.',
  ),
  SERVICE_UNAVAILABLE: kindWithWait('retryable', 503, 'Wait retry_after_seconds, then send the same request again.'),
  OAUTH_NOT_CONFIGURED: kindWithWait(
    'service_degraded',
    503,
    'Log in with email and password; no identity provider is set up.',
  ),
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemCode = keyof typeof PROBLEMS;

/**
 * More faults than requests in good faith have. Only the first are returned, so that no reply is much larger than its
 * request.
 */
export const MOST_DETAILS = 200;

/** One fault of the input, or one fact behind the refusal; `path` names the field, with dots between levels. */
export interface ProblemDetail {
  readonly path: string;
  readonly message: string;
  readonly received?: unknown;
  readonly [fact: string]: unknown;
}

export interface ProblemOptions {
  readonly details?: readonly ProblemDetail[];
  readonly suggestion?: string;
  /** Whole seconds, at least 1 (larger fractions are rounded up). */
  readonly retry_after_seconds?: number;
  /** Only the table's `otherStatus`: 422 for a VALIDATION_ERROR about values. */
  readonly status?: number;
  /** The cause of a problem of category `internal`; for the log, never shown. */
  readonly cause?: unknown;
}

/**
 * A refusal, thrown anywhere and returned as the envelope of interface.md section 7. The caller sees the message: it
 * must not contain SQL, a stack, a secret or anything of another owner.
 * @throws RangeError for a status that the table does not allow for the code
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly category: ProblemCategory;
  readonly status: number;
  readonly suggestion: string;
  readonly retry_after_seconds: number | null;
  readonly details: readonly ProblemDetail[] | undefined;

  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, options);
    const { category, status, suggestion, otherStatus, retry_after_seconds }: ProblemKind = PROBLEMS[code];
    if (options.status !== undefined && options.status !== status && options.status !== otherStatus) {
      throw new RangeError(`${code} is never answered with ${options.status}`);
    }
    this.name = 'Problem';
    this.code = code;
    this.category = category;
    this.status = options.status ?? status;
    this.suggestion = options.suggestion ?? suggestion;
    this.retry_after_seconds = wholeSeconds(options.retry_after_seconds ?? retry_after_seconds);
    this.details = options.details?.slice(0, MOST_DETAILS);
  }
}

function kind(category: ProblemCategory, status: number, suggestion: string): ProblemKind {
  return { category, status, suggestion };
}

/** Every 429 and 503 says when to try again. */
function kindWithWait(category: ProblemCategory, status: 429 | 503, suggestion: string): ProblemKind {
  return { ...kind(category, status, suggestion), retry_after_seconds: status === 429 ? 60 : 5 };
}

function wholeSeconds(seconds: number | undefined): number | null {
  return seconds === undefined ? null : Math.max(1, Math.ceil(seconds));
}
