import type { Millis } from '../../time.ts';
import type { Certificate, StampCrypto } from './certificates.ts';

/** Sends requests to time-stamp authorities (RFC 3161, 3.4). */
export interface TimestampClient {
  /**
   * @param signal ends the request and its reply
   * @returns the reply, of a bounded length
   * @throws Error whose message says why none came
   */
  stamp(url: string, request: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
}

/** Who stamps the checkpoints of a log. */
export interface LogTimestamps {
  readonly urls: readonly string[];
  readonly trusted: readonly Certificate[];
  readonly client: TimestampClient;
  readonly crypto: StampCrypto;
  /** The least time between two questions. */
  readonly every: Millis;
}

/** What an authority serves, in the reports of processes on what they ask. */
export const SERVES_TIMESTAMPS = 'timestamps';

/** The name of an authority in signature lines: its host. */
export function authorityName(url: string): string {
  return new URL(url).host;
}
