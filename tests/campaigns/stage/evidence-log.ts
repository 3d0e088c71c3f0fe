import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ed25519PublicKey } from '../../../application/ed25519.ts';
import { sha256 } from '../../../application/sha256.ts';
import { ED25519, type VerifierKey, verifierKey } from '../../../domain/log/notes/note.ts';

/** The key of an evidence log, for the workers of a campaign. */
export interface LogKeyFile {
  /** In PEM. */
  readonly file: string;
  /** The key under which its log of this origin is verified. */
  verifierKey(origin: string): VerifierKey;
}

/** Makes a key in `folder/log-key.pem`. */
export function makeLogKey(folder: string): LogKeyFile {
  const { privateKey } = generateKeyPairSync('ed25519');
  const file = join(folder, 'log-key.pem');
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  return { file, verifierKey: (origin) => verifierKey(origin, ED25519, ed25519PublicKey(privateKey), sha256) };
}

/**
 * The environment of a worker that keeps an evidence log, with short intervals.
 * @param machine the folder of what only this machine has: the note of what it saw
 */
export function evidenceLogEnvironment({ file }: Pick<LogKeyFile, 'file'>, machine: string): Record<string, string> {
  return { LOG_KEY_FILE: file, LOG_LAST_SEEN: join(machine, 'last-seen.json'), LOG_INTERVAL_SECONDS: '1' };
}
