import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ed25519PublicKey } from '../../application/ed25519.ts';
import { sha256Hex } from '../../application/sha256.ts';
import { type Millis, SECOND } from '../../domain/time.ts';
import { errorCode } from '../error-code.ts';
import type { Environment } from './environment.ts';
import { storedSecret } from './stored-secrets.ts';

/** How a worker keeps the evidence log. */
export interface EvidenceLogConfig {
  /** PEM. */
  readonly key: string;
  /** The origins of its logs start with it; fixed for a log that has started. */
  readonly host: string;
  readonly interval: Millis;
  /** Absolute. */
  readonly lastSeen: string;
}

/** Null for a process without jobs, and with DATABASE_URL and no key. @throws Error for a file without such a key */
export function evidenceLogOf(env: Environment, dataDir: string): EvidenceLogConfig | null {
  const { LOG_KEY_FILE: file, DATABASE_URL, ROLE, PUBLIC_URL } = env;
  if (ROLE === 'api' || (file === undefined && DATABASE_URL !== undefined)) return null;
  const key = file === undefined ? storedSecret(dataDir, 'log-key', newKey) : keyIn(file);
  const name = sha256Hex(publicKeyOf(key, file)).slice(0, 12);
  return {
    key,
    host: PUBLIC_URL === undefined ? `stancebook-${name}` : new URL(PUBLIC_URL).host,
    interval: env.LOG_INTERVAL_SECONDS * SECOND,
    lastSeen: resolve(env.LOG_LAST_SEEN ?? join(homedir(), `.local/state/stancebook/log-${name}.json`)),
  };
}

function keyIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(
      `LOG_KEY_FILE: ${file} cannot be read (${errorCode(error)}); send the path of a key that this user may read`,
    );
  }
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString().trim();
}

function publicKeyOf(pem: string, file = 'secrets/log-key in DATA_DIR'): Uint8Array {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return ed25519PublicKey(key);
  } catch {
    // Reported below, without the text of the key.
  }
  throw new Error(`LOG_KEY_FILE: ${file} is not an Ed25519 key in PEM; make one by openssl genpkey -algorithm ed25519`);
}
