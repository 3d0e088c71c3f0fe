import type { Millis } from '../time.ts';
import type { Ed25519Sign } from './ed25519.ts';
import type { LastSeen } from './last-seen.ts';

/** The key that signs the logs of a service. */
export interface LogKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly sign: Ed25519Sign;
  /** The origins of its logs start with it. */
  readonly host: string;
}

/** What the sequencer needs beyond the storage. */
export interface LogWriter {
  readonly logKey: LogKey;
  readonly lastSeen: LastSeen;
  /** Milliseconds; events of an interval are appended together, 5 s after its end. */
  readonly interval: Millis;
}
