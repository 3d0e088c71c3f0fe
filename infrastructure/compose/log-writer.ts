import { constants, createHash, createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { lastSeenFile } from '../../adapters/log/last-seen-file.ts';
import { httpTimestampClient, httpWitnessClient } from '../../adapters/log/log-clients.ts';
import { ed25519PublicKey, ed25519Sign } from '../../application/ed25519.ts';
import { policyFault } from '../../application/log/guard-log.ts';
import { logKeyOf, originOf } from '../../application/log/read-log.ts';
import type { Ports } from '../../application/ports.ts';
import { sha256 } from '../../application/sha256.ts';
import type { LogWriter, SigningKey } from '../../domain/log/notes/log-key.ts';
import { type LogPolicy, policyOf } from '../../domain/log/notes/policy.ts';
import { nodeStampCrypto } from '../../domain/log/timestamps/certificates.ts';
import type { Config } from '../config/config.ts';
import { StartRefused } from '../start-refused.ts';

/** What the sequencer signs with; null where this process does not write the evidence log. */
export function composeLogWriter(config: Pick<Config, 'evidenceLog' | 'logPolicy'>): LogWriter | null {
  const { evidenceLog } = config;
  if (evidenceLog === null) return null;
  const policy = composeLogPolicy(config);
  const { key, previousKey, host, interval, timestamps, lastSeen, previousLastSeen } = evidenceLog;
  return {
    logKey: { ...signingKey(key), host },
    previousKey: previousKey === null ? null : signingKey(previousKey),
    witnesses: policy && { policy, client: httpWitnessClient() },
    timestamps: timestamps && { ...timestamps, client: httpTimestampClient(), crypto: STAMP_CRYPTO },
    lastSeen: lastSeenFile(lastSeen, previousLastSeen),
    interval,
  };
}

const STAMP_CRYPTO = nodeStampCrypto({ createHash, createPublicKey, verify, constants });

/** The operator's policy; null where none is configured. */
export function composeLogPolicy({ logPolicy }: Pick<Config, 'logPolicy'>): LogPolicy | null {
  return logPolicy === null ? null : policyOf(logPolicy, sha256);
}

/**
 * Holds the operator's policy against the log that this process writes. A policy of an earlier log passes: the worker then
 * signs nothing and says why, while the service goes on.
 * @throws StartRefused
 */
export async function assertLogPolicy({
  log,
  signatures,
  logWriter,
}: Pick<Ports, 'log' | 'signatures' | 'logWriter'>): Promise<void> {
  if (!logWriter?.witnesses) return;
  const { policy } = logWriter.witnesses;
  const newest = (await log.newest()) ?? { log: 1, origin: originOf(logWriter.logKey, 1) };
  const fault = policyFault(policy, logKeyOf(logWriter.logKey, newest.origin));
  for (let number = newest.log - 1; fault !== null && number > 0; number -= 1) {
    const earlier = await log.find(number);
    const keys = earlier === null ? [] : await signatures.keys(number);
    const named = keys.map(({ public_key }) => logKeyOf({ publicKey: public_key }, earlier?.origin ?? newest.origin));
    if (named.some((key) => policyFault(policy, key) === null)) return;
  }
  if (fault !== null) throw new StartRefused(fault);
}

function signingKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  return { publicKey: ed25519PublicKey(privateKey), sign: (message) => ed25519Sign(privateKey, message) };
}
