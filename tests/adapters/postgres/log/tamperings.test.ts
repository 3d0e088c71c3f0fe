import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../adapters/formats/canonical-json.ts';
import { openingOf } from '../../../../domain/log/leaves/opening.ts';
import { proofOf } from '../../../../domain/log/tree/proof.ts';
import { type LoggedService, loggedService } from './logged-service.ts';
import { failures, newFaults, tamper } from './tamper.ts';
import { TAMPERINGS } from './tampered-columns.ts';

let logged: LoggedService;
beforeAll(async () => {
  logged = await loggedService(TAMPERINGS.length);
});
afterAll(() => logged.close());

test('nothing is found before anything is changed', async () => {
  expect(await logged.inside()).toEqual([]);
  expect(failures((await logged.outside()).lines)).toEqual([]);
  for (const n of logged.ids.keys()) {
    const { decision, outcome } = logged.held(n);
    expect(failures(await logged.verify(decision))).toEqual([]);
    const lines = await logged.verify(outcome, [decision]);
    expect(failures(lines)).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^holds +bars/));
  }
});

describe.each(TAMPERINGS.map((tampering, n) => ({ ...tampering, n })))(
  '$name',
  ({ sql, inside, outside, holder, n }) => {
    test('is named by check-evidence', async () => {
      const { id } = logged.held(n);
      const found = await newFaults(logged, () => tamper(logged, sql(id)));
      for (const fault of inside) {
        expect(found).toContainEqual(expect.stringMatching(new RegExp(fault.source.replace('ID', id))));
      }
    });

    if (outside !== null) {
      test('is found by anybody who looks it up', async () => {
        const expected = outside === 'missing' ? outside : { altered: expect.stringMatching(outside) };
        expect(await logged.finding(logged.held(n).index)).toEqual(expected);
      });
    }

    test.each(Object.entries(holder))('the owner sees at the receipt of the %s: %s', async (leaf, expected) => {
      const before = logged.held(n);
      const kept = leaf === 'decision' ? before.decision : before.outcome;
      const now = await logged.receipt(before.id, leaf === 'decision' ? 'decision' : 'outcome');
      // The receipt of before holds whatever was changed.
      expect(failures(await logged.verify(kept))).toEqual([]);
      expect(now === kept).toBe(expected === 'same');
      if (expected === 'same') return;
      expect(await logged.verify(now ?? '', [before.decision])).toContainEqual(expect.stringMatching(expected));
    });
  },
);

function statementIn(proof: string): { readonly data_cutoff: string } {
  const opening = openingOf(proofOf(proof).extra ?? Uint8Array.of(), canonicalJson);
  if (!('public_statement' in opening)) throw new Error('The proof is not that of a decision.');
  return opening.public_statement;
}

test('an anchor or state of the grade that the service shows differs from the receipts', async () => {
  const at = (name: string) => logged.held(TAMPERINGS.findIndex((each) => each.name === name));
  const anchor = at('anchor');
  const { body: detail } = await logged.agent.read(anchor.id);
  expect(detail.window.anchor_time).not.toBe(statementIn(anchor.decision).data_cutoff);
  const { body: state } = await logged.agent.state(at('state out of evaluated').id);
  expect(state.lifecycle_state).toBe('verified');
});
