import { expect, test } from '@jest/globals';
import {
  originOf,
  recordPath,
  trackAddress,
  trackFilters,
} from '../../../adapters/http/page/browser/agents/track-query.ts';
import {
  filtersOf,
  groupedRows,
  listAddress,
  listPath,
  placeOf,
  searched,
  totalsPath,
} from '../../../adapters/http/page/browser/records/decision-query.ts';
import { ownerRecordsQuery } from '../../../adapters/http/shapes/decisions/own-records.ts';
import { trackRecordQuery } from '../../../adapters/http/shapes/decisions/track-record.ts';

const EVERY = {
  agent_id: 'agt_4f1c2d3e5a6b',
  group_id: 'grp_5c0ffee55c0ffee55c0ffee5',
  market: 'stock',
  symbol: 'BRK.B',
  direction: 'bullish',
  lifecycle_state: 'evaluated',
  result_bucket: 'strong_correct',
  submitted_since: '2026-01-01',
  submitted_until: '2026-01-31',
  submission_origin: 'realtime',
  ended_since: '2026-02-02',
  ended_until: '2026-02-08',
  include_archived: 'true',
};

test('the filters of an address survive it, and nothing else does', () => {
  const [, query = ''] = listAddress(EVERY).split('?');
  expect(filtersOf(new URLSearchParams(`${query}&cursor=abc&other=1&venue=`))).toEqual(EVERY);
  expect([listAddress({}), listAddress({}, { cursor: 'c' })]).toEqual(['#/own', '#/own?cursor=c']);
});

test('page, order and open decision of an address survive it, apart from the filters', () => {
  const place = { cursor: 'abc', sort: '-z', record: 'dec_20260130_5c0ffee5' };
  const [, query = ''] = listAddress(EVERY, place).split('?');
  const read = new URLSearchParams(query);
  expect([placeOf(read), filtersOf(read)]).toEqual([place, EVERY]);
  expect(placeOf(new URLSearchParams())).toEqual({ cursor: null, sort: null, record: null });
});

test('a list has totals where a track record counts what its filters select', () => {
  const { market: _, lifecycle_state: __, group_id: ___, include_archived: ____, ...others } = EVERY;
  const { submission_origin: _____, ended_since: ______, ended_until: _______, ...counted } = others;
  const [path, query = ''] = (totalsPath(counted, 'agt_0') ?? '').split('?');
  expect(path).toBe('/api/v1/owner/agents/agt_4f1c2d3e5a6b/track-record');
  const sent = Object.fromEntries(new URLSearchParams(query));
  expect(trackRecordQuery.parse(sent)).toMatchObject({
    ...{ symbol: 'BRK.B', direction: 'bullish', result_bucket: 'strong_correct' },
    ...{ date_from: expect.anything(), date_to: expect.anything() },
  });
  expect(totalsPath({}, 'agt_0')).toBe('/api/v1/owner/agents/agt_0/track-record');
  for (const name of ['market', 'lifecycle_state', 'group_id', 'include_archived', 'ended_since'] as const)
    expect([name, totalsPath({ [name]: EVERY[name] }, 'agt_0')]).toEqual([name, null]);
});

test('the rows of a group are one, with the horizon that leads first', () => {
  const row = (record_id: string, id: string | null, place = 1) => ({
    record_id,
    group: id === null ? null : { id, of: 3, place },
  });
  const [a3, b2, alone, a1, a2] = [
    row('5', 'a', 3),
    row('4', 'b', 2),
    row('3', null),
    row('2', 'a', 1),
    row('1', 'a', 2),
  ];
  expect(groupedRows([a3, b2, alone, a1, a2])).toEqual([[a1, a2, a3], [b2], [alone]]);
  expect(groupedRows([])).toEqual([]);
});

test('the request of a page is one that the service understands, with whole days of UTC', () => {
  const [path, query = ''] = listPath(EVERY, 'next', 50).split('?');
  expect(path).toBe('/api/v1/owner/decisions');
  const sent = Object.fromEntries(new URLSearchParams(query));
  expect(ownerRecordsQuery.parse(sent)).toMatchObject({
    symbol: 'BRK.B',
    submitted_since: new Date('2026-01-01T00:00:00Z'),
    submitted_until: new Date('2026-02-01T00:00:00Z'),
    submission_origin: 'realtime',
    ended_since: new Date('2026-02-02T00:00:00Z'),
    ended_until: new Date('2026-02-09T00:00:00Z'),
    include_archived: true,
    cursor: 'next',
    limit: 50,
  });
  expect(listPath({ submitted_since: 'yesterday' }, null, 5)).toContain('submitted_since=yesterday');
});

test.each([
  ['dec_20260130_5c0ffee5', { record: 'dec_20260130_5c0ffee5' }],
  [' MSFT ', { symbol: 'MSFT' }],
  ['', { symbol: '' }],
])('a search for %j is %j', (typed, found) => {
  expect(searched(typed)).toEqual(found);
});

test('the filters of a track record are those of its request, and the origin is of the page alone', () => {
  const filters = {
    symbol: 'BTC',
    direction: 'bearish',
    date_from: '2026-01-01',
    date_to: '2026-02-01',
    holding_seconds_min: '60',
    holding_seconds_max: '86400',
  };
  const [, query = ''] = trackAddress('agt_1', { ...filters, origin: 'retroactive' }).split('?');
  expect(trackFilters(new URLSearchParams(`${query}&other=1`))).toEqual({ ...filters, origin: 'retroactive' });
  const [, sent = ''] = recordPath('agt_1', { ...filters, origin: 'retroactive' }).split('?');
  expect(trackRecordQuery.safeParse(Object.fromEntries(new URLSearchParams(sent))).success).toBe(true);
  expect(recordPath('a/b', {})).toBe('/api/v1/owner/agents/a%2Fb/track-record');
});

test('without a choice, decisions stated before the prices were known are shown if there are any', () => {
  expect([originOf({}, 1), originOf({}, 0), originOf({ origin: 'realtime' }, 0), originOf({ origin: 'x' }, 0)]).toEqual(
    ['realtime', 'retroactive', 'realtime', 'retroactive'],
  );
});
