import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Stancebook } from '../../clients/typescript/client.ts';
import { type FollowedService, startFollowedService } from './followed-service.ts';
import { runPython } from './python/run-python.ts';

const RECORDS = Array.from({ length: 20 }, (_, place) => `dec_20261123_0000${1000 + place}`);

/** The reading of the feed before which the decisions are graded. */
const GRADED_AT = 5;

let service: FollowedService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

/** A clock that moves to the next end of a sleep once all who wait are asleep. */
function openTime(waiting: number) {
  const asleep: { readonly at: number; readonly wake: () => void }[] = [];
  let [now, awake] = [Date.parse('2026-11-23T12:00:00Z'), waiting];
  const fall = () => {
    awake -= 1;
    if (awake > 0 || asleep.length === 0) return;
    asleep.sort((a, b) => a.at - b.at);
    const [first] = asleep.splice(0, 1);
    now = first?.at ?? now;
    awake += 1;
    first?.wake();
  };
  return {
    now: () => now,
    sleep: (seconds: number) =>
      new Promise<void>((wake) => {
        asleep.push({ at: now + seconds * 1_000, wake });
        fall();
      }),
    end: fall,
  };
}

describe('twenty waits of one client', () => {
  function expectShared(): void {
    expect([...(service?.checks ?? [])].toSorted()).toEqual(RECORDS.map((record) => [record, 2]));
    // Each wait by itself would read at least five times.
    expect(service?.readings()).toBeLessThan(RECORDS.length);
    expect(service?.readings()).toBeGreaterThan(GRADED_AT);
  }

  test('of TypeScript share one reader of the feed and spend two checks each', async () => {
    service = await startFollowedService(RECORDS, GRADED_AT);
    const time = openTime(RECORDS.length);
    let calls = 0;
    const client = new Stancebook({ url: service.url, ...time, random: () => (calls++ % 10) / 10 });
    const states = await Promise.all(RECORDS.map((record) => client.waitForOutcome(record).finally(time.end)));
    expect(states.map(({ record_id, state }) => [record_id, state])).toEqual(RECORDS.map((id) => [id, 'closed']));
    expectShared();
  });

  test('of Python, in threads, do the same', async () => {
    service = await startFollowedService(RECORDS, GRADED_AT);
    const program = join(import.meta.dirname, 'python/wait_together.py');
    const { stdout, stderr } = await runPython([program, service.url, ...RECORDS]);
    expect([stdout, stderr]).toEqual([`${RECORDS.map((record) => `${record} closed`).join('\n')}\n`, '']);
    expectShared();
  });
});

test('a wait that is aborted ends at once, and the others go on with the reading', async () => {
  let release: (value?: unknown) => void = () => undefined;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  service = await startFollowedService(RECORDS, 1, () => held);
  const client = new Stancebook({ url: service.url, sleep: async () => undefined });
  const controller = new AbortController();
  const [first = '', second = ''] = RECORDS;
  const aborted = client.waitForOutcome(first, { signal: controller.signal });
  const other = client.waitForOutcome(second);
  while (service.readings() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  release();
  expect(await other).toMatchObject({ record_id: second, state: 'closed' });
});
