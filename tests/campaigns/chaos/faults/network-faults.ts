import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.ts';

/** Every connection to the database, those that are being answered in the middle of the reply. */
export const cutConnections: Fault = async ({ database }, random) => {
  let cut = 0;
  for (let times = 1 + random.below(3); times > 0; times--) {
    cut += database.proxy.cut();
    await sleep(250);
  }
  return { said: `${cut} connections` };
};

export const delayConnections: Fault = async ({ database }, random) => {
  const millis = 50 + random.below(450);
  database.proxy.delay(millis);
  try {
    await sleep(1_000 + random.below(1_500));
  } finally {
    database.proxy.delay(0);
  }
  return { said: `${millis} ms each way` };
};

/** Connections are refused, those that there were are gone; the server itself runs on. */
export const partition: Fault = async ({ database }, random) => {
  await database.proxy.refuse();
  const millis = 500 + random.below(1_500);
  await sleep(millis);
  await database.proxy.leadTo(Number(new URL(database.directUrl()).port));
  return { said: `for ${millis} ms` };
};
