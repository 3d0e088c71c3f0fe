import type { Refusal, RefusalDetail } from './errors.ts';
import { retryAfterOf } from './waits.ts';

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
