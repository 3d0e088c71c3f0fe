import { createPrivateKey } from 'node:crypto';
import { lastSeenFile } from '../../adapters/log/last-seen-file.ts';
import { ed25519PublicKey, ed25519Sign } from '../../application/ed25519.ts';
import type { LogWriter } from '../../domain/log/log-key.ts';
import type { Config } from '../config/config.ts';

/** What the sequencer signs with; null where this process does not write the evidence log. */
export function composeLogWriter({ evidenceLog }: Pick<Config, 'evidenceLog'>): LogWriter | null {
  if (evidenceLog === null) return null;
  const { key, host, interval, lastSeen } = evidenceLog;
  const privateKey = createPrivateKey(key);
  return {
    logKey: {
      publicKey: ed25519PublicKey(privateKey),
      sign: (message) => ed25519Sign(privateKey, message),
      host,
    },
    lastSeen: lastSeenFile(lastSeen),
    interval,
  };
}
