import { buffer } from 'node:stream/consumers';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { zipSync } from 'fflate';
import { ZipFile } from 'yazl';
import { tableOf } from '../../../clients/typescript/import/cells.ts';
import { MOST_BYTES, openFile } from '../../../clients/typescript/import/open-file.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const CSV = 'a,b\n1,2\n';

describe('a file', () => {
  test.each([
    ['as it is', bytes(CSV)],
    ['with a byte order mark', bytes(`\ufeff${CSV}`)],
    ['in UTF-16', Buffer.from(`\ufeff${CSV}`, 'utf16le')],
    ['in gzip', gzipSync(CSV)],
    [
      'in a zip',
      zipSync({ 'trades.csv': bytes(CSV), 'notes.pdf': bytes('%PDF'), '__MACOSX/._trades.csv': bytes('x') }),
    ],
    ['stored in a zip', zipSync({ 'trades.csv': [bytes(CSV), { level: 0 }] })],
  ])('%s is read', async (_, file) => {
    expect([...(await openFile('folder/trades.csv', file)).texts]).toEqual([['trades.csv', CSV]]);
  });

  test.each([
    ['a pickle', Uint8Array.of(0x80, 4, 0x95, 1), 'is a pickle, which can run programs when it is opened'],
    ['Parquet', bytes('PAR1....'), 'is Parquet'],
    ['SQLite', bytes('SQLite format 3\0'), 'is a database of SQLite'],
    ['another encoding', Uint8Array.of(0x61, 0xe9, 0x2c), 'is neither UTF-8 nor UTF-16'],
    ['a workbook', zipSync({ '[Content_Types].xml': bytes('<x/>') }), 'Save its sheet as CSV'],
    [
      'a zip without texts',
      zipSync({ 'a.pkl': Uint8Array.of(0x80, 4) }),
      'The zip has no file of JSON, CSV or text: it has a.pkl.',
    ],
    ['a cut zip', zipSync({ 'a.csv': bytes(CSV) }).subarray(0, 60), 'The zip is damaged or cut off'],
    ['a cut gzip', gzipSync(CSV.repeat(500)).subarray(0, 30), 'cannot be unpacked'],
  ])('of %s is refused', async (_, file, message) => {
    await expect(openFile('trades', file)).rejects.toThrow(message);
  });

  test('of a zip of 64 bits, written as a stream, is read', async () => {
    const zip = new ZipFile();
    zip.addBuffer(Buffer.from(CSV), 'a.csv', { forceZip64Format: true, compress: true });
    zip.end({ forceZip64Format: true, comment: '' });
    const file = await buffer(zip.outputStream);
    expect([...(await openFile('a.zip', file)).texts]).toEqual([['a.csv', CSV]]);
    for (const length of [10, 30, 60, 90, file.length - 30]) {
      await expect(openFile('a.zip', file.subarray(0, length))).rejects.toThrow('damaged');
    }
  });

  test('of a zip that is changed is refused by its checksum, and an encrypted one by its flag', async () => {
    const zip = zipSync({ 'a.csv': [bytes(CSV), { level: 0 }] });
    const changed = zip.slice();
    const at = changed.indexOf(0x31, 30);
    changed[at] = 0x33;
    await expect(openFile('x.zip', changed)).rejects.toThrow('damaged');
    const encrypted = zip.slice();
    const directory = Buffer.from(encrypted).indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    encrypted[directory + 8] = 1;
    await expect(openFile('x.zip', encrypted)).rejects.toThrow('is encrypted');
  });

  test('of more than 64 MiB unpacked is refused while it is unpacked', async () => {
    const large = Buffer.alloc(MOST_BYTES + 1, 0x20);
    await expect(openFile('large.csv.gz', gzipSync(large))).rejects.toThrow('more than 64 MiB unpacked');
    // A directory that states a smaller size than the bytes have.
    const zip = zipSync({ 'a.csv': bytes(CSV.repeat(100)) });
    const directory = Buffer.from(zip).indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    new DataView(zip.buffer).setUint32(directory + 24, 10, true);
    await expect(openFile('a.zip', zip)).rejects.toThrow('unpacked');
    expect(deflateRawSync(large).length).toBeLessThan(100_000);
  });
});

describe('CSV', () => {
  test('has quoted cells with separators, quotes and line ends, and each row its line', () => {
    expect(tableOf('a,b\r\n"1,5","say ""hi"""\r\n\r\n"two\nlines",3')).toEqual({
      header: ['a', 'b'],
      rows: [
        { line: 2, cells: ['1,5', 'say "hi"'] },
        { line: 4, cells: ['two\nlines', '3'] },
      ],
    });
  });

  test.each(['\t', ';', '|'])('is separated by what its header has: %j', (separator) => {
    expect(tableOf(`a${separator}b\n1,5${separator}2\n`)?.rows).toEqual([{ line: 2, cells: ['1,5', '2'] }]);
  });

  test('with an open quote, or more cells than its header, is refused with the line', () => {
    expect(() => tableOf('a,b\n1,2\n"3,4\n')).toThrow('Line 3 has a quote that is not closed');
    expect(() => tableOf('a,b\n1,2,3\n')).toThrow('Line 2 has 3 cells and the header 2');
    expect(tableOf('no table')).toBeNull();
  });
});
