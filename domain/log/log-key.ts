import type { Ed25519Sign } from './ed25519.ts';

/** The key that signs the logs of a service. */
export interface LogKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly sign: Ed25519Sign;
  /** The origins of its logs start with it. */
  readonly host: string;
}
