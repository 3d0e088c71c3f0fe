// Compares every session of the venue files with files of sessions: `npm run calendars -- FOLDER`. The folder holds
// `MIC.csv.gz`, such as xhkg.csv.gz, with one line a session: its local date, and in UTC the open, the start and the end of
// the break, both empty where there is none, and the close. See docs/testing.md.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { TradingSession } from '../../domain/market/calendar.ts';
import { calendarOf } from '../../domain/market/calendars/by-venue.ts';
import { venueName } from '../../domain/market/venues.ts';
import { DAY, rfc3339 } from '../../domain/time.ts';
import { openTally } from './stage/tally.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Name the folder of the files: npm run calendars -- FOLDER');
  process.exit(2);
}
const files = readdirSync(folder).filter((name) => name.endsWith('.csv.gz'));
const tally = openTally('calendars');
const markets = files.map((file) => compare(file.replace('.csv.gz', '').toUpperCase(), linesOf(join(folder, file))));
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
console.log(
  `${sum(markets.map(({ sessions }) => sessions))} sessions of ${files.length} markets, ` +
    `${sum(markets.map(({ differ }) => differ))} differ, and ${sum(markets.map(({ unknown }) => unknown))} have no known hours`,
);
tally.holds('there are files', files.length > 0);
process.exitCode = tally.close() ? 0 : 1;

/** Over the dates from the first line to the last; a session without known hours is no difference. */
function compare(mic: string, lines: readonly string[]) {
  const venue = venueName(mic);
  const calendar = calendarOf({ market: 'stock', venue });
  const [first = '', last = ''] = [lines[0], lines.at(-1)].map((line) => line?.slice(0, 10));
  const sessions = calendar
    .sessions(Date.parse(first) - DAY, Date.parse(last) + 2 * DAY)
    .filter(({ date }) => first <= date && date <= last);
  const known = sessions.filter(({ open }) => !calendar.isGeneric(open));
  const ours = new Map(known.map((session) => [session.date, lineOf(session)]));
  const theirs = new Map(lines.map((line) => [line.slice(0, 10), line]));
  const days = [...new Set([...ours.keys(), ...theirs.keys()])].filter((day) => ours.get(day) !== theirs.get(day));
  const faults = days.map((day) => `${day}: ${ours.get(day) ?? 'closed'} instead of ${theirs.get(day) ?? 'closed'}`);
  const unknown = sessions.filter((session) => !known.includes(session));
  for (const { date } of unknown)
    console.log(`       ${venue} has no hours for ${date}, ${mic} ${theirs.get(date) ?? 'no session'}`);
  tally.check(`${lines.length} sessions of ${mic} are those of ${venue}`, faults);
  return { sessions: lines.length, differ: days.length, unknown: unknown.length };
}

function lineOf({ date, open, close, segments }: TradingSession): string {
  const [first, second, ...more] = segments;
  const pause = second && first ? [minute(first.close), minute(second.open)] : ['', ''];
  return [date, minute(open), ...pause, minute(close), ...more.map(() => 'a third part')].join();
}

function minute(at: number): string {
  return `${rfc3339(at).slice(0, 16)}Z`;
}

function linesOf(file: string): readonly string[] {
  return gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n').slice(1);
}
