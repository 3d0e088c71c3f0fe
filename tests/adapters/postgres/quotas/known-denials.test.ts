import { expect, test } from '@jest/globals';
import { knownDenials } from '../../../../adapters/postgres/quotas/admission-desk.ts';
import type { Admission } from '../../../../domain/quotas/admission.ts';
import { SECOND } from '../../../../domain/time.ts';
import { aRequest } from '../../../contracts/quotas/requests.ts';

const T = Date.parse('2026-03-02T12:00:00.000Z');
const KEY = { credential: 'api_key', key_hash: new Uint8Array(32).fill(1) } as const;
const CALLER = { credential: 'legacy_session', owner_id: 'o', role: 'owner', tier: 'free' } as const;

type Known = Exclude<Admission, { readonly verdict: 'no_active_owner' }>;

/** A window that is full until a second after T, answered by the database `answeredAt` milliseconds after T. */
function denial(answeredAt: number, changes: Partial<Known> = {}): Known {
  const rate = { limit: 60, remaining: 0, reset: new Date(T + SECOND) };
  return { verdict: 'rate', caller: null, rate, quota: null, at: new Date(T + answeredAt), ...changes } as Known;
}

/** Denials by a machine's clock that starts at 5,000, and by the newest time of the database. */
function fixture() {
  let mono = 5_000;
  let newest: Date | null = null;
  const denials = knownDenials(
    () => mono,
    () => newest,
  );
  return {
    denials,
    passes: (millis: number) => {
      mono += millis;
    },
    noteTime: (millis: number) => {
      newest = new Date(T + millis);
    },
  };
}

test('a denial is repeated until its window ends, and not a moment longer', () => {
  const { denials, passes } = fixture();
  const request = aRequest();
  denials.note(request, denial(0), 5_000);
  passes(999);
  expect(denials.find(request)).toEqual({ ...denial(999) });
  passes(1);
  expect(denials.find(request)).toBeNull();
});

test('the time that the request took counts, so that no caller is refused beyond the window', () => {
  const { denials, passes } = fixture();
  const request = aRequest();
  passes(300);
  denials.note(request, denial(0), 5_000);
  passes(699);
  // The answer contains the earliest time that the database's clock can show.
  expect(denials.find(request)).toEqual(denial(699));
  passes(1);
  expect(denials.find(request)).toBeNull();
});

test('a later time that the database returned ends the denial', () => {
  const { denials, noteTime } = fixture();
  const request = aRequest();
  denials.note(request, denial(0), 5_000);
  noteTime(999);
  expect(denials.find(request)).toEqual(denial(999));
  noteTime(1_000);
  expect(denials.find(request)).toBeNull();
});

test('after the clock of the database is set back the database is asked sooner, never later', () => {
  const { denials, passes } = fixture();
  const request = aRequest();
  denials.note(request, denial(0), 5_000);
  denials.note(aRequest(), denial(-10_000, { verdict: 'admitted' } as Partial<Known>), 5_000);
  passes(11_000);
  expect(denials.find(request)).toBeNull();
});

test('each proof and each address has its own', () => {
  const { denials } = fixture();
  const key = aRequest({ proof: KEY });
  denials.note(key, denial(0, { caller: CALLER }), 5_000);
  expect(denials.find({ ...key, address: 'elsewhere' })?.caller).toEqual(CALLER);
  expect(denials.find({ ...key, proof: { ...KEY, key_hash: new Uint8Array(32) } })).toBeNull();
  expect(denials.find({ ...key, proof: null })).toBeNull();
});

test('an admission is not remembered, nor a denial of an unknown credential', () => {
  const { denials } = fixture();
  const admitted = aRequest({ proof: KEY });
  denials.note(admitted, denial(0, { caller: CALLER, verdict: 'admitted' } as Partial<Known>), 5_000);
  expect(denials.find(admitted)).toBeNull();
  denials.note(admitted, denial(0, { verdict: 'quota', caller: CALLER } as Partial<Known>), 5_000);
  expect(denials.find(admitted)).toBeNull();
  denials.note(admitted, denial(0), 5_000);
  expect(denials.find(admitted)).toBeNull();
});

test('a flood of addresses does not grow the memory without end', () => {
  const { denials } = fixture();
  const flood = Array.from({ length: 10_001 }, (_, i) => aRequest({ address: `address ${i}` }));
  for (const request of flood) denials.note(request, denial(0), 5_000);
  expect([flood[0], flood[1], flood[10_000]].map((each) => each && denials.find(each) !== null)).toEqual([
    false,
    true,
    true,
  ]);
});
