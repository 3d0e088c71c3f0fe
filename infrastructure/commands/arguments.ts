import { type ParseArgsConfig, parseArgs } from 'node:util';
import { OWNER_ID, RECORD_ID } from '../../domain/identifiers.ts';
import {
  type Instrument,
  type InstrumentAsSent,
  namedInstrument,
  normaliseInstrument,
} from '../../domain/market/instrument.ts';
import { TABLE_VENUES } from '../../domain/market/venues.ts';
import { DAY, type Millis } from '../../domain/time.ts';
import { UsageError } from './command.ts';

/** The words and options of a command line. @throws UsageError for an option that is unknown or lacks its value */
export function argumentsIn<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: O,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_PARSE_ARGS')) throw new UsageError(message);
    throw error;
  }
}

/** `market:symbol:venue:asset_class:quote` of a supported instrument, in any spelling. @throws UsageError naming all faults */
export function instrumentIn(text: string): Instrument {
  return withoutFaults(normaliseInstrument(identityIn(text), TABLE_VENUES));
}

/** The same, whether the instrument is supported or not. @throws UsageError naming all faults */
export function namedInstrumentIn(text: string): Instrument {
  return withoutFaults(namedInstrument(identityIn(text)));
}

function identityIn(text: string): InstrumentAsSent {
  const [market, symbol, venue, asset_class, quote_currency, ...more] = text.split(':');
  if (!market || !symbol || !venue || !asset_class || !quote_currency || more.length > 0) {
    throw new UsageError(`${text} names no instrument; they look like stock:MSFT:NASDAQ:spot:USD.`);
  }
  return { market, symbol, venue, asset_class, quote_currency };
}

function withoutFaults(instrument: ReturnType<typeof namedInstrument>): Instrument {
  if (!Array.isArray(instrument)) return instrument;
  throw new UsageError(instrument.map(({ message }) => `${message}.`).join('\n'));
}

/** One of a few words. @throws UsageError */
export function oneOf<T extends string>(words: readonly T[], sent: string, option: string): T {
  const found = words.find((word) => word === sent);
  if (found === undefined) throw new UsageError(`${option} ${sent}: send ${words.join(', ')}.`);
  return found;
}

/** A UTC date, or an RFC 3339 time; `--to` with a date means the end of that day. @throws UsageError */
export function timeIn(text: string, option: string): Millis {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const at = isDate || isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new UsageError(
      `${option} ${text} is not a time: send a UTC date such as 2026-01-30, or 2026-01-30T14:30:00Z.`,
    );
  return option === '--to' && isDate ? at + DAY : at;
}

/** An owner_id, or an email. @throws UsageError */
export function ownerIn(named: string | undefined): string {
  if (named === undefined) throw new UsageError('Name one owner.');
  if (named.includes('@') || OWNER_ID.test(named.toLowerCase())) return named;
  throw new UsageError(`${named} is neither an owner_id nor an email; list-owners shows them.`);
}

/** @throws UsageError */
export function recordIn(named: string | undefined): string {
  if (named !== undefined && RECORD_ID.test(named)) return named;
  throw new UsageError(`${named ?? 'Nothing'} is no record id; they look like dec_20260302_5c0ffee5.`);
}

/** The value of `--since`; undefined where it is absent. @throws UsageError */
export function sinceIn(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(timeIn(text, '--since'));
}

/** The value of `--limit`: how many rows a command lists. @throws UsageError */
export function limitIn(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= HIGHEST_LIMIT) return limit;
  throw new UsageError(`--limit ${text}: send a number from 1 to ${HIGHEST_LIMIT}.`);
}

const HIGHEST_LIMIT = 10_000;
