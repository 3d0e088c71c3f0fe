/** Every error that the client throws by itself. No message contains a key. */
export class StancebookError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The call is wrong: nothing was sent. */
export class UsageError extends StancebookError {}

/** No whole reply came in any attempt. It is unknown whether the last request was carried out. */
export class ConnectionFailedError extends StancebookError {
  /** The key of the submission, to send it again without making a second record; null for other requests. */
  readonly idempotencyKey: string | null;

  constructor(message: string, idempotencyKey: string | null, cause: unknown) {
    super(message, { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** The timeout would end before the next read. */
export class OutcomePendingError extends StancebookError {
  /** The newest state; null where none was read, or where a receipt is waited for. */
  readonly state: object | null;

  constructor(message: string, state: object | null) {
    super(message);
    this.state = state;
  }
}

/** Only an operator can change the state: waiting ends without an outcome. */
export class OutcomeUnavailableError extends StancebookError {
  readonly state: object;

  constructor(message: string, state: object) {
    super(message);
    this.state = state;
  }
}

/** What the service says about a refusal (interface.md section 7). */
export interface Refusal {
  /** `HTTP_` and the status where the reply had no envelope; `UNEXPECTED_REPLY` where a reply makes no sense. */
  readonly code: string;
  readonly category: string;
  readonly status: number;
  readonly message: string;
  readonly suggestion: string;
  /** Null where no wait ends the refusal. */
  readonly retryAfterSeconds: number | null;
  readonly details: readonly RefusalDetail[];
  readonly requestId: string | null;
}

/** One fault of the input, or one fact behind the refusal. */
export interface RefusalDetail {
  readonly path: string;
  readonly message: string;
  readonly received?: unknown;
  readonly [fact: string]: unknown;
}

/** The service refused. Each category has a class. */
export class RefusedError extends StancebookError implements Refusal {
  readonly code: string;
  readonly category: string;
  readonly status: number;
  readonly suggestion: string;
  readonly retryAfterSeconds: number | null;
  readonly details: readonly RefusalDetail[];
  readonly requestId: string | null;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.code = refusal.code;
    this.category = refusal.category;
    this.status = refusal.status;
    this.suggestion = refusal.suggestion;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
    this.details = refusal.details;
    this.requestId = refusal.requestId;
  }
}

/** Correct the request. */
export class InputInvalidError extends RefusedError {}

/** Send another credential. */
export class AuthFailedError extends RefusedError {}

/** There is no such thing, or the caller may not see it. */
export class NotFoundError extends RefusedError {}

/** A quota is used up: the same request works after `retryAfterSeconds`, or never without another limit. */
export class QuotaExceededError extends RefusedError {}

/** A wait of `retryAfterSeconds` ends the refusal. */
export class RetryableError extends RefusedError {}

/** A part of the service is not available. */
export class ServiceDegradedError extends RefusedError {}

/** A fault of the service, or a reply that is not one of it. */
export class InternalError extends RefusedError {}

const CLASSES: Readonly<Record<string, new (refusal: Refusal) => RefusedError>> = {
  input_invalid: InputInvalidError,
  auth_failed: AuthFailedError,
  not_found: NotFoundError,
  quota_exceeded: QuotaExceededError,
  retryable: RetryableError,
  service_degraded: ServiceDegradedError,
};

/** The error of the refusal's category; `InternalError` for categories that this client does not know. */
export function errorOf(refusal: Refusal): RefusedError {
  const kind = Object.hasOwn(CLASSES, refusal.category) ? CLASSES[refusal.category] : undefined;
  return new (kind ?? InternalError)(refusal);
}

/** A reply that the interface does not allow. */
export function unexpectedReply(status: number, message: string, requestId: string | null = null): InternalError {
  const suggestion = 'Check that the address is that of a Stancebook service, and that nothing answers in its place.';
  const facts = { retryAfterSeconds: null, details: [], requestId };
  return new InternalError({ code: 'UNEXPECTED_REPLY', category: 'internal', status, message, suggestion, ...facts });
}
