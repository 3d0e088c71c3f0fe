import { NO_REPLY } from '../../domain/market/source-health.ts';
import { MINUTE, type Millis, SECOND } from '../../domain/time.ts';
import { AskedTooOften, MalformedAnswer } from './candles.ts';

/** A status that is no answer to the question. */
export class UnwantedStatus extends Error {
  override readonly name = 'UnwantedStatus';
  readonly status: number;
  readonly retryAfter: Millis | null;

  constructor(status: number, retryAfter: Millis | null) {
    super(String(status));
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Request timeout, too early, too many requests, and the ban that follows them (418). */
const PASSING: ReadonlySet<number> = new Set([408, 418, 425, 429]);

/** Bybit's address limit and Binance's firewall answer 403, and ask for a pause of ten minutes. */
const SHUT_OUT = 10 * MINUTE;

export interface TextReply {
  readonly status: number;
  /** How long the answer asks to wait before the next request; null where it says nothing. */
  readonly retryAfter: Millis | null;
  readonly text: string;
}

/** No answer came through. */
export class NetworkFailure extends Error {
  override readonly name = 'NetworkFailure';
  /** A word such as `ECONNREFUSED`, `timeout` or `too_large`. */
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** The largest answer that is documented anywhere, a list of all contracts, has 2 MB. */
const LARGEST = 16 * 1024 * 1024;

/** The answer to a GET, whatever its status, within the deadline and 16 MiB; redirects are not followed. */
export async function fetchText(
  address: string,
  deadline: Millis,
  headers: Readonly<Record<string, string>> = {},
): Promise<TextReply> {
  try {
    const response = await fetch(address, {
      headers: { accept: 'application/json', 'user-agent': 'stancebook', ...headers },
      redirect: 'error',
      signal: AbortSignal.timeout(deadline),
    });
    const text = await textOf(response);
    return { status: response.status, retryAfter: retryAfterOf(response.headers), text };
  } catch (error) {
    throw error instanceof NetworkFailure ? error : new NetworkFailure(codeOf(error));
  }
}

/** Counted after decompression, so that a small answer cannot unfold into a large one. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > LARGEST) throw new NetworkFailure('too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Seconds or an HTTP date; longer than an hour is tried again after one. */
function retryAfterOf(headers: Headers): Millis | null {
  const sent = headers.get('retry-after');
  if (sent === null) return null;
  const wait = /^\d{1,9}$/.test(sent) ? Number(sent) * SECOND : Date.parse(sent) - Date.now();
  return Number.isNaN(wait) ? null : Math.min(Math.max(0, wait), LONGEST_WAIT);
}

const LONGEST_WAIT = 3_600 * SECOND;

function codeOf(error: unknown): string {
  const { name, code, cause } = error as { readonly name?: string; readonly code?: unknown; readonly cause?: unknown };
  if (name === 'TimeoutError') return 'timeout';
  const inner = (cause as { readonly code?: unknown } | undefined)?.code ?? code;
  return typeof inner === 'string' ? inner : 'network';
}

/** Why a request brought nothing. */
export interface Failure {
  /** Completes "the source ...". */
  readonly reason: string;
  readonly status?: number;
  readonly code?: string;
  /** Whether asking again soon may help. */
  readonly passing: boolean;
  /** How long a pause the source asked for. */
  readonly retryAfter: Millis | null;
}

/** null for an error that neither the network nor the source has made. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof NetworkFailure) {
    const { code } = error;
    return { reason: `${NO_REPLY}${code}`, code, passing: code !== 'too_large', retryAfter: null };
  }
  if (error instanceof UnwantedStatus) {
    const { status, retryAfter } = error;
    const passing = status >= 500 || PASSING.has(status);
    const wait = status === 403 ? SHUT_OUT : null;
    return { reason: `answered ${status}`, status, passing, retryAfter: retryAfter ?? wait };
  }
  if (error instanceof MalformedAnswer) {
    return {
      reason: `sent an unexpected reply: ${error.message}`,
      code: 'malformed',
      passing: true,
      retryAfter: null,
    };
  }
  if (error instanceof AskedTooOften) {
    return { reason: 'is asked too often', code: 'rate_limit', passing: true, retryAfter: null };
  }
  return null;
}
