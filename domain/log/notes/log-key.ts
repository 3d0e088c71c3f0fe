import type { Millis } from '../../time.ts';
import type { LogTimestamps } from '../timestamps/timestamp.ts';
import type { LastSeen } from './last-seen.ts';
import type { Ed25519Sign } from './note.ts';
import type { LogPolicy } from './policy.ts';
import type { WitnessClient } from './signature-store.ts';

/** A key with which a log is signed. */
export interface SigningKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly sign: Ed25519Sign;
}

/** The key that signs the logs of a service. */
export interface LogKey extends SigningKey {
  /** The origins of its logs start with it. */
  readonly host: string;
}

/** Who else signs the checkpoints of a log, and how to reach them. */
export interface LogWitnesses {
  readonly policy: LogPolicy;
  readonly client: WitnessClient;
}

/** What the sequencer needs beyond the storage. */
export interface LogWriter {
  readonly logKey: LogKey;
  /** The key before it, while a log changes its key. */
  readonly previousKey: SigningKey | null;
  /** null where no policy is configured. */
  readonly witnesses: LogWitnesses | null;
  /** null where no time-stamp authority is configured. */
  readonly timestamps: LogTimestamps | null;
  readonly lastSeen: LastSeen;
  /** Milliseconds; events of an interval are appended together, 5 s after its end. */
  readonly interval: Millis;
}
