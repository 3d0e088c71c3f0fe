import type { History, Violation } from '../history.ts';
import { checkCredits } from './credits.ts';
import { checkHeaders } from './headers.ts';
import { checkPools } from './pools.ts';
import { PROMISES } from './promises.ts';
import { checkRevocations } from './revocations.ts';
import { checkSubmissions } from './submissions.ts';
import { checkWindows } from './windows.ts';

/** The check of each promise. */
export const CHECKS: Readonly<Record<string, (history: History) => Violation[]>> = {
  [PROMISES.windows]: checkWindows,
  [PROMISES.pools]: checkPools,
  [PROMISES.submissions]: checkSubmissions,
  [PROMISES.credits]: checkCredits,
  [PROMISES.headers]: checkHeaders,
  [PROMISES.revocations]: checkRevocations,
};
