import { expect, test } from '@jest/globals';
import { DAY, HOUR } from '../../../domain/time.ts';
import { NO_LIMITS, randomName } from '../../builders/decisions.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { FAR } from './evaluated.ts';

export const intakePruningContract: DecisionContract = {
  name: 'pruning of the intake',
  promises(bench: Bench) {
    test('pruning removes what decides nothing any more, and nothing else', async () => {
      await bench.storage().intake.prune(FAR);
      const agent = await bench.agent();
      const now = await bench.now();
      const { intake } = bench.storage();
      const limits = { submitsPerHour: 1 };
      const key = randomName();
      expect(await bench.submit(agent, {}, { limits, idempotencyKey: key })).toMatchObject({ verdict: 'accepted' });
      const retroactive = await bench.hindsight(await bench.agent(agent), {}, { limits: NO_LIMITS });
      await intake.submit(retroactive);
      expect(await intake.prune(new Date(now.getTime() + DAY))).toBe(0);
      expect(await intake.recorded(agent.agent_id, key)).not.toBeNull();
      expect(await bench.submit(agent, {}, { limits })).toMatchObject({ verdict: 'frequency' });
      expect(await bench.submit(agent)).toMatchObject({ verdict: 'cooldown' });
      // The key and the owner's retroactive day; a cooldown is kept longer.
      expect(await intake.prune(new Date(now.getTime() + 2 * DAY + HOUR))).toBe(2);
      expect(await intake.recorded(agent.agent_id, key)).toBeNull();
      expect(await intake.prune(new Date(now.getTime() + 30 * DAY))).toBe(1);
      expect(await intake.prune(FAR)).toBe(0);
    });

    test('each is removed at its age to the millisecond, and not before', async () => {
      await bench.storage().intake.prune(FAR);
      const day = Math.floor((await bench.now()).getTime() / DAY + 1) * DAY;
      const now = day + 12.5 * HOUR;
      await bench.arrange().freeze(new Date(now));
      const agent = await bench.agent();
      const { intake } = bench.storage();
      const draft = await bench.hindsight(agent, {}, { idempotencyKey: randomName() });
      expect(await intake.submit(draft)).toMatchObject({ verdict: 'accepted' });
      for (const end of [day + 2 * DAY, now + 48 * HOUR, now + 30 * DAY]) {
        expect(await intake.prune(new Date(end - 1))).toBe(0);
        expect(await intake.prune(new Date(end))).toBe(1);
      }
    });
  },
};
