import type { NoteSignature } from './note.ts';

/** A key that signs a log, or did. */
export interface StoredKey {
  /** 8 hexadecimal digits. */
  readonly key_id: string;
  /** 32 bytes. */
  readonly public_key: Uint8Array;
  /** When it began to sign. */
  readonly since: Date;
}

/** What a witness or a time-stamp authority, named by its key, last said of a log. */
export interface WitnessReport extends Omit<NoteSignature, 'signature'> {
  /** The size that it cosigned last; 0 for none. */
  readonly size: number;
  /** The cosignature of the checkpoint of that size; null for none. */
  readonly signature: Uint8Array | null;
  /** When that came. */
  readonly cosigned_at: Date | null;
  /** Whether it said since that it knows another tree than ours, or a larger one. */
  readonly refused: boolean;
}

/** Who signs the checkpoints of a log: its keys and its witnesses. */
export interface SignatureStore {
  /** In the order in which they began to sign. */
  keys(log: number): Promise<readonly StoredKey[]>;

  /** Notes that a key signs from now on; one that is known stays as it is. */
  addKey(log: number, key: Omit<StoredKey, 'since'>): Promise<void>;

  /** Those of a checkpoint in addition to its own, in the order in which they came. */
  signatures(log: number, size: number): Promise<readonly NoteSignature[]>;

  /** Stores a signature of a checkpoint, for good: the first of each key stays. */
  addSignature(log: number, size: number, signature: NoteSignature): Promise<void>;

  /** Of every witness and authority that was asked. */
  reports(log: number): Promise<readonly WitnessReport[]>;

  /** Replaces the report of a witness, unless that is of a larger size. */
  report(log: number, report: WitnessReport): Promise<void>;

  /** Notes that a quorum of witnesses, or an authority, had a checkpoint; not after a larger one of the log, so that no proof changes. */
  meetQuorum(log: number, size: number): Promise<void>;
}

/** What a witness answered; whatever it sent, of a bounded length. */
export interface WitnessReply {
  readonly status: number;
  /** The content type without parameters, lower-case. */
  readonly type: string;
  readonly body: string;
}

/** Sends requests to witnesses (tlog-witness). */
export interface WitnessClient {
  /**
   * @param url the prefix of the witness
   * @param signal ends the request and its reply
   * @throws Error whose message says why no reply came
   */
  addCheckpoint(url: string, body: string, signal: AbortSignal): Promise<WitnessReply>;
}
