import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ed25519PublicKey } from '../../application/ed25519.ts';
import { sha256, sha256Hex } from '../../application/sha256.ts';
import { Malformed } from '../../domain/log/encoding.ts';
import { type LogPolicy, policyOf } from '../../domain/log/notes/policy.ts';
import { type Certificate, certificatesOfPem } from '../../domain/log/timestamps/certificates.ts';
import { type Millis, SECOND } from '../../domain/time.ts';
import { errorCode } from '../error-code.ts';
import type { Environment } from './environment.ts';
import { secretIn } from './secret-files.ts';
import type { StoredSecrets } from './stored-secrets.ts';

/** How a worker keeps the evidence log. */
export interface EvidenceLogConfig {
  /** PEM. */
  readonly key: string;
  /** The service made the key, in `DATA_DIR/secrets/log-key`; else it is the operator's. */
  readonly isMade: boolean;
  /** PEM; null but while the log changes its key. */
  readonly previousKey: string | null;
  /** The origins of its logs start with it; fixed for a log that has started. */
  readonly host: string;
  readonly interval: Millis;
  readonly timestamps: TimestampConfig | null;
  /** Absolute. */
  readonly lastSeen: string;
  /** Where the previous key has its note, absolute; null where that is the same file. */
  readonly previousLastSeen: string | null;
}

/** Which time-stamp authorities are asked. */
export interface TimestampConfig {
  readonly urls: readonly string[];
  readonly every: Millis;
  readonly trusted: readonly Certificate[];
}

/** Null for a process without jobs, and with DATABASE_URL and no key. @throws Error for a file without such a key */
export function evidenceLogOf(env: Environment, stored: Pick<StoredSecrets, 'secret'>): EvidenceLogConfig | null {
  const { LOG_KEY_FILE: file, DATABASE_URL, ROLE, PUBLIC_URL } = env;
  if (ROLE === 'api' || (file === undefined && DATABASE_URL !== undefined)) return null;
  const key = file === undefined ? stored.secret('log-key', newLogKey) : keyIn(file, 'LOG_KEY_FILE');
  const previous = env.LOG_PREVIOUS_KEY_FILE;
  const previousKey = previous === undefined ? null : keyIn(previous, 'LOG_PREVIOUS_KEY_FILE');
  const name = nameOf(publicKeyOf(key, 'LOG_KEY_FILE', file));
  const earlier = previousKey === null ? null : nameOf(publicKeyOf(previousKey, 'LOG_PREVIOUS_KEY_FILE', previous));
  return {
    ...{ key, previousKey, isMade: file === undefined },
    host: PUBLIC_URL === undefined ? `stancebook-${name}` : new URL(PUBLIC_URL).host,
    interval: env.LOG_INTERVAL_SECONDS * SECOND,
    timestamps: timestampsOf(env),
    lastSeen: resolve(env.LOG_LAST_SEEN ?? noteOf(name)),
    previousLastSeen: env.LOG_LAST_SEEN === undefined && earlier !== null ? noteOf(earlier) : null,
  };
}

/** @throws Error for two authorities of one host, and without certificates to which theirs lead */
function timestampsOf(env: Environment): TimestampConfig | null {
  const urls = env.LOG_TIMESTAMP_URLS?.split(',') ?? [];
  const file = env.LOG_TIMESTAMP_CA;
  if (urls.length === 0) {
    if (file === undefined) return null;
    throw new Error('LOG_TIMESTAMP_CA: set without LOG_TIMESTAMP_URLS; set both, or none');
  }
  if (file === undefined)
    throw new Error('LOG_TIMESTAMP_CA: missing; send the path of the certificates of the authorities in PEM');
  const names = urls.map((url) => URL.parse(url)?.host ?? '');
  if (names.includes('')) throw new Error('LOG_TIMESTAMP_URLS: one is no URL; send http or https');
  if (new Set(names).size < names.length)
    throw new Error('LOG_TIMESTAMP_URLS: two have the same host; send authorities of different operators');
  return { urls, every: env.LOG_TIMESTAMP_SECONDS * SECOND, trusted: certificatesIn(file) };
}

function certificatesIn(file: string): readonly Certificate[] {
  const text = contentOf(file, 'LOG_TIMESTAMP_CA');
  try {
    return certificatesOfPem(text);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new Error(`LOG_TIMESTAMP_CA: ${file} cannot be used. ${error.message}`);
  }
}

/** The text of the policy; null without one. @throws Error for a file that is none, or has a witness that cannot be asked */
export function logPolicyOf({ LOG_POLICY_FILE: file }: Environment): string | null {
  if (file === undefined) return null;
  const text = contentOf(file, 'LOG_POLICY_FILE');
  for (const { name, url } of witnessesIn(text, file)) {
    if (url !== null && !['http:', 'https:'].includes(URL.parse(url)?.protocol ?? ''))
      throw new Error(`LOG_POLICY_FILE: ${file} has the URL ${url} of the witness ${name}; send http or https`);
  }
  return text;
}

function contentOf(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(
      `${variable}: ${file} cannot be read (${errorCode(error)}); send the path of a file that this user may read`,
    );
  }
}

function keyIn(file: string, variable: string): string {
  try {
    return secretIn(file);
  } catch (error) {
    throw new Error(`${variable}: ${error instanceof Error ? error.message : error}`);
  }
}

function witnessesIn(text: string, file: string): LogPolicy['witnesses'] {
  try {
    return policyOf(text, sha256).witnesses;
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new Error(`LOG_POLICY_FILE: ${file} is not a policy. ${error.message}`);
  }
}

/**
 * The same with another key, which signs the next log: what is named by the present key is named by that one, and the note of the
 * present key, or of another one that signed, is the one before.
 */
export function withNextKey(config: EvidenceLogConfig, key: string): EvidenceLogConfig {
  const [present, next] = [config.key, key].map((pem) => nameOf(publicKeyOf(pem, 'LOG_KEY_FILE')));
  const isNamed = config.lastSeen === noteOf(present ?? '');
  return {
    ...config,
    key,
    host: config.host === `stancebook-${present}` ? `stancebook-${next}` : config.host,
    lastSeen: isNamed ? noteOf(next ?? '') : config.lastSeen,
    previousLastSeen: isNamed ? config.lastSeen : config.previousLastSeen,
  };
}

/** The same, where the note of this key does not exist, with that of the key which signed before, if it is in its usual place. */
export function withNoteOf(config: EvidenceLogConfig, signed: Uint8Array): EvidenceLogConfig {
  const isNamed = config.lastSeen === noteOf(nameOf(publicKeyOf(config.key, 'LOG_KEY_FILE')));
  const earlier = isNamed && config.previousLastSeen === null ? noteOf(nameOf(signed)) : config.previousLastSeen;
  return { ...config, previousLastSeen: earlier };
}

function nameOf(publicKey: Uint8Array): string {
  return sha256Hex(publicKey).slice(0, 12);
}

function noteOf(name: string): string {
  return join(homedir(), `.local/state/stancebook/log-${name}.json`);
}

export function newLogKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString().trim();
}

function publicKeyOf(pem: string, variable: string, file = 'secrets/log-key in DATA_DIR'): Uint8Array {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return ed25519PublicKey(key);
  } catch {
    // Reported below, without the text of the key.
  }
  throw new Error(`${variable}: ${file} is not an Ed25519 key in PEM; make one by openssl genpkey -algorithm ed25519`);
}
