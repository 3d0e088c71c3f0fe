import { expect, test } from '@jest/globals';
import {
  allRead,
  type Digest,
  daysOf,
  lineAddress,
  lineWords,
  newWords,
} from '../../../adapters/http/page/browser/bell/bell-lines.ts';

type Line = Digest['lines'][number];

const NOW = Date.parse('2026-03-02T12:00:00.000Z');

function line(more: Partial<Line> = {}): Line {
  const of = { day: '2026-03-02', kind: 'graded', total: 1, unread: 1, at: '2026-03-02T11:00:00.000Z' } as const;
  return { ...of, subject: 'dec_20260301_5c0ffee5', ...more };
}

const digest = (...lines: readonly Line[]): Digest => ({
  ...{ lines, unread: lines.filter(({ unread }) => unread > 0).length },
  ...{ read_at: null, read_mark: 'x', is_cut: false },
});

test('days are named as people name them, in the order of the lines', () => {
  const lines = [
    line(),
    line({ day: '2026-03-01' }),
    line({ day: '2026-03-01', kind: 'rejected' }),
    line({ day: '2026-02-14' }),
  ];
  expect(daysOf(lines, NOW).map(({ title, lines: those }) => [title, those.length])).toEqual([
    ['Today', 1],
    ['Yesterday', 2],
    ['14 Feb 2026', 1],
  ]);
});

test.each<[Partial<Line>, string, string]>([
  [{}, '1\u00a0decision graded', '#/records/dec_20260301_5c0ffee5'],
  [{ total: 12, unread: 12 }, '12\u00a0decisions graded', '#/own?lifecycle_state=evaluated&evaluated_since=2026-03-02'],
  [
    { total: 12, unread: 3 },
    '12\u00a0decisions graded, 3 new',
    '#/own?lifecycle_state=evaluated&evaluated_since=2026-03-02',
  ],
  [{ kind: 'rejected', total: 2, unread: 0 }, '2\u00a0decisions rejected', '#/own?lifecycle_state=rejected'],
  [
    { kind: 'unscorable', total: 2 },
    '2\u00a0decisions without prices, 1 new',
    '#/own?lifecycle_state=data_unavailable',
  ],
  [{ kind: 'released', total: 2, unread: 2 }, '2\u00a0decisions shown again', '#/own'],
  [{ kind: 'key_expiring', subject: 'sb_1a2b3c' }, 'The key sb_1a2b3c expires soon', '#/keys'],
  [{ kind: 'new_sign_in', subject: null }, 'Sign-in from a new network', '#/security'],
  [{ kind: 'webhook_failing', subject: 'w1' }, 'A webhook fails', '#/webhooks/w1'],
  [{ kind: 'webhook_stopped', subject: 'w1', total: 2, unread: 2 }, '2 webhooks were stopped', '#/webhooks'],
])('%j reads as %s and leads to %s', (more, words, address) => {
  expect([lineWords(line(more)), lineAddress(line(more))]).toEqual([words, address]);
});

test('what has come is said once, and nothing that was there before', () => {
  const before = digest(line({ total: 2, unread: 2 }), line({ kind: 'rejected', unread: 0 }));
  const after = digest(line({ total: 3, unread: 3 }), line({ kind: 'rejected', unread: 0 }), line({ kind: 'lockout' }));
  expect(newWords(before, after)).toBe(
    '3\u00a0decisions graded. Too many wrong passwords: further ones were not checked',
  );
  expect(newWords(after, after)).toBe('');
  expect(newWords(after, allRead(after))).toBe('');
  expect(allRead(after)).toMatchObject({ unread: 0, lines: [{ unread: 0 }, { unread: 0 }, { unread: 0 }] });
});
