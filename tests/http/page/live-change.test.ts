import { expect, test } from '@jest/globals';
import { changeOf } from '../../../adapters/http/page/browser/kit/live-change.ts';
import { wholeGroups } from '../../../adapters/http/page/browser/records/decision-query.ts';

const NOTHING = { newer: [], gone: [], behind: [], isApart: false };
const keys = (text: string) => [...text];

test('the same page changes nothing', () => {
  for (const isLast of [false, true]) expect(changeOf(keys('abc'), keys('abc'), isLast)).toEqual(NOTHING);
});

test('new rows are those before the first one that is shown, and push others behind the end of the page', () => {
  expect(changeOf(keys('abcd'), keys('xyab'), false)).toEqual({
    ...NOTHING,
    newer: keys('xy'),
    behind: keys('cd'),
  });
});

test('a row that the page lacks within its range is gone; older rows that follow are not new', () => {
  expect(changeOf(keys('abcd'), keys('acde'), false)).toEqual({ ...NOTHING, gone: ['b'] });
  expect(changeOf(keys('abcd'), keys('bcde'), false)).toEqual({ ...NOTHING, gone: ['a'] });
});

test('on the last page every row that it lacks is gone', () => {
  expect(changeOf(keys('abc'), keys('ab'), true)).toEqual({ ...NOTHING, gone: ['c'] });
  expect(changeOf(keys('abc'), keys('x'), true)).toEqual({ ...NOTHING, newer: ['x'], gone: keys('abc') });
});

test('a page that shares no row with what is shown may hide others between', () => {
  expect(changeOf(keys('ab'), keys('xy'), false)).toEqual({
    ...NOTHING,
    newer: keys('xy'),
    behind: keys('ab'),
    isApart: true,
  });
  expect(changeOf(keys('ab'), [], true)).toEqual({ ...NOTHING, gone: keys('ab'), isApart: true });
  expect(changeOf([], keys('x'), true)).toEqual({ ...NOTHING, newer: ['x'] });
});

interface Member {
  readonly record_id: string;
  readonly group: { readonly id: string; readonly of: number; readonly place: number } | null;
  readonly state: string;
}

function member(record_id: string, id: string | null, place: number, state = 'old'): Member {
  return { record_id, group: id === null ? null : { id, of: 3, place }, state };
}

test('a group that the end of a page cuts keeps the members that are known', () => {
  const known = [member('a', null, 0), member('b1', 'b', 0), member('b2', 'b', 1), member('c', null, 0)];
  const read = [[member('a', null, 0, 'new')], [member('b2', 'b', 1, 'new')]] as const;
  expect(wholeGroups(read, known)).toEqual([
    [member('a', null, 0, 'new')],
    [member('b1', 'b', 0), member('b2', 'b', 1, 'new')],
  ]);
});
