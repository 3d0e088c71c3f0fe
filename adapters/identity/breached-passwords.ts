import { hash as digest } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Whether a password is in a list of passwords that were stolen elsewhere. */
export type BreachList = (password: string) => Promise<boolean>;

/**
 * The list of a file in the form of Have I Been Pwned: a line for each password, its SHA-1 in hex, a colon and a count,
 * sorted. It has tens of gigabytes and is never read whole: hashes are spread evenly, so a look-up finds its place with a
 * few reads. Each look-up opens the file, so that it can be replaced by another one (by renaming) at any time.
 * @throws Error, which names the variable, for a file that cannot be read or has another form
 */
export function breachList(file: string): BreachList {
  checkForm(file);
  return async (password) => {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      for (const form of new Set([password, password.normalize('NFC')])) {
        if (await isListed(handle, size, sha1(form))) return true;
      }
      return false;
    } finally {
      await handle.close();
    }
  };
}

/** The hash of the list, which protects nothing here: the stored hash of a password is bcrypt's. */
function sha1(password: string): string {
  return digest('sha1', password, 'hex').toUpperCase();
}

const LINE = /^[0-9A-Fa-f]{40}:\d{1,12}$/;
/** Longer than any line. */
const LONGEST_LINE = 64;
const BLOCK = 64 * 1024;
/** After these reads by proportion the rest is halved, which also ends in a list that is spread unevenly. */
const PROPORTIONAL_READS = 6;

async function isListed(handle: FileHandle, size: number, hash: string): Promise<boolean> {
  // A line with the hash begins at `from` or after it, and before `to`.
  let [from, to] = [0, size];
  let [least, most] = [0, WHOLE];
  for (let reads = 0; from < to; reads += 1) {
    const share = reads < PROPORTIONAL_READS ? (numberOf(hash) - least) / Math.max(1, most - least) : 0.5;
    const middle = from + Math.floor(share * (to - from)) - BLOCK / 2;
    const at = Math.max(from, Math.min(middle, to - BLOCK));
    const { lines, begin, end } = await linesAt(handle, at, size);
    const [first, last] = [hashOf(lines[0]), hashOf(lines.at(-1))];
    if (first === undefined || last === undefined) return false;
    if (hash < first) [to, most] = [begin, numberOf(first)];
    else if (hash > last) [from, least] = [end, numberOf(last)];
    else return lines.some((line) => hashOf(line) === hash);
  }
  return false;
}

/** The whole lines of a block; the first of a block within the file begins after the first end of a line. */
async function linesAt(handle: FileHandle, at: number, size: number) {
  const start = Math.max(0, at - LONGEST_LINE);
  const length = Math.min(BLOCK + 2 * LONGEST_LINE, size - start);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
  const text = buffer.toString('latin1', 0, bytesRead);
  const skipped = start === 0 ? 0 : text.indexOf('\n') + 1;
  const isEnd = start + bytesRead >= size;
  const kept = isEnd ? text.length : text.lastIndexOf('\n') + 1;
  const lines = text
    .slice(skipped, kept)
    .split('\n')
    .filter((line) => line !== '');
  return { lines, begin: start + skipped, end: start + kept };
}

function hashOf(line: string | undefined): string | undefined {
  return line?.slice(0, 40).toUpperCase();
}

const DIGITS = 12;
const WHOLE = 16 ** DIGITS;

function numberOf(hash: string): number {
  return Number.parseInt(hash.slice(0, DIGITS), 16);
}

function checkForm(file: string): void {
  const fault = (what: string) =>
    new Error(
      `PASSWORD_BREACH_FILE: ${file} ${what}; send the list by SHA-1 of Have I Been Pwned, one file sorted by hash`,
    );
  const lines = firstLines(file, fault);
  if (lines.length === 0 || !lines.every((line) => LINE.test(line))) throw fault('has no lines such as `<SHA-1>:42`');
  const hashes = lines.map(hashOf);
  if (hashes.some((hash, index) => index > 0 && String(hash) <= String(hashes[index - 1])))
    throw fault('is not sorted');
}

function firstLines(file: string, fault: (what: string) => Error): string[] {
  try {
    const descriptor = openSync(file, 'r');
    try {
      if (!fstatSync(descriptor).isFile()) throw fault('is not a file');
      const block = Buffer.alloc(100 * LONGEST_LINE);
      const text = block.toString('latin1', 0, readSync(descriptor, block, 0, block.length, 0));
      const whole = text.length < block.length ? text : text.slice(0, text.lastIndexOf('\n') + 1);
      return whole.split(/\r?\n/).filter((line) => line !== '');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    throw code === null ? error : fault(`cannot be read (${code})`);
  }
}
