import { type Millis, SECOND } from '../../domain/time.ts';

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
