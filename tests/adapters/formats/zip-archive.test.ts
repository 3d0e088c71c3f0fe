import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import { writeZip } from '../../../adapters/formats/zip-archive.ts';
import { runPython } from '../../clients/python/run-python.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const LINE = `${'ü'.repeat(1_000)}\n`;
/** Prints the first file that is damaged, then name, size and digest of each. */
const READ = `
import hashlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    print(z.testzip())
    for i in z.infolist():
        print(i.filename, i.file_size, hashlib.sha256(z.read(i)).hexdigest()[:8])
`;

const folder = makeThrowawayFolder('zip');
afterAll(() => removeThrowawayFolder(folder));

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

/** Lines without end, with what became of them. */
function endless() {
  const state = { made: 0, ended: false };
  async function* lines(): AsyncGenerator<string> {
    try {
      for (; ; state.made += 1) yield LINE;
    } finally {
      state.ended = true;
    }
  }
  return { state, lines };
}

test("has its files in order, as Python's zipfile reads them", async () => {
  const files = [
    { name: 'first.md', pieces: () => pieces('a', 'b\n') },
    { name: 'empty.jsonl', pieces: () => pieces() },
    { name: 'lines.jsonl', pieces: () => pieces(...Array.from({ length: 1_000 }, () => LINE)) },
  ];
  const path = join(folder, 'files.zip');
  writeFileSync(path, await buffer(writeZip(files, AT)));
  const { stdout, stderr } = await runPython(['-c', READ, path]);
  expect([stderr, stdout.trimEnd().split('\n')]).toEqual([
    '',
    ['None', 'first.md 3 a63d8014', 'empty.jsonl 0 e3b0c442', expect.stringMatching(/^lines\.jsonl 2001000 /)],
  ]);
});

test('reads a file no faster than its bytes are taken, and ends it when it is ended', async () => {
  const { state, lines } = endless();
  const unread = { name: 'unread', pieces: () => pieces('never') };
  const bytes = writeZip([{ name: 'endless', pieces: lines }, unread], AT);
  await bytes.next();
  const { made } = state;
  // A turn for each step of the streams between the file and the reader, many times over.
  for (let turn = 0; turn < 1_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(state.made - made).toBeLessThan(20_000);
  await bytes.return(undefined);
  expect(state.ended).toBe(true);
});

test('throws what a file throws', async () => {
  const fault = new Error('the account is gone');
  async function* failing(): AsyncGenerator<string> {
    yield LINE;
    throw fault;
  }
  const bytes = writeZip([{ name: 'failing', pieces: failing }], AT);
  await expect(buffer(bytes)).rejects.toBe(fault);
});
