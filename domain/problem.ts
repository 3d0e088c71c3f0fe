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

/** Parts of the service that its operator may leave out; a suggestion names only parts that are there. */
export type OptionalPart = 'mail' | 'provider';

/** The suggestions where a part is missing that the usual suggestion names. */
export type SuggestionWithout = Readonly<Partial<Record<OptionalPart, string>>>;

/** What a code means to the caller, whatever its cause. */
export interface ProblemKind {
  readonly category: ProblemCategory;
  readonly status: number;
  readonly suggestion: string;
  readonly without?: SuggestionWithout;
  /** The other status that may be given when it is thrown. */
  readonly otherStatus?: number;
  /**
   * Seconds until a retry may succeed, when the code that throws has no better figure. Null if no wait of known length
   * ends the refusal: `retry_after_seconds` is then null and Retry-After is not sent (settled.md section 14).
   */
  readonly wait: number | null;
}

/** The table of errors (interface.md section 7, settled.md section 12). */
export const PROBLEMS = {
  MALFORMED_BODY: lasting('input_invalid', 400, 'Send one well-formed JSON document in UTF-8.'),
  VALIDATION_ERROR: {
    ...lasting('input_invalid', 400, 'Correct the fields named in error.details and send the request again.'),
    otherStatus: 422,
  },
  INVALID_SYMBOL: lasting('input_invalid', 422, 'Send a ticker that is listed on the venue.'),
  ADMISSION_REJECTED: lasting('input_invalid', 422, 'Correct what the message names and submit again.'),
  IDEMPOTENCY_KEY_REUSED: lasting(
    'input_invalid',
    422,
    'Send a new Idempotency-Key with a new body, or the first body.',
  ),
  EMAIL_TAKEN: lasting('input_invalid', 400, 'Log in with this address, or register another one.'),
  WEAK_PASSWORD: lasting(
    'input_invalid',
    400,
    `Choose ${ACCOUNT.passwordMin} to ${ACCOUNT.passwordMax} characters that are not a common password.`,
  ),
  WORKFLOW_NOT_READY: lasting('input_invalid', 400, 'Correct every failure of error.details, then publish again.'),
  CIRCUIT_NOT_WARMING: lasting(
    'input_invalid',
    400,
    'Wait until the circuit is warming: the coin has then held its peg for a day, and it can be resolved.',
  ),
  UNKNOWN_LEGAL_VERSION: lasting('input_invalid', 400, 'Send the versions that GET /api/v1/owner/legal-status lists.'),
  UNSUPPORTED_SCHEMA: lasting('input_invalid', 400, 'Send a document of schema_version v1.'),
  METHOD_NOT_ALLOWED: lasting('input_invalid', 405, 'Use one of the methods of the Allow header.'),
  REQUEST_TIMEOUT: lasting('input_invalid', 408, 'Send the whole request within 30 seconds.'),
  PAYLOAD_TOO_LARGE: lasting('input_invalid', 413, 'Send a smaller body.'),
  UNSUPPORTED_MEDIA_TYPE: lasting('input_invalid', 415, 'Send the content type that the message names.'),
  MISDIRECTED_REQUEST: lasting('input_invalid', 421, 'Send the request to the public address of the service.'),
  HEADERS_TOO_LARGE: lasting('input_invalid', 431, 'Send at most 16 KiB of headers.'),
  AUTHORIZATION_PENDING: passing('retryable', 400, 5, 'Poll again after the interval; the user has not decided yet.'),
  SLOW_DOWN: passing('retryable', 400, 5, 'Poll less often: the interval has grown by five seconds.'),
  ACCESS_DENIED: lasting('auth_failed', 400, 'The user refused; start the device flow again to ask once more.'),
  EXPIRED_TOKEN: lasting('auth_failed', 400, 'Start the device flow again; this code has expired.'),
  OAUTH_CALLBACK_ERROR: lasting('auth_failed', 400, 'Start the login again at GET /api/v1/public/auth/idp.'),
  UNAUTHORIZED: lasting('auth_failed', 401, 'Send a valid credential, for agents the header X-API-Key.'),
  KEY_EXPIRED: lasting(
    'auth_failed',
    401,
    'The owner rotates the key or creates another one: POST /api/v1/owner/auth/api-keys/{key_prefix}/rotate.',
  ),
  INVALID_CREDENTIALS: lasting('auth_failed', 401, 'Check the email address and the password.'),
  LINK_INVALID: {
    ...lasting(
      'auth_failed',
      400,
      'Ask for another link: POST /api/v1/public/auth/password-reset, or POST /api/v1/owner/auth/email/confirmation.',
    ),
    without: { mail: 'Ask the operator for another link; no mail is set up here.' },
  },
  REAUTHENTICATION_REQUIRED: lasting(
    'auth_failed',
    401,
    'Log in again: POST /api/v1/owner/auth/reauthenticate; then repeat the request with the new cookie.',
  ),
  SECOND_FACTOR_REQUIRED: lasting(
    'auth_failed',
    401,
    'Send the same request with `totp`, the code of your authenticator app, or with `recovery_code`; with a passkey ' +
      'begin at POST /api/v1/public/auth/passkey/options.',
  ),
  INVALID_STATE: lasting('auth_failed', 401, 'Start the login again in the same browser.'),
  FORBIDDEN: lasting('auth_failed', 403, 'Use a credential that is accepted here and has the permission.'),
  ADMIN_REQUIRED: lasting('auth_failed', 403, 'Ask an operator; this area needs an owner with the role admin.'),
  FACTOR_REQUIRED: lasting(
    'auth_failed',
    403,
    'Add a second factor: POST /api/v1/owner/auth/factors/totp, or a passkey; then repeat the request with the new cookie.',
  ),
  KEY_UNBOUND: lasting('auth_failed', 403, 'The owner creates a key for an agent: POST /api/v1/owner/auth/api-keys.'),
  KEY_NETWORK_REFUSED: lasting(
    'auth_failed',
    403,
    'Send it from an allowed network; the owner changes allowed_networks: PATCH /api/v1/owner/auth/api-keys/{key_prefix}.',
  ),
  PASSWORDLESS_ACCOUNT: {
    ...lasting('auth_failed', 403, 'Log in through the identity provider; this account has no password.'),
    without: { provider: 'Ask the operator: no identity provider is set up here, and this account has no password.' },
  },
  ACCOUNT_SUSPENDED: lasting(
    'auth_failed',
    403,
    'Ask the operator; the records stay as they are, and the keys return at the end of the suspension.',
  ),
  NOT_OWNER: lasting('auth_failed', 403, 'Fork the workflow to change a copy of your own.'),
  CROSS_ORIGIN_SESSION: lasting(
    'auth_failed',
    403,
    'Send changes by session from pages of this service; a client that is no browser adds Sec-Fetch-Site: same-origin.',
  ),
  NOT_FOUND: lasting('not_found', 404, 'Check the path and the identifier.'),
  NOT_LOGGED_YET: passing(
    'retryable',
    404,
    30,
    'Wait retry_after_seconds; records and plans are logged within 5 minutes.',
  ),
  AGENT_ARCHIVED: lasting(
    'input_invalid',
    409,
    'Bring it back: POST /api/v1/owner/agents/{agent_id}/restore; or name another agent.',
  ),
  ERASURE_SCHEDULED: lasting(
    'input_invalid',
    409,
    'To go on using the account, take the erasure back: DELETE /api/v1/owner/erasure.',
  ),
  AGENT_HAS_RECORDS: lasting(
    'input_invalid',
    409,
    'Archive it: POST /api/v1/owner/agents/{agent_id}/archive. Its records stay.',
  ),
  VERSION_CONFLICT: lasting('retryable', 409, 'Read the current version, apply the change to it and send it again.'),
  RECORD_BEING_EVALUATED: passing('retryable', 409, 5, 'The record is being evaluated; try again shortly.'),
  RECORD_OPEN: passing(
    'retryable',
    409,
    60,
    'Write the note once the record is graded: before, it would be a second, unsealed statement.',
  ),
  STABLECOIN_CIRCUIT_OPEN: lasting('service_degraded', 422, 'Submit an instrument that is quoted in USD.'),
  DAILY_QUOTA_EXCEEDED: passing('quota_exceeded', 429, 60, 'Wait for the reset at 00:00 UTC.'),
  RETROACTIVE_QUOTA_EXCEEDED: passing('quota_exceeded', 429, 60, 'Submit realtime decisions, or wait for 00:00 UTC.'),
  TIER_LIMIT_REACHED: lasting(
    'quota_exceeded',
    429,
    'Remove what you no longer use, or ask the operator for a larger tier.',
  ),
  DUPLICATE_SUBMISSION: passing('retryable', 429, 60, 'Wait retry_after_seconds, or send another symbol or direction.'),
  RATE_LIMIT_EXCEEDED: passing('retryable', 429, 60, 'Wait retry_after_seconds, and spread the requests.'),
  SUBMIT_FREQUENCY_EXCEEDED: passing('retryable', 429, 60, 'Wait for the next UTC hour.'),
  KEY_ISSUANCE_FAILED: lasting(
    'internal',
    500,
    'The account exists: log in, then create a key: POST /api/v1/owner/auth/api-keys.',
  ),
  INTERNAL_ERROR: lasting(
    'internal',
    500,
    'Try again later; if the error persists, report the request_id to the operator.',
  ),
  SERVICE_UNAVAILABLE: passing('retryable', 503, 5, 'Wait retry_after_seconds, then send the same request again.'),
  OAUTH_NOT_CONFIGURED: lasting(
    'service_degraded',
    503,
    'Log in with email and password; no identity provider is set up.',
  ),
  RECORD_UNREADABLE: lasting(
    'service_degraded',
    503,
    'Ask the operator to repair the record; a repeated request does not help.',
  ),
  BACKUP_NOT_CONFIGURED: lasting(
    'service_degraded',
    503,
    'Run `npm run admin -- backup DIR` on a machine that has pg_dump; with BACKUP_DIR the service does the same.',
  ),
  MAIL_NOT_CONFIGURED: lasting(
    'service_degraded',
    503,
    'Ask the operator: `npm run admin -- reset-password OWNER --link` makes a link that resets a password.',
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

/** What the login of another access token has to prove (RFC 9470, section 3), where that would end the refusal. */
export interface RequestedLogin {
  /** How long ago it may be, in whole seconds; absent: any age. */
  readonly max_age?: number;
  /** Values of `acr`, one of which it has; empty: any. */
  readonly acr_values: readonly string[];
}

export interface ProblemOptions {
  readonly details?: readonly ProblemDetail[];
  readonly suggestion?: string;
  /** With a suggestion that names parts that may be missing. */
  readonly without?: SuggestionWithout;
  /** Whole seconds, at least 1 (larger fractions are rounded up); only for codes that a wait ends. Null: none ends it. */
  readonly retry_after_seconds?: number | null;
  /** Only the table's `otherStatus`: 422 for a VALIDATION_ERROR about values. */
  readonly status?: number;
  /** For a bearer token that is valid but of too old or too weak a login. */
  readonly login?: RequestedLogin;
  /** The cause of a problem of category `internal`; for the log, never shown. */
  readonly cause?: unknown;
}

/**
 * A refusal, thrown anywhere and returned as the envelope of interface.md section 7. The caller sees the message: it
 * must not contain SQL, a stack, a secret or anything of another owner.
 * @throws RangeError for a status that the table does not allow for the code, or a retry time of a code without wait
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly category: ProblemCategory;
  readonly status: number;
  readonly suggestion: string;
  readonly without: SuggestionWithout;
  readonly retry_after_seconds: number | null;
  readonly details: readonly ProblemDetail[] | undefined;
  readonly login: RequestedLogin | undefined;

  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, options);
    const { category, status, suggestion, without = {}, otherStatus, wait }: ProblemKind = PROBLEMS[code];
    if (options.status !== undefined && options.status !== status && options.status !== otherStatus) {
      throw new RangeError(`${code} is never answered with ${options.status}`);
    }
    const { retry_after_seconds = wait } = options;
    if (retry_after_seconds !== null && wait === null) throw new RangeError(`No wait ends ${code}`);
    this.name = 'Problem';
    this.code = code;
    this.category = category;
    this.status = options.status ?? status;
    this.suggestion = options.suggestion ?? suggestion;
    this.without = options.without ?? (options.suggestion === undefined ? without : {});
    this.retry_after_seconds = wholeSeconds(retry_after_seconds);
    this.login = options.login;
    this.details = options.details?.slice(0, MOST_DETAILS);
  }
}

/** The suggestion where only these parts are set up. */
export function suggestionWith({ suggestion, without }: Problem, parts: ReadonlySet<OptionalPart>): string {
  const missing = (Object.keys(without) as OptionalPart[]).find((part) => !parts.has(part));
  return (missing && without[missing]) ?? suggestion;
}

/** Every part. */
export const ALL_PARTS: ReadonlySet<OptionalPart> = new Set(['mail', 'provider']);

/** Only another request, or a person, ends it; or a wait does whose length nobody knows. */
function lasting(category: ProblemCategory, status: number, suggestion: string): ProblemKind {
  return { category, status, wait: null, suggestion };
}

/** The end of a window, a lock, a lease, a load or an outage ends it. */
function passing(category: ProblemCategory, status: number, wait: number, suggestion: string): ProblemKind {
  return { category, status, wait, suggestion };
}

function wholeSeconds(seconds: number | null): number | null {
  return seconds === null ? null : Math.max(1, Math.ceil(seconds));
}
