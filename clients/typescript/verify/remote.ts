/** A reply of a server. */
export interface RemoteReply {
  readonly status: number;
  /** The header of this name. */
  readonly retryAfter: string | null;
  readonly body: Uint8Array;
}

/** How a program reaches servers. */
export interface Network {
  readonly fetch: (url: string) => Promise<RemoteReply>;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** In a row, for one URL. */
const MOST_WAITS = 10;
/** Seconds. */
const LONGEST_WAIT = 120;

/** The reply for a URL, after the waits that the server asks for with 429. */
export async function politely({ fetch, sleep }: Network, url: string): Promise<RemoteReply> {
  for (let waits = 0; ; waits += 1) {
    const reply = await fetch(url);
    if (reply.status !== 429 || waits === MOST_WAITS) return reply;
    const seconds = Number(reply.retryAfter ?? 1);
    await sleep(1_000 * Math.min(LONGEST_WAIT, Math.max(1, Number.isFinite(seconds) ? seconds : 1)));
  }
}

/** What a URL serves; null for 404. @throws Error for every other status than 200 */
export async function readUrl(network: Network, url: string): Promise<Uint8Array | null> {
  const { status, body } = await politely(network, url);
  if (status === 404) return null;
  if (status !== 200) throw new Error(`${url} answered with ${status}.`);
  return body;
}
