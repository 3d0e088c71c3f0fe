import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../domain/market/market-data.ts';
import type { SourceHealth } from '../../domain/market/source-health.ts';
import { type Millis, SECOND } from '../../domain/time.ts';
import { MalformedAnswer } from './candles.ts';
import { type Failure, failureOf, fetchText, type TextReply, UnwantedStatus } from './fetch-text.ts';
import { type SourceLog, type SourceState, sourceState, withLastError } from './source-state.ts';

/** Nobody waits longer than this for a turn: the sweep comes again, and others wait behind it. */
const PATIENCE = 20 * SECOND;

/** One public JSON interface over HTTP, asked within its limits, and paused while it fails. */
export interface SourceClient {
  readonly source: string;
  /** Throws `SourceUnavailable` when no attempt brought an answer that could be read. */
  ask<T>(question: SourceRequest<T>): Promise<T>;
  health(): SourceHealth;
}

export interface SourceRequest<T> {
  readonly about: Instrument;
  /** Below the source's base address, beginning with a slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** What the request weighs in the source's allowance; 1 where it is left out. */
  readonly cost?: number;
  /** Statuses beside 200 that are an answer too, such as 404 for an unknown symbol. */
  readonly answers?: readonly number[];
  /** Throws `MalformedAnswer` or `AskedTooOften`. */
  read(body: unknown, status: number): T;
}

/** Where a source is and what it allows. */
export interface SourceAccess {
  readonly source: string;
  /** An origin, with a path where the source is mirrored below one; no closing slash. */
  readonly baseUrl: string;
  readonly allowance: Allowance;
  /** Sent with every request; keys go here, for addresses end up in messages. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to every address: the key of a source that takes it nowhere else. No message contains an address. */
  readonly query?: Readonly<Record<string, string>>;
}

/** What a client takes from its surroundings. */
export interface SourceTools {
  readonly timing: Timing;
  readonly log: SourceLog;
  /** How long one request may take, body included. */
  readonly deadline: Millis;
}

/** `now` never goes back, and has no fraction. */
export interface Timing {
  now(): Millis;
  sleep(millis: Millis): Promise<void>;
  /** Evenly in [0, 1). */
  random(): number;
}

const ATTEMPTS = 3;
const FIRST_BACKOFF = SECOND / 2;
const LONGEST_BACKOFF = 8 * SECOND;

export function sourceClient(
  { source, baseUrl, allowance, headers = {}, query = {} }: SourceAccess,
  tools: SourceTools,
): SourceClient {
  const parts = { source, baseUrl, headers, query, tools, turns: pace(allowance), state: sourceState(source, tools) };
  return {
    source,
    ask: (question) => ask(parts, question),
    health: parts.state.health,
  };
}

interface Parts {
  readonly source: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly tools: SourceTools;
  readonly turns: Pace;
  readonly state: SourceState;
}

async function ask<T>(parts: Parts, question: SourceRequest<T>): Promise<T> {
  const { timing } = parts.tools;
  let reason: string | null = null;
  for (let attempt = 1; attempt <= ATTEMPTS && !parts.state.isPaused(); attempt++) {
    if (attempt > 1) await timing.sleep(backoff(attempt, timing));
    const wait = parts.turns.book(question.cost ?? 1, timing.now());
    if (wait === null) {
      reason ??= withLastError('takes no request now', parts.state.health());
      break;
    }
    if (wait > 0) await timing.sleep(wait);
    if (!parts.state.admits()) break;
    const outcome = await tryOnce(parts, question);
    if ('value' in outcome) return outcome.value;
    reason = outcome.failure.reason;
    if (!outcome.failure.passing) break;
  }
  reason ??= withLastError('is paused after failures', parts.state.health());
  throw new SourceUnavailable(`${parts.source} ${reason} (${instrumentKey(question.about)})`);
}

/** Full jitter: those who failed together do not come back together. */
function backoff(attempt: number, timing: Timing): Millis {
  return Math.floor(timing.random() * Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (attempt - 1)));
}

async function tryOnce<T>(parts: Parts, question: SourceRequest<T>): Promise<Outcome<T>> {
  const { state, turns, tools } = parts;
  try {
    const value = readReply(question, await fetchText(addressOf(parts, question), tools.deadline, parts.headers));
    state.succeeded();
    return { value };
  } catch (error) {
    const failure = failureOf(error);
    state.failed(failure ?? OWN_FAULT, question.about);
    if (!failure) throw error;
    if (failure.retryAfter !== null) turns.hold(tools.timing.now() + failure.retryAfter);
    return { failure };
  }
}

/** An error that neither the network nor the source has made. */
const OWN_FAULT = { reason: 'sent what this service could not process', code: 'internal' };

type Outcome<T> = { readonly value: T } | { readonly failure: Failure };

function readReply<T>({ answers = [], read }: SourceRequest<T>, { status, retryAfter, text }: TextReply): T {
  if (status !== 200 && !answers.includes(status)) throw new UnwantedStatus(status, retryAfter);
  return read(parsed(text), status);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedAnswer('not JSON');
  }
}

function addressOf<T>({ baseUrl, query: always }: Parts, { path, query = {} }: SourceRequest<T>): string {
  const params = new URLSearchParams(
    Object.entries({ ...query, ...always }).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  return `${baseUrl}${path}${params.size > 0 ? `?${params}` : ''}`;
}

/** What a source lets one address spend; a request costs 1 unless its documentation weighs requests. */
export interface Allowance {
  readonly perSecond: number;
  /** What may be spent at once after a rest. */
  readonly burst: number;
}

/** Keeps the requests to one source within its allowance. */
interface Pace {
  /** Books a request and returns how long to wait before sending it; null, with nothing booked, when that is too long. */
  book(cost: number, now: Millis): Millis | null;
  /** The source asked not to be asked before that instant. */
  hold(until: Millis): void;
}

/** A token bucket that lends: who comes while it is empty waits for what those before have borrowed. */
export function pace({ perSecond, burst }: Allowance): Pace {
  let left = burst;
  let at: Millis = 0;
  let held: Millis = 0;
  return {
    book(cost, now) {
      left = Math.min(burst, left + (Math.max(0, now - at) / SECOND) * perSecond);
      at = Math.max(at, now);
      const wait = Math.max(0, held - now, ((cost - left) / perSecond) * SECOND);
      if (wait > PATIENCE) return null;
      left -= cost;
      return Math.ceil(wait);
    },
    hold(until) {
      held = Math.max(held, until);
    },
  };
}
