import { crc32 } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { storedZip } from '../../../adapters/http/page/browser/kit/stored-zip.ts';
import { cosignersOf, fromNow, instant, showTimesIn } from '../../../adapters/http/page/browser/kit/value-texts.ts';
import type { OwnRow } from '../../../adapters/http/page/browser/kit/wire.ts';
import { FIXED, foundItems } from '../../../adapters/http/page/browser/palette/palette-items.ts';
import { csvOf, jsonOf, sortedRows } from '../../../adapters/http/page/browser/records/decision-values.ts';
import { ownerRecordPage, ownerRecordPageExample } from '../../../adapters/http/shapes/decisions/own-records.ts';
import { membersOfZip, packedBytes } from '../../../domain/zip.ts';

const [example] = ownerRecordPage.parse(ownerRecordPageExample).items;
if (!example) throw new Error('The example has no record.');
/** As it is on the wire. */
const ROW = JSON.parse(JSON.stringify(example)) as OwnRow;

function row(record_id: string, z: number | null): OwnRow {
  return { ...ROW, record_id, path: ROW.path && { ...ROW.path, z } };
}

const idsOf = (groups: readonly (readonly [OwnRow, ...OwnRow[]])[]) => groups.map(([{ record_id }]) => record_id);

test('a page is sorted by a column either way, with those without a value last, and equal ones as they were', () => {
  const groups = [row('a', 1), row('none', null), row('b', -2), row('c', 1), row('d', 3)].map(
    (each) => [each] as const,
  );
  expect(idsOf(sortedRows(groups, 'z'))).toEqual(['b', 'a', 'c', 'd', 'none']);
  expect(idsOf(sortedRows(groups, '-z'))).toEqual(['d', 'a', 'c', 'b', 'none']);
  for (const other of [null, 'nonsense', '-']) expect(idsOf(sortedRows(groups, other))).toEqual(idsOf(groups));
});

test('a file of the list has texts in quotes, times and numbers as they are, and no formula', () => {
  const odd = { ...ROW, evaluation: { ...ROW.evaluation, last_error: '=1+"2"' }, path: null };
  const [names = '', first = '', second = '', end] = csvOf([ROW, odd]).split('\r\n');
  const cell = (line: string, name: string) => line.split(',')[names.split(',').indexOf(name)];
  expect([cell(first, 'symbol'), cell(first, 'data_cutoff'), cell(first, 'raw_return')]).toEqual([
    '"MSFT"',
    '2003-02-13T14:00:00.000Z',
    '0.043377',
  ]);
  expect([cell(second, 'last_error'), cell(second, 'z'), cell(second, 'group_id')]).toEqual([`"'=1+""2"""`, '', '']);
  expect(end).toBe('');
  expect(JSON.parse(jsonOf([ROW]))).toEqual([ROW]);
});

test('an archive of the page is one that others read', async () => {
  const files = [
    { name: 'dec_1.receipt', text: 'c2sp.org/tlog-proof@v1\n' },
    { name: 'policy', text: 'log \u2014\n' },
  ];
  const zip = new Uint8Array(await storedZip(files).arrayBuffer());
  const members = membersOfZip(zip);
  expect(members.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
  const texts = members.map((member) => new TextDecoder().decode(packedBytes(zip, member)));
  expect(texts).toEqual(files.map(({ text }) => text));
  expect(members.map(({ checksum }) => checksum)).toEqual(files.map(({ text }) => crc32(text)));
});

test('who signed the checkpoint of a proof is named once, without the log itself', () => {
  const origin = 'api.example.com/log/1';
  const head = `c2sp.org/tlog-proof@v1\nindex 1\nabc=\n\n${origin}\n2\nroot=\n\n`;
  const lines = [origin, 'witness.one', 'witness.one', 'witness.two'].map((name) => `\u2014 ${name} sig=\n`);
  expect(cosignersOf(head + lines.join(''))).toEqual(['witness.one', 'witness.two']);
  expect(cosignersOf(`${head}${lines[0]}`)).toEqual([]);
  expect(cosignersOf('no proof')).toEqual([]);
});

test('times are shown in the zone of the reader, and in UTC where it is unknown', () => {
  const time = '2003-02-13T14:30:00Z';
  expect(instant(time)).toBe('13 Feb 2003, 14:30 UTC');
  showTimesIn('Asia/Tokyo');
  expect(instant(time)).toBe('13 Feb 2003, 23:30 GMT+9');
  showTimesIn('Nowhere/At-all');
  expect(instant(time)).toBe('13 Feb 2003, 14:30 UTC');
});

test.each([
  [0, 'now'],
  [-20_000, 'now'],
  [-60_000, '1\u00a0minute ago'],
  [-14 * 60_000, '14\u00a0minutes ago'],
  [3 * 86_400_000, 'in 3\u00a0days'],
  [-800 * 86_400_000, '2\u00a0years ago'],
])('%d ms from now is "%s"', (distance, words) => {
  expect(fromNow(distance + 1e12, 1e12)).toBe(words);
});

test('the search finds by every word, and makes an id, a cohort and a question to the guide of what was typed', () => {
  const items = [
    { words: 'momentum: track record', kind: 'agent', href: '#/track/agt_1' },
    { words: 'MSFT bullish over 5 trading days', kind: 'decision', href: '#/records/dec_1', also: 'NASDAQ' },
  ];
  const hrefs = (typed: string) => foundItems(typed, items).map(({ href }) => href);
  expect(hrefs('')).toEqual(['#/track/agt_1', '#/records/dec_1']);
  expect(hrefs('nasdaq bull')[0]).toBe('#/records/dec_1');
  expect(hrefs('dec_20260130_5c0ffee5')).toEqual(['#/records/dec_20260130_5c0ffee5']);
  expect(hrefs('cohort msft bullish')[0]).toBe('#/cohorts?market=stock&symbol=MSFT&direction=bullish');
  expect(hrefs('aapl')).toEqual([
    '#/own?symbol=AAPL',
    '#/cohorts?market=stock&symbol=AAPL',
    '#/cohorts?market=crypto&symbol=AAPL',
    '/guide/?q=aapl',
  ]);
  expect(foundItems('strong correct', FIXED)[0]?.href).toBe('#/own?result_bucket=strong_correct');
});
