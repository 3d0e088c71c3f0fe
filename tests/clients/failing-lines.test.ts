import { describe, expect, test } from '@jest/globals';
import { sha256 } from '../../application/sha256.ts';
import { isProved, verifyFile } from '../../clients/typescript/verify/verify-file.ts';
import { base64Of, utf8 } from '../../domain/log/encoding.ts';
import type { Opening } from '../../domain/log/leaves/opening.ts';
import { ED25519, vkeyText } from '../../domain/log/notes/note.ts';
import { aSigner } from '../builders/log.ts';
import { aDecisionOpening, anOutcomeOpening, OWNER } from '../builders/log-openings.ts';
import { aProofFile, LOG, LOG_POLICY, verdictsOf } from '../builders/proof-files.ts';

const decision = aDecisionOpening();
/** The proof of the decision is that of leaf 3. */
const outcomeOfDecision = anOutcomeOpening(3);
const full = { ...decision, owner: OWNER };

describe('the line that fails names', () => {
  const changed = async (change: (proof: string) => string, opening: Opening = decision) =>
    verdictsOf(change(await aProofFile(opening)));

  test('a checkpoint of another root', async () => {
    const other = (proof: string) => proof.replace(/\n9\n[^\n]+/, `\n9\n${base64Of(sha256('x'))}`);
    expect(await changed(other)).toMatchObject({ signature: 'FAILS', witnesses: 'not checked', inclusion: 'FAILS' });
  });

  test('a signature by another key of that origin', async () => {
    const policy = LOG_POLICY.replace(vkeyText(LOG.key), vkeyText(aSigner(LOG.key.name, ED25519, 3).key));
    expect(await verdictsOf(await aProofFile(decision), policy)).toMatchObject({
      signature: 'FAILS',
      inclusion: 'holds',
    });
  });

  test('a missing witness', async () => {
    const unseen = (proof: string) => proof.replace(/— w\.example.*\n/, '');
    expect(await changed(unseen)).toMatchObject({ signature: 'holds', witnesses: 'FAILS', time: 'not checked' });
  });

  test('another index', async () => {
    const moved = (proof: string) => proof.replace('index 3', 'index 2');
    expect(await changed(moved)).toMatchObject({ signature: 'holds', inclusion: 'FAILS', opening: 'holds' });
  });

  test('another direction than that of the leaf', async () => {
    const opening = { ...decision, public_statement: { ...decision.public_statement, direction: 'bearish' } } as const;
    expect(await verdictsOf(await aProofFile(opening))).toMatchObject({ inclusion: 'holds', opening: 'FAILS' });
  });

  test('a better bucket than that of the leaf', async () => {
    const outcome = anOutcomeOpening(1);
    const opening = {
      ...outcome,
      public_outcome: { ...outcome.public_outcome, result_bucket: 'weak_correct' },
    } as const;
    expect(await verdictsOf(await aProofFile(opening))).toMatchObject({
      inclusion: 'holds',
      opening: 'FAILS',
      bucket: 'FAILS',
    });
  });

  test.each([
    ['a move that is not that of the prices', { z: 0.9 }],
    ['another volatility', { sigma_d: 0.011 }],
    ['no facts', { entry: null }],
  ])('%s', async (_, facts) => {
    const outcome = anOutcomeOpening(3);
    const public_outcome = { ...outcome.public_outcome, outcome: { ...outcome.public_outcome.outcome, ...facts } };
    const opening = { ...outcome, public_outcome } as Opening;
    expect(await verdictsOf(await aProofFile(opening))).toMatchObject({ bucket: 'FAILS' });
  });

  test.each<readonly [string, object]>([
    ['direction', { direction: 'bearish' }],
    ['method', { method: 'eval/2' }],
  ])('a decision of another %s than its outcome', async (_, changes) => {
    const other = { ...decision, public_statement: { ...decision.public_statement, ...changes } };
    const lines = await verifyFile(await aProofFile(outcomeOfDecision), LOG_POLICY, [await aProofFile(other)]);
    expect(lines.find(({ subject }) => subject === 'decision')?.verdict).toBe('FAILS');
  });

  test('an agent that did not make the decision', async () => {
    const opening = { ...full, owner: { ...OWNER, agent_id: 'agt_000000000000' } };
    expect(await verdictsOf(await aProofFile(opening))).toMatchObject({ opening: 'holds', producer: 'FAILS' });
  });

  test('extra data that is no opening', async () => {
    const other = (proof: string) => proof.replace(/extra .*/, `extra ${base64Of(utf8('{}'))}`);
    expect(await changed(other)).toMatchObject({ signature: 'holds', inclusion: 'not checked', opening: 'FAILS' });
  });

  test.each([
    ['a file that is no proof', () => 'hello\n'],
    ['a file that is cut off', (proof: string) => proof.slice(0, -20)],
  ])('%s', async (_, change) => {
    const lines = await verifyFile(change(await aProofFile(decision)), LOG_POLICY);
    expect(lines[0]).toMatchObject({ verdict: 'FAILS', subject: 'form' });
    expect(isProved(lines)).toBe(false);
  });
});
