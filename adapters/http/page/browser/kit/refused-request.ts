import { counted } from './value-texts.ts';

/**
 * Seconds. Somebody waits about so long without turning to something else (J. Nielsen, "Usability Engineering", 1993); a
 * view that loads later would change under a reader who reads another part of it.
 */
const LONGEST_WAIT = 10;

/** In a row. What is refused more often is not refused for a moment, and the reader decides. */
const MOST = 3;

/** One fault of a request, as `error.details` names it. */
export interface WireFault {
  /** The member of the body or the parameter, such as `email`. */
  readonly path: string;
  readonly message: string;
  /** Where it is in a text that was sent, from 1. */
  readonly line?: number;
  readonly column?: number;
}

interface Refusal {
  readonly status: number;
  readonly code?: string;
  readonly message: string;
  readonly suggestion: string;
  readonly faults?: readonly WireFault[];
  readonly wait?: number | null;
  readonly isReading?: boolean;
}

/** The refusal of a request by the service; status 0: the service could not be reached. */
export class RefusedRequest extends Error {
  readonly status: number;
  readonly code: string;
  readonly suggestion: string;
  readonly faults: readonly WireFault[];
  /** Seconds until a retry may succeed, if the service says so. */
  readonly wait: number | null;
  /** Whether it only read, so that it may be sent again by itself. */
  readonly isReading: boolean;

  constructor({ status, code = '', message, suggestion, faults = [], wait = null, isReading = false }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.suggestion = suggestion;
    this.faults = faults;
    this.wait = wait;
    this.isReading = isReading;
  }
}

interface WireError {
  readonly code?: string;
  readonly message?: string;
  readonly suggestion?: string;
  readonly retry_after_seconds?: number | null;
  readonly request_id?: string;
  readonly details?: readonly WireFault[];
}

/** The refusal that a reply contains; also of a reply that is not the service's own. @param method of the request */
export async function refusalOf(response: Response, method: string): Promise<RefusedRequest> {
  const { error = {} } = (await response.json().catch(() => ({}))) as { readonly error?: WireError };
  const { status } = response;
  const {
    code = '',
    message = `The service answered ${status}.`,
    suggestion: next = 'Try again in a moment.',
    retry_after_seconds: wait = secondsIn(response.headers.get('retry-after')),
    request_id,
    details = [],
  } = error;
  const suggestion = wait
    ? `Try again in ${counted(wait, 'second')}.`
    : status === 500 && request_id
      ? `${next} The request_id is ${request_id}.`
      : next;
  return new RefusedRequest({ status, code, message, suggestion, wait, faults: details, isReading: method === 'GET' });
}

/** What a proxy in front of the service says, where it names seconds. */
function secondsIn(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null;
}

/** The reason why there is nothing to show, and what the reader can do. */
export function refusalWords(error: unknown): string {
  return error instanceof RefusedRequest ? `${error.message} ${error.suggestion}` : 'Load the page again.';
}

/**
 * Seconds after which the page reads again by itself what was refused for a moment; null where the reader decides. What
 * a person sent is never sent again.
 * @param attempt how often the page has read it again by itself since the reader last asked for it
 */
export function ownRetryAfter(error: unknown, attempt: number): number | null {
  if (!(error instanceof RefusedRequest) || !error.isReading) return null;
  const { status, wait } = error;
  if (wait === null || wait > LONGEST_WAIT || attempt >= MOST) return null;
  return status === 429 || status === 503 ? Math.max(wait, 1) : null;
}
