import type { Fault } from './fault.ts';
import { killAndWait } from './process-faults.ts';

const DELIVERY_WITHIN = 3_000;

/** Kills a worker while a receiver has an event and has not answered, in half of the cases the worker that sent it. */
export const killAtDelivery: Fault = async ({ receiver, workers }, random) => {
  const held = await receiver.holdNext(DELIVERY_WITHIN);
  const n = random.below(workers.length);
  const worker = workers[n];
  const pid = worker?.pid();
  try {
    if (!worker || pid == null) return { detail: 'no worker to kill' };
    await killAndWait(worker, pid);
  } finally {
    held?.release();
  }
  return { detail: `worker ${n}, ${held ? 'while an event was received' : 'without a delivery'}` };
};
