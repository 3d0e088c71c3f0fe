import { MINUTE, type Millis, utcDate } from './time.ts';

let mainNames: ReadonlySet<string> | undefined;

/** Whether the runtime knows the IANA name of a time zone. */
export function isTimeZone(name: string): boolean {
  mainNames ??= new Set(Intl.supportedValuesOf('timeZone'));
  if (mainNames.has(name)) return true;
  // Another name of a zone, which takes much longer to find.
  try {
    offsetFormat(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * The instant at which the clocks of a zone show a local time, given as if it were UTC. Of two such instants (when
 * clocks are set back) the first; null for a skipped time (when they are set forward).
 */
export function localToInstant(local: Millis, timeZone: string): Millis | null {
  return instantsOf(local, timeZone)[0] ?? null;
}

/** All instants at which the clocks of a zone show a local time, the first one first: none, one or two. */
export function instantsOf(local: Millis, timeZone: string): readonly Millis[] {
  const day = 24 * 60 * MINUTE;
  const candidates = [offsetAt(local - day, timeZone), offsetAt(local + day, timeZone)].map((offset) => local - offset);
  const shown = candidates.filter((at) => at + offsetAt(at, timeZone) === local);
  return [...new Set(shown)].toSorted((a, b) => a - b);
}

/** The date `YYYY-MM-DD` that the clocks of a zone show at an instant. */
export function localDate(at: Millis, timeZone: string): string {
  return utcDate(timeZone === 'UTC' ? at : at + offsetAt(at, timeZone));
}

/** Local time minus UTC. */
function offsetAt(at: Millis, timeZone: string): Millis {
  const text = offsetFormat(timeZone).format(at);
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  return format;
}
