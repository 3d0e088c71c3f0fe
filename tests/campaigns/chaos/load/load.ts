import { setTimeout as sleep } from 'node:timers/promises';
import { anyOf, type Crowd } from './crowd.ts';
import { quarantineSome, revokeSome, rotateSome, settleRotations } from './owners.ts';
import { overloadOneKey, queryWisdom, readAsAnonymous, readAsOwner, readOwn } from './reads.ts';
import { resendSome, reuseKey, submitSome } from './submissions.ts';
import { designSome } from './workflows.ts';

export interface Load {
  /** Resolves when every request has a reply or a timeout. */
  stop(): Promise<void>;
}

/** Starts senders that send random requests, each with short pauses. */
export function startLoad(crowd: Crowd, senders: number): Load {
  let running = true;
  const all = Array.from({ length: senders }, async () => {
    while (running) {
      await act(crowd);
      await sleep(20 + crowd.random.below(120));
    }
  });
  const settling = (async () => {
    while (running) {
      await settleRotations(crowd);
      await sleep(500);
    }
  })();
  return {
    async stop() {
      running = false;
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
  if (dice < 104) return resendSome(crowd);
  if (dice < 112) return reuseKey(crowd);
  if (dice < 132) return readOwn(crowd);
  if (dice < 148) return readAsOwner(crowd);
  if (dice < 164) return readAsAnonymous(crowd);
  if (dice < 174) return queryWisdom(crowd);
  if (dice < 182) return revokeSome(crowd);
  if (dice < 188) return quarantineSome(crowd);
  if (dice < 190) return rotateSome(crowd);
  if (dice < 198) return designSome(crowd);
  return overloadOneKey(crowd);
}
