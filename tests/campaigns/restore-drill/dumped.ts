import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run, ThrowawayServer } from './throwaway-server.ts';

/** The whole database as pg_dump writes it in plain text. */
export function dumpOf(run: Run, server: ThrowawayServer, folder: string, name: string): string {
  const file = join(folder, `${name}.sql`);
  run('pg_dump', ...server.address, '--username=postgres', `--file=${file}`, 'stancebook');
  return readFileSync(file, 'utf8');
}

/** What a file of `admin backup` contains, in plain text. */
export function contentOfBackup(run: Run, backup: string, folder: string): string {
  const [readable, file] = [join(folder, 'backup.dump'), join(folder, 'backup.sql')];
  copyFileSync(backup, readable);
  chmodSync(readable, 0o644);
  run('pg_restore', `--file=${file}`, readable);
  return readFileSync(file, 'utf8');
}

/** The lines of a dump that contain a text as it is, in hex as dumps show bytes, or in Base64 at any place. */
export function linesWith(text: string, dump: string): readonly string[] {
  const forms = formsOf(text);
  return dump.split('\n').filter((line) => forms.some((form) => line.includes(form)));
}

/** Of Base64 the part that does not depend on what stands before and after. */
function formsOf(text: string): readonly string[] {
  const base64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  );
  return [text, Buffer.from(text).toString('hex'), ...base64];
}
