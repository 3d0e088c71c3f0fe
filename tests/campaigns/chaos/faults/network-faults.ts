import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.ts';

/** Cuts every connection to the database: busy ones in the middle of a reply. */
export const cutConnections: Fault = async ({ database }, random) => {
  let cut = 0;
  for (let times = 1 + random.below(3); times > 0; times--) {
    cut += database.proxy.cut();
    await sleep(250);
  }
  return { detail: `${cut} connections` };
};

export const delayConnections: Fault = async ({ database }, random) => {
  const millis = 50 + random.below(450);
  database.proxy.delay(millis);
  try {
    await sleep(1_000 + random.below(1_500));
  } finally {
    database.proxy.delay(0);
  }
  return { detail: `${millis} ms each way` };
};

/** Cuts all connections and refuses new ones, while the server keeps running. */
export const partition: Fault = async ({ database }, random) => {
  await database.proxy.refuse();
  const millis = 500 + random.below(1_500);
  await sleep(millis);
  await database.proxy.leadTo(Number(new URL(database.directUrl()).port));
  return { detail: `for ${millis} ms` };
};
