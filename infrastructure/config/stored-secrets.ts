import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { giveToFolder, makeFolder } from '../../adapters/files/folder-owner.ts';
import { errorCode } from '../error-code.ts';

/** A secret of a file that is missing. The database says whether it was there before. */
export interface UnstoredSecret {
  readonly name: string;
  readonly text: string;
}

export interface StoredSecrets {
  /**
   * The secret of that name, made on first use: 256 bits as 43 characters of base64url, unless `make` makes another text.
   * Where the folder has a database, a new one is not stored, because it would end whatever the lost one has protected.
   */
  secret(name: string, make?: () => string): string;
  /** What `renew-secret` kept, the newest first; none for a secret of the environment. */
  former(name: string, given: string | undefined): readonly string[];
  readonly unstored: readonly UnstoredSecret[];
}

/** The secrets of the data folder, in files of mode 0600. Two processes that start at once agree on each. */
export function storedSecrets(dataDir: string): StoredSecrets {
  const unstored: UnstoredSecret[] = [];
  return {
    unstored,
    secret(name, make = randomSecret) {
      if (isStored(dataDir, name) || !hasDatabase(dataDir)) return storedSecret(dataDir, name, make);
      const text = make();
      unstored.push({ name, text });
      return text;
    },
    former(name, given) {
      const file = secretFile(dataDir, `${name}-former`);
      if (given !== undefined || !existsSync(file)) return [];
      return contentOf(file)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => whole(file, line));
    },
  };
}

/** Whether a service has made its database in the folder. */
export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, 'postgres', 'data', 'PG_VERSION'));
}

export function secretFile(dataDir: string, name: string): string {
  return join(dataDir, 'secrets', name);
}

function isStored(dataDir: string, name: string): boolean {
  return existsSync(secretFile(dataDir, name));
}

/** The secret of that name, made and stored where it is missing. */
export function storedSecret(dataDir: string, name: string, make: () => string = randomSecret): string {
  const file = secretFile(dataDir, name);
  if (!isStored(dataDir, name)) storeSecret(dataDir, { name, text: make() });
  return whole(file, contentOf(file));
}

/** Stores a secret that is not there yet: the first of two writers wins. */
export function storeSecret(dataDir: string, { name, text }: UnstoredSecret): void {
  const file = secretFile(dataDir, name);
  const temporary = written(dataDir, name, text);
  try {
    linkSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Replaces a secret by one rename. */
export function replaceSecret(dataDir: string, { name, text }: UnstoredSecret): void {
  renameSync(written(dataDir, name, text), secretFile(dataDir, name));
}

export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** A temporary file, on disk, so that no process reads half a secret. */
function written(dataDir: string, name: string, text: string): string {
  makeFolder(join(dataDir, 'secrets'));
  const temporary = `${secretFile(dataDir, name)}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, `${text}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  giveToFolder(temporary);
  return temporary;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(
      `${file} cannot be read (${errorCode(error)}): give it to user ${process.geteuid?.()}, who runs the service.`,
    );
  }
}

/** A truncated file must stop the start: a new secret would invalidate every password and session. */
function whole(file: string, content: string): string {
  const secret = content.trim();
  if (secret.length < 32) throw new Error(`${file} is damaged: restore it from a backup of the data folder.`);
  return secret;
}
