import type { CorporateAction } from '../../../../domain/market/adjustment.ts';
import type { Calendar } from '../../../../domain/market/calendar.ts';
import { DAY, type Millis } from '../../../../domain/time.ts';
import { parseActions, parseNoActions } from '../bar-csv.ts';

/** The splits and dividends of a file, and instants of the dates of which it says that they have none. */
export interface ForeignActions {
  readonly actions: readonly CorporateAction[];
  readonly none: readonly Millis[];
}

/**
 * The rows of an actions file, whose `at` may be the date of the session too; its header may be missing.
 * @throws MalformedFile
 */
export async function parseForeignActions(text: string, calendar: Calendar): Promise<ForeignActions> {
  const plain = text.replace(/^\uFEFF/, '');
  const headed = /^at,/.test(plain) ? plain : `at,kind,value\n${plain}`;
  const dated = headed.replace(/^(\d{4}-\d\d-\d\d)(?=,)/gm, (date) => {
    const midnight = Date.parse(date);
    const [session] = Number.isNaN(midnight) ? [] : calendar.sessions(midnight, midnight + DAY);
    return session ? `${new Date(session.open).toISOString()}` : date;
  });
  const whole = `${dated.trimEnd()}\n`;
  return { actions: await parseActions(whole), none: await parseNoActions(whole) };
}
