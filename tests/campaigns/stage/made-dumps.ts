import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The variables of a service that makes backups, with a script in place of pg_dump: a campaign about something else does not
 * depend on the packages of its machine. It takes a second, so that no two backups have the same name, or longer where its work
 * is to be seen.
 */
export function dumpEnvironment(folder: string, seconds = 1): { readonly BACKUP_DIR: string; readonly PATH: string } {
  const [bin, BACKUP_DIR] = [join(folder, 'bin'), join(folder, 'backups')];
  for (const each of [bin, BACKUP_DIR]) mkdirSync(each, { recursive: true });
  writeFileSync(join(bin, 'pg_dump'), scriptOf(seconds), { mode: 0o755 });
  return { BACKUP_DIR, PATH: [bin, process.env.PATH].join(delimiter) };
}

const scriptOf = (seconds: number) => `#!/bin/sh
if [ "$1" = --version ]; then echo 'pg_dump (PostgreSQL) 99.1'; exit; fi
for word in "$@"; do case "$word" in --file=*) echo dumped > "\${word#--file=}";; esac; done
exec sleep ${seconds}
`;
