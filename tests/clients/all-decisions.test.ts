import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { openingsIn } from '../../clients/typescript/verify/all-decisions.ts';
import { auditLog } from '../../clients/typescript/verify/audit.ts';
import { NOTHING_SAVED } from '../../clients/typescript/verify/saved-reading.ts';
import { snapshotReading } from '../../clients/typescript/verify/snapshot-line.ts';
import { Malformed, utf8 } from '../../domain/log/encoding.ts';
import { type LogLeaf, leafBytes } from '../../domain/log/leaves/leaf.ts';
import type { Opening } from '../../domain/log/leaves/opening.ts';
import { vkeyText } from '../../domain/log/notes/note.ts';
import { entryBundle, nodesOfTile, openingsPath, tileBytes, tilePath, tilesOf } from '../../domain/log/tree/tile.ts';
import { type NameBook, nameBook } from '../../domain/market/name-book.ts';
import { MINUTE } from '../../domain/time.ts';
import { aSigner, aTree } from '../builders/log.ts';
import { aDecisionOpening, anOutcomeOpening, STATED } from '../builders/log-openings.ts';
import { aStatement } from '../builders/names.ts';
import { aCheckpoint, LOG, LOG_POLICY, SEEN } from '../builders/proof-files.ts';

const PAIRS = 130;
const idOf = (n: number) => `dec_20260302_${n.toString(16).padStart(8, '0')}`;

/** A decision a second, over a minute's window of a day. */
const stated = (n: number, changes: object = {}) =>
  aDecisionOpening({
    ...{ ...STATED, record_id: idOf(n), horizon_value: 86_400, ...changes },
    submission_time: new Date(STATED.submission_time.getTime() + n * 100),
  });

interface AnyLog {
  readonly leaves: readonly Uint8Array[];
  /** By the index of the leaf. */
  readonly openings: ReadonlyMap<number, Opening>;
}

/** A log of decisions at 1 to PAIRS, with their outcomes after them: two entry bundles. */
function aLog(more: readonly LogLeaf[] = [], changes: (n: number) => object = () => ({})): AnyLog {
  const openings = new Map<number, Opening>();
  for (let n = 1; n <= PAIRS; n += 1) {
    openings.set(n, stated(n, changes(n)));
    openings.set(PAIRS + n, anOutcomeOpening(n));
  }
  const first: LogLeaf = { t: 'log', last: null, v: 1 };
  const leaves = [first, ...[...openings].toSorted(([a], [b]) => a - b).map(([, { leaf }]) => leaf), ...more];
  return { leaves: leaves.map(leafBytes), openings };
}

interface Served {
  /** The lines of the openings of a bundle. */
  readonly lines?: (lines: readonly string[], bundle: number) => readonly string[];
  readonly seen?: number;
  readonly snapshot?: string;
  readonly snapshotFile?: string;
  readonly book?: NameBook;
  readonly since?: typeof NOTHING_SAVED;
  readonly now?: number;
  readonly servedPolicy?: string;
}

async function audit({ leaves, openings }: AnyLog, served: Served = {}) {
  const { lines = (same) => same, seen = SEEN, snapshot, since = NOTHING_SAVED, now = SEEN + 60 } = served;
  const { servedPolicy = null, snapshotFile = 'rows', book } = served;
  const { size, root, hashOf } = aTree(leaves);
  const note = await aCheckpoint(size, root, seen);
  const files = new Map([['checkpoint', utf8(note)]]);
  for (const tile of tilesOf(size)) {
    files.set(tilePath(tile), tileBytes(nodesOfTile(tile).map(hashOf)));
    if (tile.level > 0) continue;
    const from = 256 * tile.index;
    files.set(tilePath({ ...tile, level: 'entries' }), entryBundle(leaves.slice(from, from + tile.width)));
    const shown = [...openings].filter(([index]) => index >= from && index < from + 256).toSorted(([a], [b]) => a - b);
    const all = [canonicalJson({ note }), ...shown.map(([index, opening]) => canonicalJson({ index, opening }))];
    files.set(openingsPath(tile.index), utf8(`${lines(all, tile.index).join('\n')}\n`));
  }
  const read = async (path: string) => {
    const file = files.get(path);
    if (!file) throw new Malformed(`${path} is not served.`);
    return file;
  };
  let begun = 0;
  const all = {
    begin: (bundles: number) => {
      begun = bundles;
    },
    ...(snapshot !== undefined && { snapshot: snapshotReading(snapshot, snapshotFile, book) }),
  };
  const audited = await auditLog(read, LOG_POLICY, since, { now, live: true, all, servedPolicy });
  const lineOf = (subject: string) => audited.lines.find((each) => each.subject === subject);
  return {
    ...audited,
    begun,
    decisions: lineOf('decisions'),
    order: lineOf('order'),
    time: lineOf('time'),
    snapshot: lineOf('snapshot'),
  };
}

const without = (index: number) => (lines: readonly string[]) =>
  lines.filter((line) => !line.startsWith(`{"index":${index},`));
const changed = (index: number, by: (line: string) => string) => (lines: readonly string[]) =>
  lines.map((line) => (line.startsWith(`{"index":${index},`) ? by(line) : line));

describe('an audit that opens everything', () => {
  test('holds over several bundles, and judges order and times of all', async () => {
    const { decisions, order, time, begun } = await audit(aLog());
    expect(begun).toBe(2);
    expect(decisions).toEqual({
      verdict: 'holds',
      subject: 'decisions',
      detail:
        '0 of 130 missing or altered: all graded ones were opened; not opened: 0 open, 0 of them for longer than 380 days, 0 closed',
    });
    expect(order?.detail).toBe('130 opened decisions were logged in the order of their minutes');
    expect(time).toMatchObject({ verdict: 'holds', detail: expect.stringMatching(/^130 of 130 held, 0 too short/) });
  });

  test('finds all that are late, where a sample finds some', async () => {
    const { time, newLate } = await audit(aLog(), { seen: SEEN + 3_600, now: SEEN + 3_660 });
    expect([time?.verdict, newLate]).toEqual(['late', 130]);
  });

  test.each([
    ['an opening of another leaf', changed(5, (line) => line.replace('"index":5', '"index":6')), 'it is opened twice'],
    [
      'other content',
      changed(135, (line) => line.replace('strong_correct', 'weak_correct')),
      'the opening is not that of the leaf',
    ],
    [
      'another salt',
      changed(5, (line) => line.replace('"public_salt":"1', '"public_salt":"2')),
      'the opening is not that of the leaf',
    ],
    ['no opening', changed(5, () => '{"index":5,"opening":{"v":1}}'), 'The extra data is not an opening'],
    [
      'half of a surrogate pair',
      changed(5, () => '{"index":5,"opening":"\\ud800"}'),
      'the opening has no RFC 8785 form',
    ],
    ['no note', (lines: readonly string[]) => lines.slice(1), 'the checkpoint of its proof is missing'],
  ])('fails for %s', async (_, lines, fault) => {
    const { decisions, kept } = await audit(aLog(), { lines });
    expect([decisions?.verdict, kept]).toEqual(['FAILS', null]);
    expect(decisions?.detail).toContain(fault);
  });

  test('fails for an opening whose leaf the log does not have', async () => {
    const lines = changed(7, (line) => canonicalJson({ ...JSON.parse(line), opening: stated(999) }));
    expect((await audit(aLog(), { lines })).decisions).toMatchObject({
      ...{ verdict: 'FAILS', detail: '1 of 130 missing or altered; leaf 7: the opening is that of another leaf' },
    });
  });

  test('fails for two leaves of one record', async () => {
    const log = aLog();
    const twice = new Map([...log.openings, [8, stated(7)]]);
    const leaves = log.leaves.with(8, leafBytes(stated(7).leaf));
    expect((await audit({ leaves, openings: twice })).decisions?.detail).toContain(
      `leaf 8: ${idOf(7)} is also the record of leaf 7`,
    );
  });

  test('fails for the checkpoint of another tree', async () => {
    const other = await aCheckpoint(261, aTree(aLog().leaves.with(3, utf8('{}'))).root);
    const lines = (all: readonly string[]) => [canonicalJson({ note: other }), ...all.slice(1)];
    expect((await audit(aLog(), { lines })).time).toMatchObject({
      ...{ verdict: 'FAILS', detail: expect.stringContaining('of another tree of 261 leaves: the log has two trees') },
    });
  });

  test.each([[['no json']], [['[]']], [['{"index":1}']], [['{"index":300,"opening":{}}']], [['{"note":"x"}']]])(
    'fails for a reply with the line %j',
    async (more) => {
      const lines = (all: readonly string[], bundle: number) => (bundle === 0 ? [...all, ...more] : all);
      const { lines: found } = await audit(aLog(), { lines });
      expect(found.map(({ verdict }) => verdict)).toContain('FAILS');
    },
  );

  test.each([5, 135])('remembers a graded decision without its leaf %i, and fails after a day', async (index) => {
    const first = await audit(aLog(), { lines: without(index) });
    expect(first.decisions).toMatchObject({
      verdict: 'not checked',
      detail: expect.stringContaining('1 of 130 not shown, such as leaf 5: a leaf may close it within a day'),
    });
    const since = first.kept ?? NOTHING_SAVED;
    const later = { lines: without(index), since, seen: SEEN + 90_000, now: SEEN + 90_000 };
    expect((await audit(aLog(), later)).decisions).toMatchObject({
      verdict: 'FAILS',
      detail: '1 of 130 missing or altered; leaf 5 is graded, not shown for a day, and not closed',
    });
    const { key } = aSigner(LOG.key.name.replace('/1', '/2'), undefined, 12);
    const servedPolicy = `log ${vkeyText(key)}\n${LOG_POLICY}`;
    expect((await audit(aLog(), { ...later, servedPolicy })).decisions).toMatchObject({
      verdict: 'not checked',
      detail: expect.stringMatching(/^1 of 130 not shown, such as leaf 5: \S+\/log\/1 ended; use --log \.\.\.\/log\/2/),
    });
    const closed = aLog([{ t: 'closed', of: 5, reason: 'quarantined', v: 1 }]);
    expect((await audit(closed, later)).decisions).toMatchObject({
      verdict: 'holds',
      detail: expect.stringMatching(/^0 of 129 missing or altered: .* 1 closed$/),
    });
  });

  test('counts open decisions before one of more than 380 days ago', async () => {
    const log = aLog();
    const open = new Map([...log.openings].filter(([index]) => index !== 3));
    const ungraded = log.leaves.with(PAIRS + 3, leafBytes({ t: 'snapshot', sha256: '0'.repeat(64), v: 1 }));
    const at = async (minutes: number) => {
      const now = SEEN + 380 * 86_400 + minutes * 60;
      const openings = new Map([...open].filter(([index]) => index !== PAIRS + 3));
      return (await audit({ leaves: ungraded, openings }, { seen: now, now })).decisions?.detail;
    };
    expect(await at(0)).toContain('not opened: 1 open, 0 of them for longer');
    expect(await at(8)).toContain('not opened: 1 open, 1 of them for longer');
  });

  test('leaves out what came after the leaves that it read', async () => {
    const lines = (all: readonly string[], bundle: number) =>
      bundle === 0 ? all : [...all, canonicalJson({ index: 400, opening: stated(400) })];
    expect((await audit(aLog(), { lines })).decisions?.verdict).toBe('holds');
  });
});

test('openings are read by themselves, each checked against the leaf that it names', async () => {
  const [first, second] = [stated(1), stated(2)];
  const note = await aCheckpoint(9, new Uint8Array(32));
  const text = [{ note }, { index: 257, opening: first }, { index: 300, opening: { ...second, commitment: 'x' } }]
    .map((line) => `${canonicalJson(line)}\n`)
    .join('');
  const { notes, opened, faults } = openingsIn(text, 1);
  expect(notes).toEqual([{ size: 9, note }]);
  expect(opened).toEqual([{ index: 257, opening: first }]);
  expect([...faults.keys()]).toEqual([300]);
  expect(() => openingsIn(text, 0)).toThrow(Malformed);
  expect(openingsIn('', 0)).toEqual({ notes: [], opened: [], faults: new Map() });
});

describe('the rows of a public snapshot', () => {
  const row = {
    ...{ market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' },
    ...{ direction: 'bullish', horizon_kind: 'holding_seconds', horizon_value: 86_400, data_cutoff_month: '2026-03' },
    ...{ counted_as: 'realtime', result_bucket: 'strong_correct', had_said_bullish: 'strong_correct' },
    ...{ had_said_bearish: 'strong_incorrect', had_said_neutral: 'weak_incorrect', method: 'eval/1', grid: null },
  };
  const rows = (count: number, ...others: readonly object[]) =>
    [...Array.from({ length: count }, () => row), ...others].map((each) => `${JSON.stringify(each)}\n`).join('');

  test('are those of opened decisions', async () => {
    for (const snapshot of [rows(130), rows(3), '', rows(1, { ...row, later_column: 7 })]) {
      expect((await audit(aLog(), { snapshot })).snapshot).toMatchObject({
        ...{ verdict: 'holds', detail: expect.stringContaining('each of a decision that was opened as logged') },
      });
    }
  });

  test('of an earlier release lack what each direction would have got', async () => {
    const unknown = { ...row, had_said_bullish: null, had_said_bearish: null, had_said_neutral: null };
    expect((await audit(aLog(), { snapshot: rows(129, unknown) })).snapshot?.verdict).toBe('holds');
    expect((await audit(aLog(), { snapshot: rows(130, unknown) })).snapshot?.verdict).toBe('FAILS');
  });

  test('count under the security that names said when the snapshot was made', async () => {
    const said = aStatement({ market: 'crypto', name: 'BTC', from: '2020-01-01', key: 'XBTC' });
    const book = nameBook([{ ...said, id: 1, learned_at: new Date('2026-03-20T00:00:00.000Z') }]);
    const moved = rows(60, ...Array.from({ length: 70 }, () => ({ ...row, symbol: 'XBTC' })));
    expect((await audit(aLog(), { snapshot: moved, book })).snapshot?.verdict).toBe('holds');
    expect((await audit(aLog(), { snapshot: moved })).snapshot?.verdict).toBe('FAILS');
    const other = rows(129, { ...row, symbol: 'ETH' });
    expect((await audit(aLog(), { snapshot: other, book })).snapshot?.verdict).toBe('FAILS');
  });

  test.each([
    ['bucket', { result_bucket: 'weak_correct' }],
    ['symbol', { symbol: 'ETH' }],
    ['month', { data_cutoff_month: '2026-02' }],
    ['what another direction would have got', { had_said_neutral: 'weak_correct' }],
    ['what it counts as', { counted_as: 'retroactive' }],
  ])('fail when one was altered: %s', async (_, changes) => {
    const { snapshot, kept } = await audit(aLog(), { snapshot: rows(129, { ...row, ...changes }) });
    expect(snapshot).toMatchObject({
      verdict: 'FAILS',
      detail: expect.stringMatching(
        /^1 of 130 rows are of no decision that is shown, such as row 130, \[.*; 0 graded ones/,
      ),
    });
    expect(kept).toBeNull();
  });

  test.each([
    ['decisions.jsonl', PAIRS - 5],
    ['2026-03/decisions-with-retroactive.jsonl', PAIRS - 5],
    ['further-horizons.jsonl', 5],
    ['C:\\data\\further-horizons-with-retroactive.jsonl', 5],
    ['saved-rows', PAIRS],
  ])('in %s are those of %i decisions: others are of horizons that the file does not hold', async (file, most) => {
    const log = aLog([], (n) => ({ group_place: n <= 5 ? 2 : null }));
    const audited = (count: number) => audit(log, { snapshot: rows(count), snapshotFile: file });
    expect((await audited(most)).snapshot?.verdict).toBe('holds');
    expect((await audited(most + 1)).snapshot?.verdict).toBe('FAILS');
  });

  test('fail when there are more than decisions', async () => {
    expect((await audit(aLog(), { snapshot: rows(131) })).snapshot?.verdict).toBe('FAILS');
  });

  test('are not checked, as many as were closed after a grade', async () => {
    const closed = aLog([{ t: 'closed', of: 5, reason: 'quarantined', v: 1 }]);
    const openings = new Map([...closed.openings].filter(([index]) => index !== 5 && index !== PAIRS + 5));
    const audited = await audit({ ...closed, openings }, { snapshot: rows(130) });
    expect(audited.decisions?.verdict).toBe('holds');
    expect(audited.snapshot).toMatchObject({
      verdict: 'not checked',
      detail:
        '1 of 130 rows are of no decision that is shown, such as row 130: quarantined since, or another row; ' +
        '1 graded ones are closed, 0 are not shown',
    });
    expect((await audit({ ...closed, openings }, { snapshot: rows(131) })).snapshot?.verdict).toBe('FAILS');
  });

  test.each(['market,symbol\n', 'PAR1', '{"market":"crypto"}\n', '[]\n'])('are not in the file %j', (text) => {
    expect(() => snapshotReading(text, 'decisions.jsonl')).toThrow(
      'Line 1 is no row of a public snapshot; --snapshot reads its decisions.jsonl.',
    );
  });
});

test('the times of the builder fit', () => {
  expect(SEEN * 1_000 - STATED.submission_time.getTime()).toBeLessThan(2 * MINUTE);
});
