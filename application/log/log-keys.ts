import { LOG } from '../../domain/limits.ts';
import type { StoredLog } from '../../domain/log/log-store.ts';
import type { LogKey, SigningKey } from '../../domain/log/notes/log-key.ts';
import type { NoteSigner } from '../../domain/log/notes/note-signatures.ts';
import type { SignatureStore, StoredKey } from '../../domain/log/notes/signature-store.ts';
import { ED25519, type VerifierKey, verifierKey } from '../../domain/log/notes/verifier-key.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { LogChanged } from './append-batch.ts';

export interface KeyPorts extends Pick<Ports, 'signatures' | 'clock'> {
  readonly logKey: LogKey;
  /** The key before `logKey`, while a log changes its key; null otherwise. */
  readonly previousKey: SigningKey | null;
}

/**
 * The keys that sign a log now: the configured one, and for 30 days after its first signature the one before it, which is
 * then the first. A new key is accepted only together with one that signs already.
 * @throws LogChanged for another key, and for one that was replaced longer ago
 */
export async function signersOf(ports: KeyPorts, log: StoredLog): Promise<readonly NoteSigner[]> {
  const { signatures, clock, logKey, previousKey } = ports;
  const current = signerOf(logKey, log.origin);
  const previous = previousKey && signerOf(previousKey, log.origin);
  const known = await knownKeys(signatures, log, previous ? [current, previous] : [current]);
  const isKnown = ({ key }: NoteSigner) => known.some(({ key_id }) => key_id === key.id);
  const newest = known.at(-1);
  if (!newest) throw unknownKey(current.key, log.key_id);
  const overlaps = (await clock.now()).getTime() < newest.since.getTime() + LOG.keysOverlap;
  if (isKnown(current)) {
    if (newest.key_id !== current.key.id && !overlaps) throw replacedKey(current.key, newest);
    const both = previous && overlaps && newest.key_id === current.key.id && isKnown(previous);
    return both ? [previous, current] : [current];
  }
  if (!previous || !isKnown(previous)) throw unknownKey(current.key, newest.key_id);
  await signatures.addKey(log.log, storedKey(current.key));
  return [previous, current];
}

/** The key by which a log of this origin is verified. */
export function logKeyOf({ publicKey }: Pick<SigningKey, 'publicKey'>, origin: string): VerifierKey {
  return verifierKey(origin, ED25519, publicKey, sha256);
}

export function storedKey({ id, publicKey }: VerifierKey): Omit<StoredKey, 'since'> {
  return { key_id: id, public_key: publicKey };
}

function signerOf(key: SigningKey, origin: string): NoteSigner {
  return { key: logKeyOf(key, origin), sign: key.sign };
}

/** With the key that started the log first. A log that started before keys were noted gets that note now. */
async function knownKeys(
  signatures: SignatureStore,
  { log, key_id }: StoredLog,
  configured: readonly NoteSigner[],
): Promise<readonly StoredKey[]> {
  const known = await signatures.keys(log);
  const first = configured.find(({ key }) => key.id === key_id);
  if (known.length > 0 || !first) return known;
  await signatures.addKey(log, storedKey(first.key));
  return signatures.keys(log);
}

function unknownKey({ name, id }: VerifierKey, known: string): LogChanged {
  return new LogChanged(
    `The key ${known} signs the log ${name}; the configured one is ${id}. Nothing is signed. To change the key, set ` +
      'LOG_PREVIOUS_KEY_FILE to the file of the key that signs.',
  );
}

function replacedKey({ name, id }: VerifierKey, { key_id, since }: StoredKey): LogChanged {
  return new LogChanged(
    `The key ${key_id} replaced the configured key ${id} of the log ${name} at ${since.toISOString()}. Nothing is signed.`,
  );
}
