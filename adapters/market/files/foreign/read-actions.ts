import type { Calendar } from '../../../../domain/market/calendar.ts';
import { DAY, type Millis } from '../../../../domain/time.ts';
import { parseActions, parseNoActions } from '../bar-csv.ts';
import type { StatedActions } from '../bar-import.ts';

/**
 * The rows of an actions file `at,kind,value`, whose `at` may be the date of the session too; `DATE,none` says that a
 * session has no action. The header may be missing.
 * @throws MalformedFile
 */
export async function parseForeignActions(text: string, calendar: Calendar): Promise<StatedActions> {
  const whole = text.replace(/^\uFEFF/, '').replace(/\r\n/g, '\n');
  const headed = /^at,/.test(whole) ? whole : `at,kind,value\n${whole}`;
  const dated = headed.replace(/^([^,\n]+,none)$/gm, '$1,').replace(/^(\d{4}-\d\d-\d\d)(?=,)/gm, (date) => {
    const open = openOn(calendar, date);
    return open === null ? date : new Date(open).toISOString();
  });
  const rows = `${dated.trimEnd()}\n`;
  const none = (await parseNoActions(rows)).flatMap((date) => openOn(calendar, date) ?? []);
  return { actions: await parseActions(rows), none };
}

function openOn(calendar: Calendar, date: string): Millis | null {
  const midnight = Date.parse(date);
  const [session] = Number.isNaN(midnight) ? [] : calendar.sessions(midnight, midnight + DAY);
  return session?.open ?? null;
}
