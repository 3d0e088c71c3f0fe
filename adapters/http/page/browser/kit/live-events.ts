import type { ownerEvent } from '../../../shapes/events/events.ts';
import { ask } from './ask.ts';
import { EVENT_TYPES } from './domain.ts';
import { lacksFactor } from './identity.ts';
import { RefusedRequest } from './refused-request.ts';
import type { Reply } from './schemas.ts';
import { isSignedIn, onSessionChange } from './session-hint.ts';

/** An event of the owner's feed. */
export type LiveEvent = Reply<typeof ownerEvent>;

/** What a part of the page does with events. */
export interface LiveReader {
  /** Some happened, the first first. One may come twice. */
  happened(events: readonly LiveEvent[]): void;
  /** Some may have been missed: what is shown has to be read again. */
  missed?(): void;
}

/** Whether events arrive: as they happen, or since when not. */
export type LiveState = { readonly isLive: true } | { readonly isLive: false; readonly since: number };

const FEED = '/api/v1/owner/events';
const NAME = 'stancebook-events';
/** Between two readings of the feed where there is no stream. */
const POLL = 5_000;
/** How often it is read before a stream is tried again. */
const POLLS = 12;
/** Events are passed on together that come within this time. */
const GATHERED = 100;
/** A cut that the browser mends within this time is not shown. */
const PATIENCE = 4_000;

const readers = new Set<LiveReader>();
const watchers = new Set<(state: LiveState) => void>();
/** Up to where events are known; null: not yet, or not any more. */
let cursor: string | null = null;
let run: AbortController | null = null;
let channel: BroadcastChannel | null = null;
let state: LiveState = { isLive: true };
let gathered: LiveEvent[] = [];

/** Passes events on until the signal is aborted. */
export function onEvents(signal: AbortSignal, reader: LiveReader): void {
  readers.add(reader);
  signal.addEventListener('abort', () => readers.delete(reader));
}

/** Calls back with the state of the connection, now and at each change. */
export function onLiveState(show: (state: LiveState) => void): void {
  watchers.add(show);
  show(state);
}

/**
 * Follows the events of who is signed in, as long as they are. The tabs of a browser share one stream, which one of them
 * holds: a session has one, and a browser few connections.
 */
export function followSession(): void {
  onSessionChange(begin);
  begin();
}

function begin(): void {
  run?.abort();
  channel?.close();
  [run, channel, cursor, gathered] = [null, null, null, []];
  note({ isLive: true });
  if (!isSignedIn()) return;
  const own = new AbortController();
  run = own;
  channel = new BroadcastChannel(NAME);
  channel.addEventListener('message', ({ data }: MessageEvent<Shared>) => take(data));
  const { signal } = own;
  // Locks are of secure contexts alone; without them each tab has a stream, or reads the feed.
  const following = navigator.locks ? navigator.locks.request(NAME, { signal }, () => follow(signal)) : follow(signal);
  following.catch((error: unknown) => {
    if (!signal.aborted) reportError(error);
  });
}

interface Shared {
  readonly events: readonly LiveEvent[];
  /** null: some may have been missed. */
  readonly cursor: string | null;
}

/** Of this tab, or of the one that holds the stream. */
function take(shared: Shared): void {
  note({ isLive: true });
  cursor = shared.cursor;
  if (shared.cursor === null) for (const reader of [...readers]) reader.missed?.();
  if (shared.events.length === 0) return;
  if (gathered.length === 0) setTimeout(passOn, GATHERED);
  gathered.push(...shared.events);
}

function passOn(): void {
  const events = gathered;
  gathered = [];
  if (events.length > 0) for (const reader of [...readers]) reader.happened(events);
}

function share(shared: Shared): void {
  take(shared);
  channel?.postMessage(shared);
}

/** Streams, and reads the feed where a stream cannot be had, until the signal is aborted. */
async function follow(signal: AbortSignal): Promise<void> {
  // Until it has its factor, every request is refused.
  while (!signal.aborted && (await lacksFactor())) await pause(POLL, signal);
  while (!signal.aborted) {
    try {
      const after = cursor ?? (await firstCursor(signal));
      await streamed(after, signal);
      for (let n = 0; n < POLLS && !signal.aborted; n += 1) {
        if (n > 0) await pause(POLL, signal);
        await readOn(signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      await recover(error, signal);
    }
  }
}

/** What was shown before it was asked for may be out of date; what is read from then on is not. */
async function firstCursor(signal: AbortSignal): Promise<string> {
  const before = [...readers];
  const { next_cursor } = await ask<Feed>(`${FEED}?after=now&limit=1`, { signal });
  cursor = next_cursor;
  for (const reader of before) if (readers.has(reader)) reader.missed?.();
  return next_cursor;
}

interface Feed {
  readonly items: readonly LiveEvent[];
  readonly next_cursor: string;
}

/** Until the service refuses it, or ends it for good. The browser mends other cuts, from the last event on. */
function streamed(after: string, signal: AbortSignal): Promise<void> {
  const source = new EventSource(`${FEED}?after=${encodeURIComponent(after)}`);
  return new Promise<void>((resolve) => {
    const end = () => {
      source.close();
      resolve();
    };
    signal.addEventListener('abort', end);
    source.addEventListener('open', () => note({ isLive: true }));
    for (const type of EVENT_TYPES)
      source.addEventListener(type, ({ data, lastEventId }) =>
        share({ events: [JSON.parse(data)], cursor: lastEventId }),
      );
    source.addEventListener('stream.ended', ({ data }) => {
      if (['replaced', 'credential'].includes(JSON.parse(data).reason)) end();
    });
    source.addEventListener('error', () => {
      noteCut();
      if (source.readyState === EventSource.CLOSED) end();
    });
  });
}

/** All pages of the feed from the cursor on. */
async function readOn(signal: AbortSignal): Promise<void> {
  for (let isOver = false; !isOver && cursor !== null; ) {
    const after = encodeURIComponent(cursor);
    const { items, next_cursor } = await ask<Feed>(`${FEED}?after=${after}&limit=100`, { signal });
    share({ events: items, cursor: next_cursor });
    isOver = items.length === 0;
  }
}

/** A cursor that is refused is too old: what happened since is read from what is shown. */
async function recover(error: unknown, signal: AbortSignal): Promise<void> {
  if (!(error instanceof RefusedRequest)) throw error;
  if (error.status === 400) share({ events: [], cursor: null });
  else noteCut();
  await pause(Math.max(POLL, (error.wait ?? 0) * 1_000), signal);
}

function noteCut(): void {
  if (state.isLive) note({ isLive: false, since: Date.now() });
}

let shown: ReturnType<typeof setTimeout> | undefined;

function note(next: LiveState): void {
  if (next.isLive === state.isLive) return;
  state = next;
  clearTimeout(shown);
  const show = () => {
    for (const watcher of watchers) watcher(state);
  };
  shown = setTimeout(show, next.isLive ? 0 : PATIENCE);
}

function pause(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
