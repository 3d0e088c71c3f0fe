import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { histories, type Step, stepOf } from './steps.ts';
import { openWorld, plainly, type World } from './world.ts';

// Both storages return the same replies to any requests in any order. `npm run fuzz -- histories` runs many more.

const RUNS = Number(process.env.STANCEBOOK_HISTORIES ?? 2);
const STEPS = 40;

jest.setTimeout(3_600_000);

/** A description of the first reply that differs; null without a difference. */
async function difference(steps: readonly Step[], planted: NodeJS.ProcessEnv = {}): Promise<string | null> {
  const worlds: World[] = [];
  try {
    worlds.push(await openWorld('memory', planted), await openWorld('postgres'));
    const seen = worlds.map(() => new Map<string, string>());
    for (const [n, step] of steps.entries()) {
      const replies: (string | null)[] = [];
      for (const [index, world] of worlds.entries()) {
        // The times of all steps differ, so that sorting by time has one order.
        await world.service.arrange.advance(1_000);
        const reply = await step.run(world);
        replies.push(reply && plainly(seen[index] ?? new Map(), reply));
      }
      if (replies[0] !== replies[1])
        return `step ${n}, ${step.name}:\n  memory:   ${replies[0]}\n  postgres: ${replies[1]}`;
    }
    return null;
  } finally {
    for (const { service } of worlds) await service.close();
  }
}

test('any sequence of requests gets the same replies on both storages', async () => {
  const seed = Number(process.env.STANCEBOOK_HISTORIES_SEED ?? 20_261_121);
  const property = fc.asyncProperty(histories(STEPS), async (steps) => {
    expect(await difference(steps)).toBeNull();
  });
  await fc.assert(property, { numRuns: RUNS, seed, interruptAfterTimeLimit: 3_000_000 });
});

test('the check finds a storage without the cooldown', async () => {
  const hasty = { LIMIT_COOLDOWN_SECONDS: '0' };
  const found = await difference([stepOf('submit', 0, 1, 1), stepOf('submit', 0, 2, 1)], hasty);
  expect(found).toContain('DUPLICATE_SUBMISSION');
});
