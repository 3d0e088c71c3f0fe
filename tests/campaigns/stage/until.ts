import { setTimeout as sleep } from 'node:timers/promises';

/** Whether something becomes true within a minute; what fails is not true yet. */
export async function until(isTrue: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < 240; attempt += 1) {
    if (await isTrue().catch(() => false)) return true;
    await sleep(250);
  }
  return false;
}
