import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../error-code.ts';

/**
 * The secret of that name, kept in the data folder with mode 0600: made on the first call, the same ever after.
 * 256 bits as 43 characters of base64url. Two processes that start at once agree on one.
 */
export function keptSecret(dataDir: string, name: string): string {
  const folder = join(dataDir, 'secrets');
  const file = join(folder, name);
  const kept = readIfThere(file);
  if (kept !== undefined) return whole(file, kept);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  publish(file, randomBytes(32).toString('base64url'));
  return whole(file, readFileSync(file, 'utf8'));
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A file cut short must stop the start: a secret silently replaced would lock every account and session out. */
function whole(file: string, content: string): string {
  const secret = content.trim();
  if (secret.length < 32) throw new Error(`${file} is damaged: restore it from a backup of the data folder.`);
  return secret;
}

/** Written aside and then linked into place, so that nobody sees half a secret and the first of two writers wins. */
function publish(file: string, secret: string): void {
  const aside = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const handle = openSync(aside, 'wx', 0o600);
  try {
    writeSync(handle, `${secret}\n`);
    fsyncSync(handle);
    linkSync(aside, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    closeSync(handle);
    rmSync(aside, { force: true });
  }
}
