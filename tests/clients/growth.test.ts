import { describe, expect, test } from '@jest/globals';
import { sha256, sha256Hex } from '../../application/sha256.ts';
import { type AuditMeans, auditLog, isAudited } from '../../clients/typescript/verify/audit.ts';
import { logLines } from '../../clients/typescript/verify/growth.ts';
import {
  NOTHING_SAVED,
  type SavedReading,
  savedReadingOf,
  savedText,
} from '../../clients/typescript/verify/saved-reading.ts';
import { hexOf, Malformed, utf8 } from '../../domain/log/encoding.ts';
import { type LogLeaf, leafBytes } from '../../domain/log/leaves/leaf.ts';
import { vkeyText } from '../../domain/log/notes/note.ts';
import { aSigner, aTree } from '../builders/log.ts';
import { aDecisionOpening } from '../builders/log-openings.ts';
import { aCheckpoint, aProofFile, LOG, LOG_KEYS, LOG_POLICY, SEEN, servedFiles } from '../builders/proof-files.ts';

const NEXT = aSigner('stancebook.example/log/2', undefined, 12);
const URL = 'https://w.example/w';
const POLICY = `log ${vkeyText(NEXT.key)}\n${LOG_KEYS.replace(/\n$/, ` ${URL}\n`)}quorum W\n`;

function decision(name: string): Uint8Array {
  return leafBytes({ t: 'decision', c: sha256Hex(name), mark: sha256Hex(`mark of ${name}`), v: 2 });
}

/** A log of `size` leaves. */
function leavesOfLog(size: number): readonly Uint8Array[] {
  return Array.from({ length: size }, (_, i) =>
    i === 0 ? leafBytes({ t: 'log', last: null, v: 1 }) : decision(`c${i}`),
  );
}

/** The leaf by which a log goes on with another one, of which these leaves were signed. */
function continues(signed: readonly Uint8Array[], changes: Partial<LogLeaf> = {}): Uint8Array {
  const root = hexOf(aTree(signed).root);
  return leafBytes({ t: 'continues', of: LOG.key.name, root, size: signed.length, v: 1, ...changes } as LogLeaf);
}

/** What a log of these leaves serves. */
async function served(leaves: readonly Uint8Array[], log = LOG) {
  const files = await servedFiles(leaves, log);
  return async (path: string) => {
    const file = files.get(path);
    if (!file) throw new Malformed(`${path} is not served.`);
    return file;
  };
}

type Served = Awaited<ReturnType<typeof served>>;

const audit = (read: Served, since: SavedReading = NOTHING_SAVED, ask: AuditMeans['ask'] = null) =>
  auditLog(read, POLICY, since, { now: SEEN + 60, live: true, ask });

async function keptOf(leaves: readonly Uint8Array[]): Promise<SavedReading> {
  const { kept } = await audit(await served(leaves));
  if (!kept) throw new Error('The audit failed.');
  return savedReadingOf(savedText(kept));
}

/** The lines `growth` and `continues`, and whether anything else fails. */
async function found(...given: Parameters<typeof audit>) {
  const { lines, kept } = await audit(...given);
  const of = (name: string) =>
    lines.filter(({ subject }) => subject === name).map(({ verdict, detail }) => `${verdict}: ${detail}`);
  const others = lines.filter(
    ({ verdict, subject }) => verdict === 'FAILS' && !['growth', 'continues'].includes(subject),
  );
  return { growth: of('growth'), continues: of('continues'), others, isHeld: isAudited(lines), kept };
}

test('a log that ended is not fresh any more, and its service says which one goes on with it', async () => {
  const fresh = async (servedPolicy: string | null, now = SEEN + 9_000, log = LOG) => {
    const { lines } = await auditLog(await served(leavesOfLog(3), log), POLICY, null, {
      now,
      live: true,
      servedPolicy,
    });
    const { verdict, detail } = lines.find(({ subject }) => subject === 'freshness') ?? { verdict: '', detail: '' };
    return `${verdict}: ${detail}`;
  };
  const ended = `not checked: ${OF} ended; use --log .../log/2 with the same --since`;
  expect(await fresh(POLICY)).toBe(ended);
  expect(await fresh(POLICY, SEEN + 60)).toMatch(/^holds: /);
  const other = aSigner('other.example/log/2', undefined, 12);
  for (const none of [null, 'no policy', LOG_POLICY, `log ${vkeyText(other.key)}\nquorum none\n`])
    expect(await fresh(none)).toMatch(/^FAILS: /);
  expect(await fresh(POLICY, SEEN + 9_000, NEXT)).toMatch(/^FAILS: /);
});

test('a log with a new key that the policy of a reader does not have yet is not checked, and fails no line', async () => {
  const known = leavesOfLog(3);
  const goesOn = await served([...known, continues(known)], NEXT);
  const by = async (policy: string) => {
    const { lines } = await auditLog(goesOn, policy, await keptOf(known), { now: SEEN + 60, live: true });
    const signature = lines.find(({ subject }) => subject === 'signature');
    const failed = lines.filter(({ verdict }) => verdict === 'FAILS').map(({ subject }) => subject);
    return [`${signature?.verdict}: ${signature?.detail}`, failed, isAudited(lines)];
  };
  expect(await by(LOG_POLICY)).toEqual([`not checked: no line of ${BY} in the policy; add it`, [], false]);
  const thief = aSigner(BY, undefined, 13);
  expect(await by(`log ${vkeyText(thief.key)}\n${LOG_POLICY}`)).toEqual([
    ...[`FAILS: no key of ${BY} in the policy signed the checkpoint`, ['signature'], false],
  ]);
});

const OF = 'stancebook.example/log/1';
const BY = 'stancebook.example/log/2';

describe('an audit that goes on', () => {
  test('in the same log says that what it knew is there', async () => {
    const since = await keptOf(leavesOfLog(300));
    expect(await found(await served(leavesOfLog(700)), since)).toMatchObject({
      ...{ growth: ['holds: the 300 leaves that you saw are there'], continues: [], isHeld: true },
    });
    expect(await found(await served(leavesOfLog(299)), since)).toMatchObject({
      growth: [`FAILS: 1 leaf that you saw is gone: you saw 300 of ${OF}; ${OF} has 299, and the log does not say so`],
      kept: null,
    });
  });

  test('in a log that goes on with all of them follows, and goes on from there', async () => {
    const known = leavesOfLog(300);
    const next = [...known, continues(known), decision('new')];
    const followed = await found(await served(next, NEXT), await keptOf(known));
    expect(followed).toMatchObject({
      growth: [`holds: the 300 leaves that you saw of ${OF} are there: ${BY} goes on with them`],
      continues: [
        `not checked: leaf 300: the log goes on with the 300 leaves of ${OF}; no witness says how many it had`,
      ],
      ...{ others: [], isHeld: true },
    });
    const { kept } = followed;
    expect(kept?.origin).toBe(BY);
    expect(kept?.continued).toEqual([expect.objectContaining({ index: 300, of: OF, size: 300 })]);
    const since = savedReadingOf(savedText(kept ?? NOTHING_SAVED));
    expect(await found(await served([...next, decision('newer')], NEXT), since)).toMatchObject({
      ...{ growth: ['holds: the 302 leaves that you saw are there'], isHeld: true },
    });
    expect(await found(await served([...next, continues(known)], NEXT), since)).toMatchObject({ isHeld: false });
  });

  test('of a log with a batch that was never signed follows as well', async () => {
    const known = leavesOfLog(300);
    const next = [...leavesOfLog(320), continues(known)];
    expect(await found(await served(next, NEXT), await keptOf(known))).toMatchObject({ others: [], isHeld: true });
  });

  test('fails where leaves are gone, with the numbers and what the log says of it', async () => {
    const all = leavesOfLog(1_100);
    const since = await keptOf(all);
    const gone = `77 leaves that you saw are gone: you saw 1100 of ${OF}; ${BY} goes on with 1023`;
    const torn = 'not checked: the leaves 768 to 1022 could not be compared; those before are as you saw them';
    const cut = (signed: readonly Uint8Array[], more = 0) => [
      ...all.slice(0, 1_023),
      continues(signed),
      ...leavesOfLog(more).map((_, i) => decision(`new ${i}`)),
    ];
    for (const more of [0, 200]) {
      expect(await found(await served(cut(all, more), NEXT), since)).toMatchObject({
        growth: [`FAILS: ${gone}, and the log says so: ${OF} had 1100`, torn],
        continues: [
          `not checked: 77 leaves of ${OF} are gone from leaf 1023 on, as that says; no witness says how many it had`,
        ],
        ...{ others: [], isHeld: false, kept: null },
      });
      expect(await found(await served(cut(all.slice(0, 1_023), more), NEXT), since)).toMatchObject({
        ...{ growth: [`FAILS: ${gone}, and the log says that ${OF} had 1023`, torn], isHeld: false },
      });
    }
  });

  test('compares full bundles where the edge compares nothing, as when 1,024 leaves became 1,023', async () => {
    const all = leavesOfLog(1_024);
    const since = await keptOf(all);
    const honest = [...all.slice(0, 1_023), continues(all)];
    const changed = honest.map((leaf, i) => (i === 300 ? decision('another') : leaf));
    const gone = expect.stringMatching(/^FAILS: 1 leaf that you saw is gone/);
    expect((await found(await served(honest, NEXT), since)).growth).toEqual([
      gone,
      'not checked: the leaves 768 to 1022 could not be compared; those before are as you saw them',
    ]);
    expect((await found(await served(changed, NEXT), since)).growth).toEqual([
      gone,
      `FAILS: leaves 256 to 511 are not those that you saw of ${OF}`,
    ]);
    const inTorn = honest.map((leaf, i) => (i === 900 ? decision('another') : leaf));
    expect((await found(await served(inTorn, NEXT), since)).growth).toHaveLength(2);
  });

  test('fails for another tree of all leaves, and for a log that does not say that it goes on', async () => {
    const known = leavesOfLog(300);
    const since = await keptOf(known);
    const changed = known.map((leaf, i) => (i === 20 ? decision('another') : leaf));
    expect((await found(await served([...changed, continues(known)], NEXT), since)).growth).toEqual([
      `FAILS: leaves 0 to 255 are not those that you saw of ${OF}`,
    ]);
    const last = known.map((leaf, i) => (i === 299 ? decision('another') : leaf));
    expect((await found(await served([...last, continues(known)], NEXT), since)).growth).toEqual([
      `FAILS: some of the leaves 256 to 299 are not those that you saw of ${OF}`,
    ]);
    expect((await found(await served([...known, decision('new')], NEXT), since)).growth).toEqual([
      `FAILS: ${BY} is another log than ${OF}, of which you saw 300 leaves; it does not say that it goes on with them`,
    ]);
  });

  test('from the file of an earlier version reads all once, and keeps within two bytes a leaf', async () => {
    const { bundles: _, continued: __, ...older } = await keptOf(leavesOfLog(4_000));
    const { v: ___, ...text } = JSON.parse(savedText({ ...older, bundles: Uint8Array.of(), continued: [] }));
    const since = savedReadingOf(`${JSON.stringify({ ...text, v: 3 })}\n`);
    const { kept, isHeld } = await found(await served(leavesOfLog(4_100)), since);
    expect([isHeld, kept?.bundles.length]).toEqual([true, 16 * 32]);
    expect(savedText(kept ?? NOTHING_SAVED).length).toBeLessThan(2 * 4_100);
    const changed = leavesOfLog(4_100).map((leaf, i) => (i === 20 ? decision('another') : leaf));
    expect((await found(await served(changed), since)).others).toMatchObject([{ subject: 'leaves' }]);
  });
});

describe('the leaf by which a log goes on with another one', () => {
  const known = leavesOfLog(300);
  const asked: string[] = [];
  const witness =
    (leaves: readonly Uint8Array[], log = LOG) =>
    async (url: string) => {
      asked.push(url);
      const { size, root } = aTree(leaves);
      return utf8(await aCheckpoint(size, root, SEEN, log));
    };
  const next = [...known, continues(known)];
  const about = async (ask: AuditMeans['ask'], leaves: readonly Uint8Array[] = next) =>
    (await found(await served(leaves, NEXT), NOTHING_SAVED, ask)).continues;

  test('holds where a witness saw no more', async () => {
    const held = `holds: leaf 300: the log goes on with the 300 leaves of ${OF}; W saw no more`;
    expect(await about(witness(known))).toEqual([held]);
    expect(await about(witness(known.slice(0, 200)))).toEqual([held]);
    expect(asked[0]).toBe(`${URL}/${hexOf(sha256(OF))}/checkpoint`);
  });

  test('fails where a witness saw more, or another tree', async () => {
    expect(await about(witness(leavesOfLog(323)))).toEqual([
      `FAILS: leaf 300: W cosigned 323 leaves of ${OF}; the log says that it had 300`,
    ]);
    const other = known.map((leaf, i) => (i === 20 ? decision('another') : leaf));
    for (const size of [300, 200]) {
      expect(await about(witness(other.slice(0, size)))).toEqual([
        `FAILS: leaf 300: W cosigned another tree of ${size} leaves of ${OF}`,
      ]);
    }
    const cut = [...known.slice(0, 290), continues(known)];
    expect(await about(witness(other), cut)).toEqual([
      `FAILS: leaf 290: W cosigned another tree of 300 leaves of ${OF}`,
    ]);
  });

  test('is not checked by a witness that answers nothing, or with what it did not cosign', async () => {
    const open = [expect.stringMatching(/^not checked: .*no witness says how many it had$/)];
    const thief = aSigner(OF, undefined, 13);
    const answers: readonly AuditMeans['ask'][] = [
      async () => null,
      async () => utf8('nothing'),
      witness(leavesOfLog(323), thief),
      witness(leavesOfLog(323), NEXT),
    ];
    for (const answer of answers) expect(await about(answer)).toEqual(open);
  });

  test('fails where it names another tree than the one that is there', async () => {
    const wrong = continues(known, { root: sha256Hex('another tree') } as Partial<LogLeaf>);
    expect(await about(null, [...known, wrong])).toEqual([
      `FAILS: leaf 300 says that ${OF} had another tree of 300 leaves`,
    ]);
    const empty = continues(known, { size: 0 } as Partial<LogLeaf>);
    expect(await about(null, [...known, empty])).toEqual([
      `FAILS: leaf 300 says that ${OF} had another tree of 0 leaves`,
    ]);
  });

  test('is possible once for each log', async () => {
    const { lines } = await audit(await served([...next, continues(known)], NEXT));
    expect(lines.find(({ subject }) => subject === 'rules')).toMatchObject({
      verdict: 'FAILS',
      detail: `1 fault; leaf 301: ${OF} is continued a second time; leaf 300 did it first.`,
    });
  });
});

describe('a receipt, looked up in a log', () => {
  const opening = aDecisionOpening();
  const own = (at: number, size: number) =>
    leavesOfLog(size).map((leaf, i) => (i === at ? leafBytes(opening.leaf) : leaf));
  const placed = async (leaves: readonly Uint8Array[], log = LOG, isLive = true) =>
    (await logLines(await served(leaves, log), null, [await aProofFile(opening)], isLive))[0];

  test('is there at its index, also in a log that goes on', async () => {
    expect(await placed(own(3, 20))).toMatchObject({ verdict: 'holds' });
    const known = own(3, 20);
    expect(await placed([...known, continues(known)], NEXT)).toEqual({
      ...{ verdict: 'holds', subject: 'log', detail: `${BY} has it at 3, in its newest tree of 21 leaves` },
    });
  });

  test('fails where another leaf is there, or none', async () => {
    expect(await placed(own(4, 20))).toMatchObject({ verdict: 'FAILS', detail: `${OF}: another leaf is at 3` });
    expect(await placed(leavesOfLog(3))).toMatchObject({
      verdict: 'FAILS',
      detail: `${OF}: leaf 3 is gone: it has 3 leaves`,
    });
    const cut = leavesOfLog(3);
    expect(await placed([...cut, continues(own(3, 9))], NEXT)).toMatchObject({
      ...{ verdict: 'FAILS', detail: `leaf 3 is gone: ${BY} goes on with 3 leaves of ${OF}` },
    });
    const changed = own(4, 9);
    expect(await placed([...changed, continues(changed)], NEXT)).toMatchObject({
      ...{ verdict: 'FAILS', detail: `another leaf is at 3: ${BY} goes on with 9 leaves of ${OF}` },
    });
  });

  test('several of another origin read each file of the log once', async () => {
    const changed = own(4, 300);
    const files = await served([...changed, continues(changed)], NEXT);
    const read = new Map<string, number>();
    const watched = (path: string) => {
      read.set(path, (read.get(path) ?? 0) + 1);
      return files(path);
    };
    const receipt = await aProofFile(opening);
    const lines = await logLines(watched, null, [receipt, receipt, receipt], true);
    expect(lines.map((each) => each?.verdict)).toEqual(['FAILS', 'FAILS', 'FAILS']);
    expect([...read].filter(([, times]) => times > 1)).toEqual([]);
    expect([...read.keys()].filter((path) => path.includes('entries'))).toHaveLength(2);
  });

  test('is not there yet in a copy of before, and in a log that is read while it grows', async () => {
    expect(await placed(leavesOfLog(3), LOG, false)).toMatchObject({
      ...{
        verdict: 'not checked',
        detail: `this copy of ${OF} is older: it has 3 leaves, and the checkpoint of the file 9`,
      },
    });
    expect(await placed(own(4, 20), LOG, false)).toMatchObject({
      verdict: 'FAILS',
      detail: `${OF}: another leaf is at 3`,
    });
    const [before, now] = [await served(leavesOfLog(3)), await served(own(3, 20))];
    let reads = 0;
    const growing: Served = async (path) => {
      if (path !== 'checkpoint') return now(path);
      reads += 1;
      return reads === 1 ? before(path) : now(path);
    };
    expect(await logLines(growing, null, [await aProofFile(opening)], true)).toMatchObject([{ verdict: 'holds' }]);
  });

  test('is not looked for in another log, as one of an earlier release that imported all decisions', async () => {
    expect(await placed(own(4, 20), NEXT)).toMatchObject({
      ...{ verdict: 'not checked', detail: `${BY} is another log than ${OF}` },
    });
  });

  test('without a leaf that can be read is the matter of other lines', async () => {
    expect(await logLines(await served(own(3, 20)), null, ['no proof'], true)).toEqual([null]);
  });

  test('is not checked in a log that no key of the policy signed', async () => {
    const trustOf = async () => ({ signed: false }) as never;
    const [line] = await logLines(await served(own(3, 20)), trustOf, [await aProofFile(opening)], true);
    expect(line).toMatchObject({ verdict: 'not checked' });
  });
});
