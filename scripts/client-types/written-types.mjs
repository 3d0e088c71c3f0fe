import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** The types of the TypeScript client. */
export const CLIENT_TYPES = 'clients/typescript/client/interface.d.ts';

/** What the document of the interface is made of, and what makes types of it. */
const SOURCES = ['adapters/http', 'application', 'domain', 'scripts/client-types', 'scripts/write-client-types.ts'];
const OTHERS = /^(?:node_modules|browser)$/;

/** Whether the types of these sources are there. Read before every npm script: a tenth of a second. */
export function isWritten(root) {
  const [file, head] = [join(root, CLIENT_TYPES), headOf(root)];
  return existsSync(file) && startOf(file, head.length) === head;
}

/** The first line of the types: by it they are those of the sources. */
export function headOf(root) {
  const hash = createHash('sha256');
  for (const path of SOURCES.flatMap((source) => filesOf(root, source))) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return `// Written by scripts/write-client-types.ts from sources with the SHA-256 ${hash.digest('hex')}.\n`;
}

function filesOf(root, path) {
  if (/\.\w+$/.test(path)) return /\.(?:[cm]?[jt]s|json)$/.test(path) ? [path] : [];
  return readdirSync(join(root, path))
    .filter((name) => !OTHERS.test(name))
    .sort()
    .flatMap((name) => filesOf(root, `${path}/${name}`));
}

function startOf(file, length) {
  const [start, opened] = [Buffer.alloc(length), openSync(file)];
  try {
    return start.toString('utf8', 0, readSync(opened, start));
  } finally {
    closeSync(opened);
  }
}
