import { expect, test } from '@jest/globals';
import { type DiskState, diskFull, diskState } from '../../domain/disk-space.ts';
import { DISK } from '../../domain/limits.ts';

const LEAST = 1_000;

/** The states of a disk on which so much is free at one look after the other. */
function statesAt(...free: readonly number[]): readonly DiskState[] {
  let state: DiskState = 'ok';
  return free.map((bytes) => {
    state = diskState(state, bytes, LEAST);
    return state;
  });
}

test('a disk is low below what is to be kept free, and full below half of it', () => {
  expect(statesAt(1_000, 999, 500, 499, 0)).toEqual(['ok', 'low', 'low', 'full', 'full']);
});

test('a state ends when a quarter more is free than where it began', () => {
  expect(DISK.returnsAt).toBe(1.25);
  expect(statesAt(999, 1_000, 1_249, 1_250, 1_000)).toEqual(['low', 'low', 'low', 'ok', 'ok']);
  expect(statesAt(499, 500, 624, 625, 500)).toEqual(['full', 'full', 'full', 'low', 'low']);
});

test('one look is enough from any state to any other', () => {
  expect(statesAt(0, 5_000, 0, 700, 5_000)).toEqual(['full', 'ok', 'full', 'low', 'ok']);
});

test('the refusal says when to send it again, and what the operator does', () => {
  const { code, status, retry_after_seconds, suggestion } = diskFull();
  expect([code, status, retry_after_seconds]).toEqual(['SERVICE_UNAVAILABLE', 503, 30]);
  expect(suggestion).toMatch(/send the same request again.*frees space.*DATA_DIR.*DATABASE_URL.*DISK_FREE_MB/);
});
