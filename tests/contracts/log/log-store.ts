import { beforeAll, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { ed25519Verify } from '../../../application/ed25519.ts';
import { checkLog } from '../../../application/log/check-log.ts';
import { sha256 } from '../../../application/sha256.ts';
import { bytesOfHex, hexOf, utf8 } from '../../../domain/log/encoding.ts';
import { markOf, numberedProducer, numberedProducerDigest } from '../../../domain/log/leaves/leaf.ts';
import { leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import {
  auditHeadDigest,
  decisionDigest,
  loggedOutcome,
  outcomeDigest,
  publicDigest,
  publicStatement,
} from '../../../domain/log/leaves/public-statement.ts';
import { checkpointText } from '../../../domain/log/notes/checkpoint.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { receiptOf } from '../../builders/decisions.ts';
import { type KeptLog, keptLog, LOG_KEY, seenInMemory, sequence } from '../../harness/kept-logs.ts';
import type { Bench } from '../decisions/bench.ts';
import { evaluateAll } from '../decisions/evaluated.ts';
import { found } from '../decisions/intake-acceptance.ts';
import { closedAndReopened, gradedInItsMinute, twentySequencers, typesAbout } from './scenarios.ts';

/** The promises of the log, by the sequencer over the storage. */
export function logStoreContract(bench: Bench): void {
  const later = (millis = 2 * MINUTE) => bench.arrange().advance(millis);
  const run = async (limit?: number): Promise<KeptLog> => {
    await sequence(bench.storage(), limit === undefined ? {} : { limit });
    return keptLog(bench.storage());
  };
  const indexOf = async (record_id: string) => (await bench.storage().log.leavesOf(1, record_id))?.index;

  let imported: string[];
  let graded: string;
  beforeAll(async () => {
    const agent = await bench.agent();
    imported = [];
    for (let i = 0; i < 3; i++) imported.push((await bench.accepted(agent)).record_id);
    [graded = ''] = imported;
    await evaluateAll(bench);
    await bench.arrange().mark(imported[1] ?? '', { quarantine_reason: 'made up' });
  });

  test('decisions from before the log are imported, with what became of them', async () => {
    const first = await run();
    expect(first.leaves[0]).toEqual({ t: 'log', last: null, v: 1 });
    await later();
    const { leaves } = await run();
    const types = leaves.map(({ t }) => t).filter((t) => t !== 'snapshot');
    expect(types).toEqual([
      'log',
      ...['imported', 'imported', 'imported'],
      ...['outcome', 'outcome', 'outcome', 'closed'].slice(0, types.length - 4),
    ]);
    await later();
    const whole = await run();
    expect(typesAbout(whole, await indexOf(graded))).toEqual(['outcome']);
    expect(typesAbout(whole, await indexOf(imported[1] ?? ''))).toEqual(['outcome', 'closed']);
  });

  test('a submission has a leaf once its minute has ended, for good, and opens it', async () => {
    const agent = await bench.agent();
    await later();
    const before = await run();
    const { record_id } = await bench.accepted(agent);
    expect((await run()).size).toBe(before.size);
    expect(await bench.storage().log.leavesOf(1, record_id)).toBeNull();
    expect((await found(bench, record_id)).log).toBeNull();
    await later();
    const after = await run();
    expect(after.size).toBe(before.size + 1);
    expect(after.bytes.slice(0, before.size)).toEqual(before.bytes);
    const kept = await bench.storage().log.leavesOf(1, record_id);
    expect(kept).toMatchObject({ index: before.size, outcome: null });
    const decision = await found(bench, record_id);
    expect(decision.log).toEqual({ index: before.size, outcome_index: null, late: false });
    const statement = publicStatement(decision);
    const salts = await bench.storage().log.agentSalts([agent.agent_id, 'agt_unknown']);
    expect([...salts.keys()]).toEqual([agent.agent_id]);
    const agent_salt = String(salts.get(agent.agent_id));
    const next_mark = hexOf(markOf(agent_salt, 2, sha256));
    const named = { ...decision, salt: String(decision.salt), number: 1, next_mark };
    const c = decisionDigest(
      {
        commitment: bytesOfHex(decision.commitment),
        publicDigest: publicDigest(kept?.public_salt ?? Uint8Array.of(), statement, canonicalJson, sha256),
        producer: numberedProducerDigest(numberedProducer(named, sha256), sha256),
      },
      sha256,
    );
    const mark = hexOf(markOf(agent_salt, 1, sha256));
    expect(after.leaves[before.size]).toEqual({ t: 'decision', c: hexOf(c), mark, v: 2 });
    expect(await bench.storage().log.recordAt(1, before.size)).toBe(record_id);
    expect(await bench.storage().log.recordAt(1, 0)).toBeNull();
    const unknown = 'dec_20260101_00000000';
    expect(await bench.storage().log.leavesOfEach(1, [unknown, record_id])).toEqual(new Map([[record_id, kept]]));
    const { log } = bench.storage();
    expect(await log.bundles(1, [9_999, 0])).toEqual([{ index: 0, leaves: await log.bundle(1, 0) }]);
  });

  test('an outcome is in a later batch than its decision, once, and opens its leaf', async () => {
    const { record_id, size, leaves: kept } = await gradedInItsMinute(bench, bench.storage());
    const log = await keptLog(bench.storage());
    expect(typesAbout(log, kept?.index)).toEqual(['outcome']);
    if (!kept?.outcome) throw new Error('The outcome has no leaf.');
    const { outcome_salt, evidence, shown, index } = kept.outcome;
    const { evaluated_at, result_bucket, facts, ...decision } = await found(bench, record_id);
    if (!evaluated_at || !result_bucket || !facts) throw new Error('The record has no grade.');
    const public_outcome = loggedOutcome({ ...decision, evaluated_at, result_bucket, facts }, evidence, shown);
    expect(public_outcome).toMatchObject({ v: 1, result_bucket: 'strong_correct' });
    const o = hexOf(outcomeDigest(outcome_salt, public_outcome, canonicalJson, sha256));
    expect(log.leaves[index]).toEqual({ t: 'outcome', o, of: kept?.index, v: 1 });
    expect((await found(bench, record_id)).log).toMatchObject({ index: kept?.index, outcome_index: index });
    expect(kept?.index).toBeLessThan(size);
    expect(index).toBeGreaterThanOrEqual(size);
  });

  test('a decision is closed and reopened within a day each, in this order', async () => {
    expect(await closedAndReopened(bench, bench.storage())).toEqual({
      atFirst: [],
      inTheEnd: ['closed', 'reopened'],
    });
  });

  test('the first batch of a day has a leaf for the head of the audit log, if it is another one', async () => {
    const { log: store, audit } = bench.storage();
    const append = () => audit.append({ actor: 'a test', action: 'tried', subject: 'something', detail: {} });
    await later(DAY);
    await append();
    const log = await run();
    const logged = (await store.heads()).at(-1);
    if (!logged) throw new Error('No head is logged.');
    const { index, head, salt } = logged;
    expect(head).toEqual(await audit.head());
    expect(log.leaves[index]).toEqual({ t: 'snapshot', sha256: hexOf(auditHeadDigest(salt, head, sha256)), v: 1 });
    expect(await store.lastHead(1)).toMatchObject({ head });
    await append();
    expect((await run()).size).toBe(log.size);
    await later(DAY);
    expect((await run()).size).toBe(log.size + 1);
    await later(DAY);
    expect((await run()).size).toBe(log.size + 1);
  });

  test('a clock that goes back to a day with a head stops nothing', async () => {
    const { audit } = bench.storage();
    const before = await keptLog(bench.storage());
    await later(-2 * DAY);
    await audit.append({ actor: 'a test', action: 'tried', subject: 'something', detail: {} });
    expect((await run()).size).toBe(before.size);
    await later(2 * DAY);
    expect((await run()).size).toBe(before.size + 1);
  });

  test('operators see what is signed and what waits; what has its random time to wait is not late', async () => {
    const agent = await bench.agent();
    await later();
    await run();
    const overview = async () => bench.storage().log.overview(1, await bench.now());
    const signed = await overview();
    expect(signed).toMatchObject({ signed_at: expect.any(Date), waiting_since: null });
    const { record_id } = await bench.accepted(agent);
    await bench.arrange().mark(record_id, { quarantine_reason: 'made up' });
    await later(1);
    const submitted = (await found(bench, record_id)).submission_time;
    expect(await overview()).toEqual({ ...signed, pending: signed.pending + 2, waiting_since: submitted });
    await later();
    const { size } = await run();
    expect(await overview()).toMatchObject({ size, pending: signed.pending + 1, waiting_since: null });
  });

  test('a decision whose leaf is signed more than five minutes after its minute is late, and so it stays', async () => {
    const agent = await bench.agent();
    await later();
    await run();
    const { size } = await run();
    const late = async ({ record_id }: { readonly record_id: string }) => (await found(bench, record_id)).log?.late;
    const [slow, hindsight] = [
      await bench.accepted(agent),
      receiptOf(await bench.storage().intake.submit(await bench.hindsight(agent))),
    ];
    const { log, clock } = bench.storage();
    expect(await log.hasTimedLeaf(1, size)).toBe(false);
    await later(7 * MINUTE);
    const prompt = await bench.accepted(agent);
    await later();
    await run();
    expect([await late(slow), await late(hindsight), await late(prompt)]).toEqual([true, null, false]);
    expect(await late({ record_id: imported[0] ?? '' })).toBeNull();
    const at = (millis: number) => clock.now().then((now) => new Date(now.getTime() + millis));
    expect([await log.lateDecisions(1, await at(0)), await log.lateDecisions(1, await at(1))]).toEqual([1, 0]);
    expect([await log.hasTimedLeaf(1, size), await log.hasTimedLeaf(1, size + 3)]).toEqual([true, false]);
    await later(DAY);
    await run();
    expect(await late(prompt)).toBe(false);
  });

  test('several batches, each with less than a tile, make the tree of their leaves', async () => {
    const agent = await bench.agent();
    for (let i = 0; i < 300; i++) await bench.accepted(agent);
    await later();
    const log = await run(70);
    expect(log.size).toBeGreaterThan(300);
    expect(log.root).toEqual(Buffer.from(log.rootOfLeaves));
  });

  test('20 sequencers at once append every leaf once and sign one root', async () => {
    expect(await twentySequencers(bench, bench.storage())).toEqual({ appended: 10, grown: 10 });
  });

  test('every leaf may follow those before it, and each tree is signed', async () => {
    const log = await run();
    const audit = leafAudit();
    expect(log.bytes.flatMap((bytes) => audit.next(bytes) ?? [])).toEqual([]);
    expect(Buffer.from(log.rootOfLeaves)).toEqual(Buffer.from(log.root));
    const text = checkpointText({ origin: 'log.test/log/1', size: log.size, root: log.root });
    expect(ed25519Verify(LOG_KEY.publicKey, utf8(text), log.signature ?? Uint8Array.of())).toBe(true);
    expect(await bench.storage().log.published(1)).toMatchObject({ size: log.size });
  });

  test('the log agrees with what is stored, whatever is pending', async () => {
    const agent = await bench.agent();
    const { record_id } = await bench.accepted(agent);
    const check = async () => {
      const faults: string[] = [];
      const note = (about: string, found: readonly string[]) =>
        faults.push(...found.map((each) => `${about}: ${each}`));
      const ports = { ...bench.storage(), canonicalJson };
      return {
        checked: await checkLog(
          ports,
          { logKey: LOG_KEY, previousKey: null, witnesses: null, lastSeen: seenInMemory() },
          note,
        ),
        faults,
      };
    };
    const { size } = await run();
    expect(await check()).toEqual({
      checked: [{ origin: 'log.test/log/1', leaves: size, signatures: true }],
      faults: [],
    });
    await evaluateAll(bench);
    await bench.arrange().mark(record_id, { quarantine_reason: 'made up' });
    expect((await check()).faults).toEqual([]);
    for (let n = 0; n < 3; n += 1) {
      await later(DAY);
      await run();
      expect((await check()).faults).toEqual([]);
    }
    expect((await bench.storage().logEvidence.placesAfter(1, null, 10_000)).places).toContainEqual(
      expect.objectContaining({ record_id, lifecycle_state: 'quarantined', hasOutcome: true, pending: [] }),
    );
  });
}
