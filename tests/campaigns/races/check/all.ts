import type { History, Violation } from '../history.ts';
import { checkCredits } from './credits.ts';
import { checkHeaders } from './headers.ts';
import { checkPools } from './pools.ts';
import { checkRevocations } from './revocations.ts';
import { checkSubmissions } from './submissions.ts';
import { checkWindows } from './windows.ts';

/** What is promised, each with what proves it. */
export const CHECKS: Readonly<Record<string, (history: History) => Violation[]>> = {
  'no window lets in more than its limit, nor refuses while it has room': checkWindows,
  'no pool gives more than it holds, nor refuses while it has units': checkPools,
  'one record for each idempotency key and for each cooldown': checkSubmissions,
  'credit exactly once': checkCredits,
  'headers right on every response': checkHeaders,
  'a revoked key is let in by no process after the reply': checkRevocations,
};
