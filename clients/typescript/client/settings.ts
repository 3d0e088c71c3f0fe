import { UsageError } from './errors.ts';
import { sleepFor } from './waits.ts';

export interface ClientOptions {
  /** The address of the service, such as `https://stancebook.example`; with a path where it is served below one. */
  readonly url: string;
  /** Without one, only public requests work. */
  readonly apiKey?: string | null;
  /** How often a request is sent at most; 5. */
  readonly attempts?: number;
  /** Seconds; a refusal with a longer wait is an error at once; 120. */
  readonly mostWaitSeconds?: number;
  /** Seconds that one attempt may last; 30. */
  readonly timeoutSeconds?: number;
  /** Allows plain http to other hosts than loopback: everyone on the way can then read the key. */
  readonly allowHttp?: boolean;
  readonly fetch?: typeof fetch;
  /** In milliseconds since 1970. */
  readonly now?: () => number;
  /** From 0 up to 1. */
  readonly random?: () => number;
  readonly sleep?: (seconds: number, signal?: AbortSignal) => Promise<void>;
}

/** The options, checked and complete. */
export interface Settings extends Required<Omit<ClientOptions, 'allowHttp'>> {
  readonly apiKey: string | null;
}

/** @throws UsageError */
export function settingsOf(options: ClientOptions): Settings {
  const { apiKey = null, attempts = 5, mostWaitSeconds = 120, timeoutSeconds = 30, allowHttp = false } = options;
  if (!Number.isInteger(attempts) || attempts < 1) throw new UsageError('attempts must be a whole number from 1.');
  if (!(mostWaitSeconds >= 0)) throw new UsageError('mostWaitSeconds must be a number from 0.');
  if (!(timeoutSeconds > 0)) throw new UsageError('timeoutSeconds must be more than 0.');
  if (apiKey !== null) checkKey(apiKey);
  return {
    url: checkedUrl(options.url, allowHttp),
    apiKey,
    attempts,
    mostWaitSeconds,
    timeoutSeconds,
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleepFor,
  };
}

/**
 * A key is visible ASCII alone: a line end would be a header of its own, or part of the message of an error.
 * @throws UsageError
 */
function checkKey(apiKey: string): void {
  if (VISIBLE.test(apiKey)) return;
  throw new UsageError('The API key is empty or has a character that no key has, such as a line end. It was not sent.');
}

/**
 * The key of a submission as it is sent.
 * @throws UsageError
 */
export function checkedIdempotencyKey(key: string): string {
  if (!VISIBLE.test(key) || !(key.length <= 255)) {
    throw new UsageError('An Idempotency-Key is 1 to 255 visible ASCII characters.');
  }
  if (/^[<('"]?(null|none|undefined|nil|nan)[>)'"]?$/i.test(key)) {
    throw new UsageError(`An Idempotency-Key is not the text ${key} of a missing value. Give a key, or leave it out.`);
  }
  return key;
}

const VISIBLE = /^[\x21-\x7e]+$/;

function checkedUrl(text: string, allowHttp: boolean): string {
  if (!URL.canParse(text)) throw new UsageError('The address of the service is no URL, such as https://host.');
  const { protocol, hostname, username, password, search, hash, origin, pathname } = new URL(text);
  if (username !== '' || password !== '') throw new UsageError('The address of the service must not have credentials.');
  if (search !== '' || hash !== '') throw new UsageError('The address of the service must end with its path.');
  const isSafe = protocol === 'https:' || (protocol === 'http:' && (allowHttp || isLoopback(hostname)));
  if (!isSafe) throw new UsageError('The address of the service must be https, or http on loopback.');
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
