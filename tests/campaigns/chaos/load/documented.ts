import { ALWAYS_SENT } from '../../../../adapters/http/kit/reply/headers.ts';

/** The category of each code that a fault can cause (interface.md section 7, settled.md section 12). */
const CATEGORIES: Readonly<Record<string, string>> = {
  SERVICE_UNAVAILABLE: 'retryable',
  RATE_LIMIT_EXCEEDED: 'retryable',
  DUPLICATE_SUBMISSION: 'retryable',
  SUBMIT_FREQUENCY_EXCEEDED: 'retryable',
  VERSION_CONFLICT: 'retryable',
  RECORD_BEING_EVALUATED: 'retryable',
  DAILY_QUOTA_EXCEEDED: 'quota_exceeded',
  RETROACTIVE_QUOTA_EXCEEDED: 'quota_exceeded',
  IDEMPOTENCY_KEY_REUSED: 'input_invalid',
  UNAUTHORIZED: 'auth_failed',
  NOT_FOUND: 'not_found',
};

/** Replies that every request may get at any time. */
const ALWAYS = ['429 RATE_LIMIT_EXCEEDED', '503 SERVICE_UNAVAILABLE'];

interface ReceivedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: the checks verify its form.
  readonly body: any;
}

/** The faults of a reply. `name` is its status, with its code if it is an error. */
export function faultsOfReply(
  right: readonly string[],
  name: string,
  { status, headers, body }: ReceivedReply,
): string[] {
  const missing = ALWAYS_SENT.filter((header) => headers[header] === undefined);
  return [
    ...([...right, ...ALWAYS].includes(name) ? [] : [`${name} is not one of ${right.join(', ')}`]),
    ...missing.map((header) => `${name} has no ${header}`),
    ...(status < 400 ? [] : envelopeFaults(status, headers, body?.error ?? {}).map((fault) => `${name}: ${fault}`)),
  ];
}

function envelopeFaults(
  status: number,
  headers: Readonly<Record<string, string>>,
  { code, category, message, suggestion, retry_after_seconds, request_id }: Readonly<Record<string, unknown>>,
): string[] {
  const retry = status === 429 || status === 503;
  const seconds = Number(retry_after_seconds);
  return [
    ...(CATEGORIES[String(code)] === category ? [] : [`its category is ${category}`]),
    ...(typeof message === 'string' && message !== '' ? [] : ['it has no message']),
    ...(typeof suggestion === 'string' && suggestion !== '' ? [] : ['it has no suggestion']),
    ...(request_id === headers['x-request-id'] ? [] : ['its request_id differs from the header']),
    ...(!retry || (Number.isInteger(seconds) && seconds >= 1) ? [] : [`retry_after_seconds is ${retry_after_seconds}`]),
    ...(!retry || headers['retry-after'] === String(retry_after_seconds)
      ? []
      : ['retry-after differs from that of the body']),
  ];
}
