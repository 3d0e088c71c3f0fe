import { createPrivateKey } from 'node:crypto';
import { lastSeenFile } from '../../adapters/log/last-seen-file.ts';
import { httpWitnessClient } from '../../adapters/log/witness-client.ts';
import { ed25519PublicKey, ed25519Sign } from '../../application/ed25519.ts';
import type { LogWriter, SigningKey } from '../../domain/log/log-key.ts';
import type { Config } from '../config/config.ts';

/** What the sequencer signs with; null where this process does not write the evidence log. */
export function composeLogWriter({
  evidenceLog,
  logPolicy,
}: Pick<Config, 'evidenceLog' | 'logPolicy'>): LogWriter | null {
  if (evidenceLog === null) return null;
  const { key, previousKey, host, interval, lastSeen, previousLastSeen } = evidenceLog;
  return {
    logKey: { ...signingKey(key), host },
    previousKey: previousKey === null ? null : signingKey(previousKey),
    witnesses: logPolicy && { policy: logPolicy.policy, client: httpWitnessClient() },
    lastSeen: lastSeenFile(lastSeen, previousLastSeen),
    interval,
  };
}

function signingKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  return { publicKey: ed25519PublicKey(privateKey), sign: (message) => ed25519Sign(privateKey, message) };
}
