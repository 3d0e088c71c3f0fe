import { constants, createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { httpTimestampClient } from '../../../../adapters/log/log-clients.ts';
import { keepLog, resumeLog } from '../../../../application/log/keep-log.ts';
import { sha256 } from '../../../../application/sha256.ts';
import { ed25519Verify } from '../../../../clients/typescript/verify/audit.ts';
import { logLines } from '../../../../clients/typescript/verify/growth.ts';
import { verifyRecord } from '../../../../clients/typescript/verify/record-proof.ts';
import type { SavedReading } from '../../../../clients/typescript/verify/saved-reading.ts';
import { stampChecker } from '../../../../clients/typescript/verify/timestamps.ts';
import { textOf } from '../../../../clients/typescript/verify/verdict.ts';
import { verifyFile } from '../../../../clients/typescript/verify/verify-file.ts';
import { hexOf } from '../../../../domain/log/encoding.ts';
import { judgeCheckpoint } from '../../../../domain/log/notes/checkpoint.ts';
import type { SeenTree } from '../../../../domain/log/notes/last-seen.ts';
import type { SignedNote } from '../../../../domain/log/notes/note.ts';
import { policyOf } from '../../../../domain/log/notes/policy.ts';
import { certificatesOfPem, nodeStampCrypto } from '../../../../domain/log/timestamps/certificates.ts';
import { partialBundle, partialTile, tilesOf, widthOf } from '../../../../domain/log/tree/tile.ts';
import { HOUR, MINUTE } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { aPastCall, gradedCalls } from '../../../harness/cohorts.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../../harness/throwaway-folder.ts';
import {
  asAuthority,
  makeAuthority,
  makeRoot,
  type RunningAuthority,
  startAuthority,
} from '../../../harness/time-stamp-authority.ts';
import { type LoggedService, loggedService, recordFile } from './logged-service.ts';
import { failures, tamper } from './tamper.ts';

// Who runs the service has every right and every key, and calls what is done here a restore.
let logged: LoggedService;

async function auditLines(since?: SavedReading, ask: LoggedService['ask'] | null = null) {
  const { lines, kept } = await logged.outside({ sample: 0, ask, ...(since && { since }) });
  const of = (subject: string) => lines.filter((line) => line.slice(12).startsWith(`${subject} `));
  return { lines, kept, growth: of('growth'), continues: of('continues') };
}

async function placed(file: string): Promise<string> {
  const policy = policyOf(logged.policy, sha256);
  const trustOf = (note: SignedNote) => judgeCheckpoint(note, policy, ed25519Verify);
  const [found] = await logLines(logged.served, trustOf, [file], true);
  return found ? textOf(found) : '';
}

/** Decisions that are graded and logged, after those that there are. */
async function losers(count: number, from: number): Promise<readonly string[]> {
  const calls = Array.from({ length: count }, (_, i) => aPastCall(from + i));
  const ids = await gradedCalls(logged.service, [logged.agent], calls);
  await logged.tick();
  await logged.tick();
  return ids;
}

const TABLES = [
  ...['log_decisions', 'log_outcomes', 'log_pending', 'cohort_tail', 'outcome_evidence', 'decision_outcomes'],
  ...['decision_relations', 'decision_documents', 'decisions'],
];

/** Cuts the stored log to so many leaves, and removes the decisions of the leaves after it, as a restored backup lacks them. */
async function cut(size: number, ids: readonly string[]): Promise<void> {
  const { log } = logged.service.ports;
  const wanted = tilesOf(size);
  const [tiles, bundles] = [
    await log.tiles(1, wanted),
    await log.bundles(
      1,
      wanted.map(({ index }) => index),
    ),
  ];
  const hex = (bytes: Uint8Array) => `'\\x${hexOf(bytes)}'`;
  const kept = tiles.map(({ level, index, hashes }) => {
    const bytes = partialTile(hashes, widthOf({ level, index }, size));
    return `update app.log_tiles set hashes = ${hex(bytes)} where level = ${level} and index = ${index}`;
  });
  const entries = bundles.map(({ index, leaves }) => {
    const bytes = partialBundle(leaves, widthOf({ level: 0, index }, size));
    return `update app.log_bundles set leaves = ${hex(bytes)} where index = ${index}`;
  });
  const records = ['', ...ids].map((id) => `'${id}'`).join(', ');
  await tamper(logged, [
    ...[...kept, ...entries],
    `delete from app.log_signatures where size > ${size}`,
    `delete from app.log_checkpoints where size > ${size}`,
    ...['log_decisions', 'log_outcomes', 'log_heads'].map((table) => `delete from app.${table} where index >= ${size}`),
    ...TABLES.map((table) => `delete from app.${table} where record_id in (${records})`),
    `update app.agent_submissions set number = number - ${ids.length} where agent_id = '${logged.agent.agent_id}'`,
  ]);
}

const sizeNow = async () => (await logged.service.ports.log.latest((await newest()) ?? 0))?.size ?? 0;
const newest = async () => (await logged.service.ports.log.newest())?.log;
const seenNow = async (): Promise<SeenTree> => {
  const latest = await logged.service.ports.log.latest(1);
  const log = await logged.service.ports.log.find(1);
  if (!latest || !log) throw new Error('There is no tree.');
  return { log: 1, origin: log.origin, size: latest.size, root: latest.root };
};

/** A log of winners, with 23 losers at its end that somebody saw. */
async function withLosers(isWitnessed: boolean) {
  logged = await loggedService(3, isWitnessed);
  const before = await sizeNow();
  const ids = await losers(23, 60);
  const { kept } = await auditLines();
  const [loser = ''] = ids;
  const receipts = [await logged.receipt(loser, 'decision'), await logged.receipt(loser, 'outcome')];
  if (!kept || !receipts[0] || !receipts[1]) throw new Error('The audit before kept nothing.');
  return { before, ids, kept, receipts: receipts.map((each) => each ?? ''), seen: await seenNow() };
}

describe.each([false, true])('23 losers that are washed away by log-new; with a witness: %s', (isWitnessed) => {
  let was: Awaited<ReturnType<typeof withLosers>>;
  beforeAll(async () => {
    was = await withLosers(isWitnessed);
    await cut(was.before, was.ids);
    // The note is gone as well: nothing on the machine says that there was more.
    await logged.startNext(null);
    await losers(23, 90);
  });
  afterAll(() => logged.close());

  test('are gone for who read the log before, and the log does not say so', async () => {
    const { growth, kept } = await auditLines(was.kept);
    const gone = was.kept.size - was.before;
    expect(failures(growth)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^FAILS +growth +${gone} leaves that you saw are gone: you saw ${was.kept.size} of \\S+/log/1; ` +
            `\\S+/log/2 goes on with ${was.before}, and the log says that \\S+/log/1 had ${was.before}$`,
        ),
      ),
    ]);
    expect(growth.filter((line) => line.startsWith('not checked'))).toEqual([
      expect.stringContaining(`the leaves 0 to ${was.before - 1} could not be compared`),
    ]);
    expect(kept).toBeNull();
  });

  test('are gone for who has a receipt: neither their decision nor their grade is in the log', async () => {
    for (const receipt of was.receipts) {
      expect(await placed(receipt)).toMatch(/^FAILS +log +(leaf \d+ is gone|another leaf is at \d+)/);
      expect(failures(await logged.verify(receipt))).toEqual([]);
    }
  });

  test(isWitnessed ? 'are known to the witness' : 'are noticed by nobody else', async () => {
    const { continues, lines } = await auditLines(undefined, logged.ask);
    expect(failures(lines)).toEqual(isWitnessed ? continues : []);
    expect(continues).toEqual([
      isWitnessed
        ? expect.stringMatching(
            /^FAILS +continues +leaf \d+: W cosigned \d+ leaves of \S+; the log says that it had \d+$/,
          )
        : expect.stringMatching(/^not checked +continues .*; no witness says how many it had$/),
    ]);
    expect(await logged.inside()).toEqual([]);
  });
});

describe('a restored backup, honestly', () => {
  let was: Awaited<ReturnType<typeof withLosers>>;
  beforeAll(async () => {
    was = await withLosers(true);
    await cut(was.before, was.ids);
    await logged.startNext(was.seen);
    await losers(2, 120);
  });
  afterAll(() => logged.close());

  test('fails for nobody but who saw what is gone, and the log says it', async () => {
    const { lines, continues } = await auditLines(undefined, logged.ask);
    expect(failures(lines)).toEqual([]);
    expect(continues).toEqual([
      expect.stringMatching(
        /^not checked +continues +\d+ leaves of \S+ are gone from leaf \d+ on, as that says; W saw no more$/,
      ),
    ]);
    expect(failures((await auditLines(was.kept, logged.ask)).lines)).toEqual([
      expect.stringMatching(/^FAILS +growth +\d+ leaves that you saw are gone: .*, and the log says so: \S+ had \d+$/),
    ]);
  });

  test('keeps the receipts of what is still there, byte for byte, and the log has their leaves', async () => {
    const { id, decision, outcome } = logged.held(0);
    expect([await logged.receipt(id, 'decision'), await logged.receipt(id, 'outcome')]).toEqual([decision, outcome]);
    for (const receipt of [decision, outcome]) {
      expect(failures(await logged.verify(receipt))).toEqual([]);
      expect(await placed(receipt)).toMatch(/^holds +log +\S+\/log\/2 has it at \d+/);
    }
  });
});

describe('a new key, with nothing lost', () => {
  let kept: SavedReading;
  let file: string;
  beforeAll(async () => {
    logged = await loggedService(4, true);
    const before = await auditLines();
    if (!before.kept) throw new Error('The audit before kept nothing.');
    kept = before.kept;
    file = await recordFile(logged);
    await logged.startNext();
  });
  afterAll(() => logged.close());

  test('no line fails: an audit goes on, and a witness says that it saw no more', async () => {
    await logged.tick(2 * HOUR);
    await logged.agent.submit(aSubmission(await logged.service.ports.clock.now()));
    await logged.tick();
    const after = await auditLines(kept, logged.ask);
    expect(failures(after.lines)).toEqual([]);
    expect(after.growth).toEqual([
      expect.stringMatching(
        /^holds +growth +the \d+ leaves that you saw of \S+\/log\/1 are there: \S+\/log\/2 goes on/,
      ),
    ]);
    expect(after.continues).toEqual([
      expect.stringMatching(/^holds +continues +leaf \d+: the log goes on with the \d+ leaves of \S+; W saw no more$/),
    ]);
    if (!after.kept) throw new Error('The audit kept nothing.');
    expect(failures((await auditLines(after.kept)).lines)).toEqual([]);
    const { lines } = await logged.outside();
    expect(failures(lines)).toEqual([]);
  });

  test('a record of before and one of after are proved, with each number once', async () => {
    const verified = async (text: string) =>
      (await verifyRecord(text, logged.policy, { served: logged.served, stamps: null })).whole;
    expect(await verified(file)).toMatch(/^not proved: number 5 was logged after this file was made/);
    expect(await verified(await recordFile(logged))).toMatch(/^proved: 5 of 5 decisions /);
  });

  test('old receipts hold', async () => {
    const { id, decision, outcome } = logged.held(1);
    expect([await logged.receipt(id, 'decision'), await logged.receipt(id, 'outcome')]).toEqual([decision, outcome]);
    for (const receipt of [decision, outcome]) {
      expect(await placed(receipt)).toMatch(/^holds +log /);
      expect(failures(await logged.verify(receipt))).toEqual([]);
    }
    expect(await logged.inside()).toEqual([]);
  });
});

test('a grade that is changed, and logged again after a cut, fails by its receipt', async () => {
  logged = await loggedService(2);
  try {
    const { id, outcome } = logged.held(0);
    const { owner } = logged.opened;
    const { rows } = await owner.query<{ size: string }>(`
      select max(size) as size from app.log_checkpoints where size <= (select min(index) from app.log_outcomes)`);
    await cut(Number(rows[0]?.size), []);
    await tamper(logged, [
      `update app.decision_outcomes set result_bucket = 'clean_failure' where record_id = '${id}'`,
      `insert into app.log_pending (record_id, seq, event, imported, ready_at)
         select record_id, 1000, 'outcome', false, app.now() from app.decision_outcomes`,
    ]);
    await logged.startNext(null);
    await logged.tick();
    await logged.tick();
    expect(await placed(outcome)).toMatch(
      /^FAILS +log +(leaf \d+ is gone|another leaf is at \d+): \S+\/log\/2 goes on with/,
    );
    expect(await logged.receipt(id, 'outcome')).not.toBe(outcome);
  } finally {
    await logged.close();
  }
});

describe('two stamped trees', () => {
  let folder: string;
  let authority: RunningAuthority;
  beforeAll(async () => {
    folder = makeThrowawayFolder('two-trees');
    makeRoot(folder, 'root');
    makeAuthority(folder, 'tsa');
    authority = await startAuthority(asAuthority(folder, 'tsa'));
    logged = await loggedService(1);
  });
  afterAll(async () => {
    await logged.close();
    await authority.close();
    removeThrowawayFolder(folder);
  });

  /** Logs a decision, has its checkpoint stamped, and returns its id and its receipt. */
  async function stamped(symbol: string) {
    const { service, agent, writer } = logged;
    const now = await service.ports.clock.now();
    const { body } = await agent.submit(aSubmission(now, { symbol }));
    await service.arrange.advance(2 * MINUTE);
    const trusted = certificatesOfPem(readFileSync(join(folder, 'root.pem'), 'utf8'));
    const timestamps = { urls: [authority.url], trusted, client: httpTimestampClient(), crypto, every: MINUTE };
    await keepLog({ ...service.ports, ...writer, timestamps }, writer);
    return { id: String(body.record_id), receipt: (await logged.receipt(body.record_id, 'decision')) ?? '' };
  }

  test('each verify, by a timestamp alone; an audit of before shows that there were two', async () => {
    const before = await sizeNow();
    const loser = await stamped('AAA-USD');
    const { kept } = await auditLines();
    await cut(before, [loser.id]);
    await tamper(logged, ['delete from app.log_witnesses']);
    const { service, writer } = logged;
    await resumeLog({ ...service.ports, ...writer });
    const winner = await stamped('BBB-USD');
    const stamps = stampChecker(readFileSync(join(folder, 'root.pem'), 'utf8'), crypto);
    for (const { receipt } of [loser, winner]) {
      const lines = await verifyFile(receipt, logged.policy, [], { reads: { origins: [], each: [] }, stamps });
      const verdict = (name: string) => lines.find(({ subject }) => subject === name)?.verdict;
      expect(['signature', 'timestamp', 'inclusion'].map(verdict)).toEqual(['holds', 'holds', 'holds']);
    }
    const alone = await auditLines();
    expect(failures(alone.lines)).toEqual([]);
    expect(failures((await auditLines(kept ?? undefined)).lines)).toEqual([expect.stringMatching(/^FAILS +leaves /)]);
    expect(await placed(loser.receipt)).toMatch(/^FAILS +log .*another leaf is at/);
  });

  test('a cut that is called a restore takes a stamped leaf away, and says so to who kept its receipt', async () => {
    const before = await sizeNow();
    const loser = await stamped('CCC-USD');
    const { kept } = await auditLines();
    await cut(before, [loser.id]);
    await tamper(logged, ['delete from app.log_witnesses']);
    await logged.startNext(null);
    const winner = await stamped('DDD-USD');
    const stamps = stampChecker(readFileSync(join(folder, 'root.pem'), 'utf8'), crypto);
    for (const { receipt } of [loser, winner]) {
      const lines = await verifyFile(receipt, logged.policy, [], { reads: { origins: [], each: [] }, stamps });
      const verdict = (name: string) => lines.find(({ subject }) => subject === name)?.verdict;
      expect(['signature', 'timestamp', 'inclusion'].map(verdict)).toEqual(['holds', 'holds', 'holds']);
    }
    expect(await placed(winner.receipt)).toMatch(/^holds +log /);
    expect(await placed(loser.receipt)).toMatch(/^FAILS +log .*(leaf \d+ is gone|another leaf is at \d+)/);
    expect(failures((await auditLines()).lines)).toEqual([]);
    const { growth } = await auditLines(kept ?? undefined);
    expect(failures(growth)).toEqual([
      expect.stringMatching(/^FAILS +growth +\d+ lea(f|ves) that you saw (is|are) gone/),
    ]);
  });
});

const crypto = nodeStampCrypto({ createHash, createPublicKey, verify, constants });
