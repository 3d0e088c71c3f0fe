import { InputInvalidError, RefusedError, unexpectedReply } from './errors.ts';
import type { Settings } from './settings.ts';
import { spreadWait } from './waits.ts';
import type { AgentEvent, AgentEventFeed } from './wire.ts';

/** Reads a page of the feed; the first one for null. */
export type ReadEvents = (after: string | null, signal?: AbortSignal) => Promise<AgentEventFeed>;

export interface FollowOptions {
  /** The `next_cursor` of the last page that was processed; without it, the oldest event comes first. */
  readonly after?: string | null | undefined;
  /** Seconds between an empty page and the next one; 60. */
  readonly pauseSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * All pages of the feed from a cursor on, without an end. Empty ones come too, because their cursor stays valid longer
 * than the one before.
 */
export async function* followPages(
  { random, sleep }: Settings,
  read: ReadEvents,
  { after = null, pauseSeconds = 60, signal }: FollowOptions,
): AsyncGenerator<AgentEventFeed, void> {
  for (let cursor = after; ; ) {
    const page = await checkedPage(read, cursor, signal);
    yield page;
    cursor = page.next_cursor;
    if (page.items.length === 0) await sleep(spreadWait(pauseSeconds, random), signal);
  }
}

async function checkedPage(
  read: ReadEvents,
  after: string | null,
  signal: AbortSignal | undefined,
): Promise<AgentEventFeed> {
  const page = await read(after, signal);
  const isPage = Array.isArray(page?.items) && typeof page.next_cursor === 'string';
  if (!isPage) throw unexpectedReply(200, 'The reply is no page of the feed of events.');
  if (page.items.length > 0 && page.next_cursor === after)
    throw unexpectedReply(200, 'A page of events has its own cursor as that of the next page.');
  return page;
}

/** What the feed has shown of a decision. */
export interface Watched {
  /** The state after its newest event; null where none came since the last `forget`. */
  readonly newest: string | null;
  forget(): void;
  end(): void;
}

/**
 * The one reader of the feed for all that wait in a client. It reads when somebody needs to know, and everybody gets what
 * it found.
 */
export class EventFeed {
  /** Whether the key has no feed, or the service is older than the feed. */
  isMissing = false;
  readonly #settings: Settings;
  readonly #read: ReadEvents;
  readonly #watched = new Map<string, Set<{ newest: string | null }>>();
  #cursor: string | null = null;
  /** When the last whole reading began. */
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(settings: Settings, read: ReadEvents) {
    this.#settings = settings;
    this.#read = read;
  }

  /** From now on, events of the decision are noticed. */
  watch(recordId: string): Watched {
    const watched = { newest: null as string | null };
    const all = this.#watched.get(recordId) ?? new Set();
    this.#watched.set(recordId, all.add(watched));
    return {
      get newest() {
        return watched.newest;
      },
      forget: () => {
        watched.newest = null;
      },
      end: () => {
        all.delete(watched);
        if (all.size === 0) this.#watched.delete(recordId);
      },
    };
  }

  /**
   * Reads the feed to its end, unless a reading is under way or one began within the last `seconds`.
   * @throws what reading throws, except where there is no feed, and the reason of the signal
   */
  async refresh(seconds: number, signal: AbortSignal | undefined): Promise<void> {
    const now = this.#settings.now();
    if (this.isMissing || (this.#reading === null && now - this.#readAt < seconds * 1_000)) return;
    this.#reading ??= this.#readToEnd(now).finally(() => {
      this.#reading = null;
    });
    await unlessAborted(this.#reading, signal);
  }

  async #readToEnd(begun: number): Promise<void> {
    try {
      while ((await this.#readOn()) > 0);
      this.#readAt = begun;
    } catch (error) {
      this.isMissing = error instanceof RefusedError && (error.code === 'KEY_UNBOUND' || error.status === 404);
      if (!this.isMissing) throw error;
    }
  }

  /** Reads the next page. Returns how many events it had. */
  async #readOn(): Promise<number> {
    try {
      const { items, next_cursor } = await checkedPage(this.#read, this.#cursor, undefined);
      for (const event of items) this.#notice(event);
      this.#cursor = next_cursor;
      return items.length;
    } catch (error) {
      // A cursor that is too old, or of another database: the oldest event is the next one.
      if (this.#cursor === null || !isRefusedCursor(error)) throw error;
      this.#cursor = null;
      return this.#readOn();
    }
  }

  #notice({ data }: AgentEvent): void {
    if (!('record_id' in data && 'lifecycle_state' in data)) return;
    for (const watched of this.#watched.get(data.record_id) ?? []) watched.newest = data.lifecycle_state;
  }
}

function isRefusedCursor(error: unknown): boolean {
  return error instanceof InputInvalidError && error.details.some(({ path }) => path === 'after');
}

/** The reading goes on for the others. */
function unlessAborted(reading: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return reading;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    reading.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
