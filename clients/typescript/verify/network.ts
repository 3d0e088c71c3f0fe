import { escaped } from './verdict.ts';

/** In a row, for one URL. */
const MOST_WAITS = 10;
/** Seconds. */
const LONGEST_WAIT = 120;
/** Milliseconds. */
const WITNESS_TIMEOUT = 10_000;

export function isUrl(place: string): boolean {
  return /^https?:/.test(place);
}

export function textIn(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A reply of a server. */
interface RemoteReply {
  readonly status: number;
  /** The header of this name. */
  readonly retryAfter: string | null;
  /** The header of this name. */
  readonly date?: string | null;
  readonly body: Uint8Array;
}

/** How a program reaches servers. */
export interface Network {
  /** @param timeout in milliseconds; none by default */
  readonly fetch: (url: string, timeout?: number) => Promise<RemoteReply>;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The reply for a URL, after the waits that the server asks for with 429. */
export async function fetchWithRetryAfter({ fetch, sleep }: Network, url: string): Promise<RemoteReply> {
  for (let waits = 0; ; waits += 1) {
    const reply = await fetch(url);
    if (reply.status !== 429 || waits === MOST_WAITS) return reply;
    const seconds = Number(reply.retryAfter ?? 1);
    await sleep(1_000 * Math.min(LONGEST_WAIT, Math.max(1, Number.isFinite(seconds) ? seconds : 1)));
  }
}

/** What a URL serves; null for 404. @throws Error for every other status than 200 */
export async function readUrl(network: Network, url: string): Promise<Uint8Array | null> {
  const { status, body } = await fetchWithRetryAfter(network, url);
  if (status === 404) return null;
  if (status !== 200) throw new Error(refusalText(url, status, body));
  return body;
}

/** A refusal with what the service says about it, such as the parameter that is wrong. */
export function refusalText(url: string, status: number, body: Uint8Array): string {
  const text = `${url} answered with ${status}`;
  try {
    const { error } = JSON.parse(textIn(body));
    return typeof error.message === 'string' ? `${text}: ${escaped(error.message.slice(0, 500))}` : `${text}.`;
  } catch {
    return `${text}.`;
  }
}

/** What a witness serves; null for nothing in time. It delays no audit. */
export async function askWitness({ fetch }: Network, url: string): Promise<Uint8Array | null> {
  try {
    const { status, body } = await fetch(url, WITNESS_TIMEOUT);
    return status === 200 ? body : null;
  } catch {
    return null;
  }
}
