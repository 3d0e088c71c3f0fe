import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { sha256 } from '../../application/sha256.ts';
import { isProved, verifyFile } from '../../clients/typescript/verify/verify-file.ts';
import { hexOf, Malformed, utf8 } from '../../domain/log/encoding.ts';
import { openingOf } from '../../domain/log/leaves/opening.ts';
import { newPlan, planHashes } from '../../domain/plans/plan.ts';
import { aPlanOpening, OWNER } from '../builders/log-openings.ts';
import { aProofFile, LOG_POLICY, SEEN, verdictsOf } from '../builders/proof-files.ts';

const plan = aPlanOpening();
const owner = { owner_id: OWNER.owner_id, agent_id: OWNER.agent_id };
const HOLDS = { signature: 'holds', witnesses: 'holds', inclusion: 'holds', opening: 'holds', time: 'holds' };

test('the leaf and the statement of version 1 stay as they are', () => {
  const stated = {
    ...{ plan_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3', ...owner, asked_before: false, sentence: 'It rises.' },
    ...{
      query: { market: 'crypto', include_retroactive: false } as const,
      stated_at: new Date('2026-03-02T12:00:41.007Z'),
    },
  };
  const hashes = planHashes(stated, canonicalJson, sha256);
  const made = newPlan(stated, hashes, Buffer.alloc(32, 0xab), canonicalJson, sha256);
  expect(made.opened.statement).toBe(
    '{"asked_before":false,"plan_id":"0193a1c0-7c00-7a3b-8c4d-5e6f708192a3","query":{"include_retroactive":false,' +
      '"market":"crypto"},"sentence":"It rises.","stated_at":"2026-03-02T12:00:41.007Z","v":1}',
  );
  expect(made.commitment).toBe(hexOf(sha256(Buffer.alloc(32, 0xab), made.opened.statement)));
  expect([made.opened.statement, made.producer]).toEqual([plan.statement, plan.producer]);
  expect(plan.leaf.c).toBe('00c7112613e01c91b39940563edf3182c5d84e2fe07536474ac21a4a24f9f29b');
});

describe('the receipt of a plan', () => {
  test('holds, and its lines say what was stated, and when a witness saw it', async () => {
    const lines = await verifyFile(await aProofFile(plan), LOG_POLICY);
    expect(isProved(lines)).toBe(true);
    expect(Object.fromEntries(lines.map(({ subject, verdict }) => [subject, verdict]))).toEqual(HOLDS);
    const details = new Map(lines.map(({ subject, detail }) => [subject, detail]));
    expect(details.get('opening')).toContain('"It rises." for {"include_retroactive":false,"market":"crypto"}');
    expect(details.get('opening')).toContain('not asked before');
    expect(details.get('time')).toContain('within 5 minutes');
  });

  test('names its owner and agent where it shows them', async () => {
    expect(await verdictsOf(await aProofFile({ ...plan, owner }))).toEqual({ ...HOLDS, producer: 'holds' });
    const other = { ...owner, agent_id: 'agt_000000000000' };
    expect(await verdictsOf(await aProofFile({ ...plan, owner: other }))).toMatchObject({ producer: 'FAILS' });
  });

  test('seen later than promised is of the time of the witness', async () => {
    const lines = await verifyFile(await aProofFile(plan, SEEN + 3_600), LOG_POLICY);
    expect(lines.find(({ subject }) => subject === 'time')).toMatchObject({
      ...{ verdict: 'holds', detail: expect.stringContaining('more than 5 minutes later') },
    });
    const unseen = (await aProofFile(plan)).replace(/— w\.example.*\n/, '');
    expect(await verdictsOf(unseen)).toMatchObject({ time: 'not checked' });
  });

  test.each([
    ['sentence', { sentence: 'It falls.' }],
    ['query', { query: { market: 'stock', include_retroactive: false } }],
    ['time', { stated_at: '2026-03-02T11:00:00.000Z' }],
    ['answer to whether it was asked before', { asked_before: true }],
  ])('with another %s than that of the leaf fails', async (_, changes) => {
    const forged = { ...plan, statement: aPlanOpening(changes).statement };
    expect(await verdictsOf(await aProofFile(forged))).toMatchObject({ inclusion: 'holds', opening: 'FAILS' });
  });

  test('with another salt or producer fails', async () => {
    const digest = hexOf(sha256('x'));
    for (const forged of [
      { ...plan, salt: digest },
      { ...plan, producer: digest },
    ]) {
      expect(await verdictsOf(await aProofFile(forged))).toMatchObject({ opening: 'FAILS' });
    }
  });

  test('of a statement without a time has none', async () => {
    const verdicts = await verdictsOf(await aProofFile(aPlanOpening({ stated_at: 'soon' })));
    expect(verdicts).toMatchObject({ opening: 'holds', time: 'FAILS' });
  });

  test.each([
    ['another member', { ...plan, more: 1 }],
    ['a salt that is none', { ...plan, salt: 'ab' }],
    ['the leaf of a decision', { ...plan, leaf: { ...plan.leaf, t: 'decision' } }],
    ['ids with a salt', { ...plan, owner: { ...owner, salt: plan.salt } }],
  ])('with %s is no opening', (_, value) => {
    expect(() => openingOf(utf8(canonicalJson(value)), canonicalJson)).toThrow(Malformed);
  });
});
