import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../stage/callers.ts';
import { type Acknowledged, receiptOf, submit } from './submissions.ts';

/** Submissions that are sent all the time, each of which is awaited in the log. */
export interface SubmissionStream {
  /** Stops sending, and waits until each acknowledged submission has a receipt, or until its time is over. */
  stop(): Promise<{ readonly acknowledged: readonly Acknowledged[]; readonly late: readonly string[] }>;
}

/** Milliseconds between two submissions: several in each batch of a second. */
const PAUSE = 100;

export function startStream(url: string, callers: readonly Caller[]): SubmissionStream {
  const acknowledged: Acknowledged[] = [];
  const late: string[] = [];
  let open = true;
  const sending = (async () => {
    for (let n = 0; open; n += 1) {
      const caller = callers[n % callers.length];
      const sent = caller && (await submit(url, caller, n, n % 4 === 0));
      if (sent) acknowledged.push(sent);
      await sleep(PAUSE);
    }
  })();
  const proving = (async () => {
    for (let n = 0; open || n < acknowledged.length; ) {
      const next = acknowledged[n];
      if (!next || !(await isOver(url, next, late))) await sleep(PAUSE);
      else n += 1;
    }
  })();
  return {
    async stop() {
      open = false;
      await Promise.all([sending, proving]);
      return { acknowledged, late };
    },
  };
}

/** Whether a submission has its receipt, or none when it was promised. */
async function isOver(url: string, sent: Acknowledged, late: string[]): Promise<boolean> {
  const asked = Date.now();
  const receipt = await receiptOf(url, sent);
  const { record_id, included_by } = sent;
  if (included_by === null) late.push(`${record_id} was promised no receipt`);
  else if (asked > included_by.getTime()) late.push(`${record_id} had no receipt by ${included_by.toISOString()}`);
  else return receipt !== null;
  return true;
}
