import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { giveToFolder } from '../../adapters/files/folder-owner.ts';
import { makeFolder } from '../../adapters/files/make-folder.ts';
import { errorCode } from '../error-code.ts';

/**
 * The secret of that name, stored in the data folder with mode 0600: made on the first call, then always the same.
 * 256 bits as 43 characters of base64url, unless `make` makes another text. Two processes that start at once agree on one.
 */
export function storedSecret(dataDir: string, name: string, make: () => string = randomText): string {
  const folder = join(dataDir, 'secrets');
  const file = join(folder, name);
  const stored = readIfThere(file);
  if (stored !== undefined) return whole(file, stored);
  makeFolder(folder);
  publish(file, make());
  return whole(file, readFileSync(file, 'utf8'));
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A truncated file must stop the start: a new secret would invalidate every password and session. */
function whole(file: string, content: string): string {
  const secret = content.trim();
  if (secret.length < 32) throw new Error(`${file} is damaged: restore it from a backup of the data folder.`);
  return secret;
}

/** Written to a temporary file and linked, so that no process reads half a secret and the first of two writers wins. */
function publish(file: string, secret: string): void {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, `${secret}\n`);
    fsyncSync(handle);
    giveToFolder(temporary);
    linkSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    closeSync(handle);
    rmSync(temporary, { force: true });
  }
}
