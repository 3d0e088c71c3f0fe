import type { CorporateAction } from '../../../../domain/market/adjustment.ts';
import type { Calendar } from '../../../../domain/market/calendar.ts';
import type { Millis } from '../../../../domain/time.ts';
import { parseActions, parseNoActions } from '../bar-csv.ts';
import { MalformedFile } from '../csv.ts';

/** The splits and dividends of a file, and instants of the dates of which it says that they have none. */
export interface ForeignActions {
  readonly actions: readonly CorporateAction[];
  readonly none: readonly Millis[];
}

/**
 * The rows of an actions file, whose `at` may be the date of the session too, or any time up to its end: an action takes
 * effect at the open. Its header may be missing.
 * @throws MalformedFile
 */
export async function parseForeignActions(text: string, calendar: Calendar): Promise<ForeignActions> {
  const plain = text.replace(/^\uFEFF/, '');
  const headed = /^at,/.test(plain) ? plain : `at,kind,value\n${plain}`;
  const dated = headed.replace(/^(\d{4}-\d\d-\d\d)(?=,)/gm, (date, _, offset: number) => {
    if (Number.isNaN(Date.parse(date))) return date;
    const session = calendar.onDate(date);
    if (session) return `${new Date(session.open).toISOString()}`;
    const line = headed.slice(0, offset).split('\n').length - (headed === plain ? 0 : 1);
    throw new MalformedFile(
      line,
      `the venue has no session on ${date}: send the date of the session that opens with it`,
    );
  });
  const whole = `${dated.trimEnd()}\n`;
  const openOf = (at: Millis) => (calendar.continuous ? at : calendar.currentOrNext(at).open);
  const actions = (await parseActions(whole)).map((action) => ({ ...action, at: openOf(action.at) }));
  return { actions, none: (await parseNoActions(whole)).map(openOf) };
}
