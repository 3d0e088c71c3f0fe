import { setTimeout as sleep } from 'node:timers/promises';
import { anyOf, type Crowd } from './crowd.ts';
import { quarantineSome, revokeSome, rotateSome, settleRotations } from './owners.ts';
import { askWisdom, crowdOneKey, readAsOwner, readAsStranger, readOwn } from './reads.ts';
import { reuseKey, sendAgain, submitSome } from './submissions.ts';
import { designSome } from './workflows.ts';

export interface Load {
  /** Ends when everything that was sent has been answered or given up. */
  stop(): Promise<void>;
}

/** Requests of all kinds by so many hands, each with a short pause between its own. */
export function startLoad(crowd: Crowd, hands: number): Load {
  let going = true;
  const all = Array.from({ length: hands }, async () => {
    while (going) {
      await act(crowd);
      await sleep(20 + crowd.random.below(120));
    }
  });
  const settling = (async () => {
    while (going) {
      await settleRotations(crowd);
      await sleep(500);
    }
  })();
  return {
    async stop() {
      going = false;
      await Promise.all([...all, settling]);
    },
  };
}

async function act(crowd: Crowd): Promise<void> {
  const dice = crowd.random.below(200);
  if (dice < 80) {
    const agent = anyOf(crowd.random, crowd.agents);
    return agent && submitSome(crowd, agent, dice < 40);
  }
  if (dice < 104) return sendAgain(crowd);
  if (dice < 112) return reuseKey(crowd);
  if (dice < 132) return readOwn(crowd);
  if (dice < 148) return readAsOwner(crowd);
  if (dice < 164) return readAsStranger(crowd);
  if (dice < 174) return askWisdom(crowd);
  if (dice < 182) return revokeSome(crowd);
  if (dice < 188) return quarantineSome(crowd);
  if (dice < 190) return rotateSome(crowd);
  if (dice < 198) return designSome(crowd);
  return crowdOneKey(crowd);
}
