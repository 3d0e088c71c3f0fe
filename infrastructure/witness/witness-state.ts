import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../adapters/files/folder-owner.ts';
import { ed25519PublicKey, ed25519Sign } from '../../application/ed25519.ts';
import type { CosignedCheckpoints } from '../../application/log/witness-checkpoint.ts';
import { sha256, sha256Hex } from '../../application/sha256.ts';
import { hexOf } from '../../domain/log/encoding.ts';
import { COSIGNATURE, type NoteSigner, verifierKey } from '../../domain/log/notes/note.ts';
import { StartRefused } from '../start-refused.ts';

/** The key of a witness and all that it cosigned. */
export interface WitnessState extends CosignedCheckpoints {
  readonly signer: NoteSigner;
  /** The latest checkpoint of the log whose origin has this SHA-256, in hexadecimal; null for none. */
  latestOfHash(originHash: string): string | null;
  close(): void;
}

/**
 * Opens the state in a folder, for this process alone; makes it with a new key where there is none. The key and what it
 * cosigned are one file, so that no key is left without its state. The file remembers which file it is, so that a copy
 * and a restored backup, which may lack later checkpoints, are refused.
 * @param name the name of the key, for good; by default `stancebook-witness-` and 12 hexadecimal digits of the key
 * @throws StartRefused
 */
export function openWitnessState(folder: string, name?: string): WitnessState {
  makeFolder(folder);
  const file = join(folder, 'witness.sqlite');
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const database = new DatabaseSync(file);
  try {
    return stateIn(database, file, name);
  } catch (error) {
    database.close();
    if (!(error instanceof Error) || !('errcode' in error)) throw error;
    const isBusy = error.errcode === SQLITE_BUSY;
    throw new StartRefused(
      isBusy ? `${file} is in use by another witness.` : `${file} cannot be read: ${error.message}. ${NEW_KEY}`,
    );
  }
}

const SQLITE_BUSY = 5;
const NEW_KEY = 'Start the witness with an empty folder: it gets a new key, which those who trust it must configure.';

/** With `synchronous = extra` a commit is on the disk when it returns, the removal of its journal included. */
const SCHEMA = `
  pragma locking_mode = exclusive;
  pragma journal_mode = delete;
  pragma synchronous = extra;
  begin exclusive;
  create table if not exists witness (file text not null, name text not null, private_key text not null) strict;
  create table if not exists checkpoints (origin_hash text primary key, note text not null) strict;`;

function stateIn(database: DatabaseSync, file: string, name: string | undefined): WitnessState {
  database.exec(SCHEMA);
  const row = database.prepare('select file, name, private_key from witness').get() ?? newRow(database, file, name);
  database.exec('commit');
  if (row.file !== identityOf(file)) {
    throw new StartRefused(`${file} is a copy, and may lack what its key cosigned since. ${NEW_KEY}`);
  }
  if (name !== undefined && row.name !== name) {
    throw new StartRefused(`The key in ${file} has the name ${row.name}, not ${name}. Leave out --name.`);
  }
  const signer = signerOf(String(row.name), createPrivateKey(String(row.private_key)));
  return { signer, ...checkpointsIn(database), close: () => database.close() };
}

function newRow(database: DatabaseSync, file: string, named: string | undefined) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const digits = hexOf(sha256(ed25519PublicKey(privateKey))).slice(0, 12);
  const name = signerOf(named ?? `stancebook-witness-${digits}`, privateKey).key.name;
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  const row = { file: identityOf(file), name, private_key: String(pem) };
  database.prepare('insert into witness values (?, ?, ?)').run(row.file, row.name, row.private_key);
  return row;
}

/** Another one for a copy. A file that is renamed stays the same one. */
function identityOf(file: string): string {
  const { ino, birthtimeNs } = statSync(file, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}

/** @throws Malformed for an impossible name */
function signerOf(name: string, privateKey: KeyObject): NoteSigner {
  const key = verifierKey(name, COSIGNATURE, ed25519PublicKey(privateKey), sha256);
  return { key, sign: (message) => ed25519Sign(privateKey, message) };
}

/** Each call is one statement, which is its own transaction. */
function checkpointsIn(database: DatabaseSync): Omit<WitnessState, 'signer' | 'close'> {
  const select = database.prepare('select note from checkpoints where origin_hash = ?');
  const insert = database.prepare('insert into checkpoints values (?, ?) on conflict do nothing');
  const update = database.prepare('update checkpoints set note = ? where origin_hash = ? and note = ?');
  const latestOfHash = (hash: string) => {
    const row = select.get(hash);
    return row === undefined ? null : String(row.note);
  };
  return {
    latestOfHash,
    latest: (origin) => latestOfHash(sha256Hex(origin)),
    replace(origin, before, next) {
      const hash = sha256Hex(origin);
      const { changes } = before === null ? insert.run(hash, next) : update.run(next, hash, before);
      return Number(changes) === 1;
    },
  };
}
