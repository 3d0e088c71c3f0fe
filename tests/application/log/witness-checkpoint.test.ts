import { expect, test } from '@jest/globals';
import { type CosignedCheckpoints, witnessCheckpoint } from '../../../application/log/witness-checkpoint.ts';
import { sha256 } from '../../../application/sha256.ts';
import { addCheckpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { COSIGNATURE } from '../../../domain/log/notes/note.ts';
import { anAddCheckpoint, GROWING_LOG } from '../../builders/add-checkpoint.ts';
import { aSigner } from '../../builders/log.ts';

const signer = aSigner('witness.example', COSIGNATURE, 2);

/** A state in memory; `meanwhile` runs once, before the first checkpoint is stored. */
function aState(meanwhile: () => string | null = () => null) {
  let stored: string | null = null;
  let rival: (() => string | null) | null = meanwhile;
  let writes = 0;
  const checkpoints: CosignedCheckpoints = {
    latest: () => stored,
    replace(_, before, next) {
      stored = rival?.() ?? stored;
      rival = null;
      if (stored !== before) return false;
      stored = next;
      writes += 1;
      return true;
    },
  };
  const witnessing = { logKeys: [GROWING_LOG.key], signer, checkpoints, now: () => 1_700_000_000 };
  return {
    ask: (body: string) => witnessCheckpoint(addCheckpointOf(body), witnessing),
    stored: () => stored,
    writes: () => writes,
  };
}

test('a request that finds another checkpoint stored since its start is judged again', async () => {
  const other = aState();
  await other.ask(await anAddCheckpoint(0, 7));
  const raced = aState(other.stored);
  expect(await raced.ask(await anAddCheckpoint(0, 5))).toEqual({ status: 409, size: 7 });
  expect(raced.stored()).toBe(other.stored());
});

test('a root is not cosigned when another one for its size is stored while it is judged', async () => {
  const other = aState();
  await other.ask(await anAddCheckpoint(0, 5));
  const raced = aState(other.stored);
  expect(await raced.ask(await anAddCheckpoint(0, 5, { root: sha256('x') }))).toEqual({ status: 409, size: 5 });
  expect(raced.stored()).toBe(other.stored());
});

test('the same checkpoint in the same second is answered with the same cosignature, and stored once', async () => {
  const state = aState();
  const first = await state.ask(await anAddCheckpoint(0, 5));
  expect(await state.ask(await anAddCheckpoint(5, 5))).toEqual(first);
  expect(state.writes()).toBe(1);
});
