import type { Refusal, RefusalDetail } from './errors.ts';

/** Seconds; the longest wait between two attempts of which the service says nothing. */
const LONGEST_BACKOFF = 30;

/** Seconds before the first repetition, at most. */
const FIRST_BACKOFF = 0.5;

/**
 * The seconds that `Retry-After` names, as a number or as a date. Null where it is missing, unreadable or over.
 * @param now by the own clock, in milliseconds; it counts where the reply has no `Date`
 */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - serverTimeOf(headers, now)) / 1_000;
  return seconds > 0 ? seconds : null;
}

/** The time of the reply by its `Date`, else by the own clock; in milliseconds. */
export function serverTimeOf(headers: Headers, now: number): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? now : date;
}

/** The seconds that the service names, and a jitter of up to a second or a tenth, whichever is more. */
export function spreadWait(seconds: number, random: () => number): number {
  return seconds + random() * Math.max(1, seconds / 10);
}

/**
 * Between half and all of 0.5, 1, 2, 4 ... 30 seconds.
 * @param failures how many attempts have failed, from 1
 */
export function backoff(failures: number, random: () => number): number {
  const longest = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (failures - 1));
  return longest * (0.5 + random() / 2);
}

/** More milliseconds than this make setTimeout return at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Sleeps; rejects with the reason of the signal when that aborts. */
export async function sleepFor(seconds: number, signal?: AbortSignal): Promise<void> {
  for (let left = seconds * 1_000; left > 0; left -= LONGEST_TIMER) {
    await timer(Math.min(left, LONGEST_TIMER), signal);
  }
}

function timer(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timeout);
      reject(signal?.reason);
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** A whole reply. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * The refusal that a reply of 400 and above contains; one by its status where it has no envelope, as the replies of
 * proxies have none.
 * @param now by the own clock, in milliseconds
 */
export function refusalOf({ status, headers, text }: Reply, now: number): Refusal {
  const error = envelopeIn(text);
  const wait = retryAfterOf(headers, now);
  const retryAfterSeconds = numberOf(error?.retry_after_seconds) ?? (wait === null ? null : Math.ceil(wait));
  const requestId = textOf(error?.request_id) ?? headers.get('x-request-id');
  return {
    code: textOf(error?.code) ?? `HTTP_${status}`,
    category: textOf(error?.category) ?? categoryOf(status),
    status,
    message: textOf(error?.message) ?? `The reply has the status ${status} and is not one of the service.`,
    suggestion: textOf(error?.suggestion) ?? '',
    retryAfterSeconds,
    details: Array.isArray(error?.details) ? (error.details as readonly RefusalDetail[]) : [],
    requestId,
  };
}

function envelopeIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const { error } = JSON.parse(text) as { readonly error?: Readonly<Record<string, unknown>> };
    return typeof error === 'object' && textOf(error?.code) !== null ? error : null;
  } catch {
    return null;
  }
}

function categoryOf(status: number): string {
  if (status === 401 || status === 403) return 'auth_failed';
  if (status === 404) return 'not_found';
  if ([408, 429, 502, 503, 504].includes(status)) return 'retryable';
  return status < 500 ? 'input_invalid' : 'internal';
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
