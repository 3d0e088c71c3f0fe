import type { HorizonKind } from '../../../domain/decisions/call.ts';
import { type Horizon, planPastWindow, windowAt } from '../../../domain/grading/windows/window.ts';
import { BACKTEST, SUBMIT } from '../../../domain/limits.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import { withHidden } from '../../../domain/shown-text.ts';
import { type Millis, rfc3339 } from '../../../domain/time.ts';
import { isTimeZone } from '../../../domain/zoned-time.ts';
import { sha256 } from '../verify/sha256.ts';
import { type FoundEntry, type FoundFile, ImportError, type ImportOptions, lengthIn } from './found.ts';
import { cutoffOf, instrumentOf, MissingOptions, RefusedEntry } from './readings.ts';

/** A row of a set of back-tests, as it is sent. */
export interface BacktestRow {
  readonly external_id: string;
  readonly market: string;
  readonly symbol: string;
  readonly venue: string;
  readonly asset_class: string;
  readonly quote_currency: string;
  readonly direction: string;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  readonly data_cutoff: string;
  readonly key_factors?: readonly string[];
  readonly perspective_type?: string;
  readonly price_targets?: object;
  readonly confidence?: number;
  readonly model?: { readonly id: string };
  readonly summary?: string;
}

/** A row, and what the check shows of it. */
export interface ImportedRow {
  readonly place: string;
  readonly row: BacktestRow;
  readonly instrument: string;
  readonly from: Millis;
  readonly until: Millis;
}

export interface Refused {
  readonly place: string;
  readonly external_id: string | null;
  readonly why: string;
}

/** What an import would send, and what not. */
export interface Imported {
  readonly about: { readonly source: string; readonly horizon_rule: string };
  readonly rows: readonly ImportedRow[];
  readonly refused: readonly Refused[];
  /** How many by reason. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** Of what a row says, in UTF-16 units: a shorter text than a submission may have, because rows are small. */
const [MODEL, SUMMARY] = [120, 1_000];

/**
 * The rows of what a reader found: names and times read by venue and options, one row for all parts of one entry.
 * @param now windows that are not over by then are refused
 * @throws ImportError with all options that are missing
 */
export function rowsOf(file: FoundFile, options: ImportOptions, now: Millis): Imported {
  checkOptions(file, options);
  const horizon = ruleOf(file, options);
  const rows = new Map<string, ImportedRow>();
  const refused: Refused[] = [];
  const leftOut = new Map<string, number>();
  const missing = new Set<string>();
  const leaveOut = (why: string) => leftOut.set(why, (leftOut.get(why) ?? 0) + 1);
  for (const found of file.found) {
    if (found.kind === 'left_out') leaveOut(found.why);
    else if (found.kind === 'refused') refused.push({ place: found.place, external_id: null, why: found.why });
    else {
      try {
        const made = rowOf(found, file, { options, horizon, now });
        if (isFurtherPart(rows, made, found)) leaveOut('further parts of an entry that is there');
        else rows.set(made.row.external_id, made);
      } catch (error) {
        if (error instanceof MissingOptions) for (const option of error.options) missing.add(option);
        else refused.push({ place: found.place, external_id: found.external_id ?? null, why: whyRefused(error) });
      }
    }
  }
  if (missing.size > 0) throw new ImportError(`The file does not say everything. Add ${[...missing].join(', and ')}.`);
  return { about: aboutOf(file, horizon, options), rows: [...rows.values()], refused, leftOut };
}

/** @throws RefusedEntry where the file has an id of its own twice, for rows that differ */
function isFurtherPart(rows: ReadonlyMap<string, ImportedRow>, { row }: ImportedRow, entry: FoundEntry): boolean {
  const before = rows.get(row.external_id);
  if (!before || entry.external_id === undefined) return before !== undefined;
  if (JSON.stringify(before.row) === JSON.stringify(row)) return true;
  throw new RefusedEntry(`Its external_id is that of ${before.place}, which says something else.`);
}

function whyRefused(error: unknown): string {
  if (error instanceof RefusedEntry) return error.message;
  throw error;
}

interface Rule {
  readonly kind: HorizonKind;
  readonly value: number;
  readonly text: string;
}

function checkOptions({ needsBar }: FoundFile, { bar, zone }: ImportOptions): void {
  if (zone !== undefined && !isTimeZone(zone))
    throw new ImportError(`There is no time zone ${zone}: name one such as UTC or America/New_York.`);
  if (bar !== undefined) lengthIn(bar, '--bar');
  else if (needsBar) throw new ImportError(needsBar);
}

/** @throws ImportError: a horizon taken from what happened to a trade would say how it ended */
function ruleOf({ statesHorizon }: FoundFile, { horizon }: ImportOptions): Rule | null {
  if (statesHorizon) {
    if (horizon === undefined) return null;
    throw new ImportError('This file states the horizon of each decision: leave --horizon out.');
  }
  if (horizon === undefined) {
    throw new ImportError(
      'Add --horizon, such as 5d (trading days) or 4h: one for the whole file. How long a trade lasted is its outcome, and no horizon.',
    );
  }
  const { count, unit, millis } = lengthIn(horizon, '--horizon');
  if (unit === 'd') return { kind: 'trading_days', value: count, text: `${count} trading days` };
  return { kind: 'holding_seconds', value: millis / 1_000, text: `${millis / 1_000} seconds` };
}

function aboutOf({ source }: FoundFile, rule: Rule | null, { bar, zone }: ImportOptions): Imported['about'] {
  const facts = [...(bar ? [`decided at the end of bars of ${bar}`] : []), ...(zone ? [`times in ${zone}`] : [])];
  const horizon =
    rule === null ? 'stated by each decision of the file' : `${rule.text} after each entry, one rule for the file`;
  return {
    source: cleanText(source.replaceAll(/\s+/g, ' '), BACKTEST.sourceLength),
    horizon_rule: [horizon, ...facts].join('; '),
  };
}

interface Context {
  readonly options: ImportOptions;
  readonly horizon: Rule | null;
  readonly now: Millis;
}

/** @throws RefusedEntry, MissingOptions */
function rowOf(entry: FoundEntry, file: FoundFile, { options, horizon, now }: Context): ImportedRow {
  const instrument = instrumentOf(entry, options);
  const at = cutoffOf(entry, instrument, options);
  const term = termOf(entry, horizon);
  const planned = planPastWindow({ instrument, data_cutoff: at, ...term }, now);
  if (Array.isArray(planned)) throw new RefusedEntry(planned.map(({ message }) => message).join(' '));
  const until = windowAt(planned, at).end_time;
  const row = {
    external_id: entry.external_id ?? idOf(entry, file, instrument, at),
    ...instrument,
    direction: entry.direction,
    ...term,
    data_cutoff: rfc3339(at),
    ...detailsOf(entry, file),
  };
  return { place: entry.place, row: withinBytes(row), instrument: instrumentKey(instrument), from: at, until };
}

function termOf({ days, seconds = 0 }: FoundEntry, rule: Rule | null): Horizon {
  if (rule !== null) return { horizon_kind: rule.kind, horizon_value: rule.value };
  if (days !== undefined) return { horizon_kind: 'trading_days', horizon_value: days };
  return { horizon_kind: 'holding_seconds', horizon_value: seconds };
}

/** What identifies the entry, so that the same file makes the same ids again, whatever ids a run of its program gave. */
function idOf(entry: FoundEntry, { source }: FoundFile, instrument: Instrument, at: Millis): string {
  const { model = '', direction, days = null, seconds = null } = entry;
  const [format = ''] = source.toLowerCase().split(/[ ,]/);
  const digest = sha256(JSON.stringify([format, model, instrumentKey(instrument), direction, at, days, seconds]));
  const hex = Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${format.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 30)}-${hex}`;
}

function detailsOf(entry: FoundEntry, { perspective }: FoundFile): Partial<BacktestRow> {
  const { confidence, target, stop, direction } = entry;
  const factors = (entry.factors ?? [])
    .map((each) => cleanText(each, SUBMIT.factorLength))
    .filter((each) => each !== '');
  const [model, summary] = [cleanText(entry.model ?? '', MODEL), cleanText(entry.summary ?? '', SUMMARY)];
  const hasLevels = (target !== undefined || stop !== undefined) && direction !== 'neutral';
  const price_targets = {
    ...(target === undefined ? {} : { targets: [{ price: target }] }),
    ...(stop === undefined ? {} : { stop_loss: { price: stop, kind: 'hard' } }),
  };
  return {
    ...(factors.length > 0 ? { key_factors: factors } : {}),
    ...(perspective === null ? {} : { perspective_type: perspective }),
    ...(hasLevels ? { price_targets } : {}),
    ...(confidence !== undefined && confidence >= 0 && confidence <= 1 ? { confidence } : {}),
    ...(model === '' ? {} : { model: { id: model } }),
    ...(summary === '' ? {} : { summary }),
  };
}

/** Without characters that no reader sees, which the service refuses; shortened with an ellipsis. */
function cleanText(text: string, most: number): string {
  const shown = withHidden(text.toWellFormed(), () => '').trim();
  if (shown.length <= most) return shown;
  const cut = shown.slice(0, most - 1).toWellFormed();
  return `${cut.replace(/\ufffd$/, '').trimEnd()}\u2026`;
}

/** Its summary is shortened, then left out, until the row fits. */
function withinBytes(row: BacktestRow): BacktestRow {
  const bytes = new TextEncoder().encode(JSON.stringify(row)).length;
  if (bytes <= BACKTEST.rowBytes) return row;
  const { summary = '', ...others } = row;
  const most = summary.length - Math.ceil((bytes - BACKTEST.rowBytes) / 4) - 1;
  if (summary !== '') return withinBytes(most > 20 ? { ...others, summary: cleanText(summary, most) } : others);
  const { key_factors = [], ...rest } = others;
  if (key_factors.length === 0) return row;
  return withinBytes(key_factors.length > 1 ? { ...rest, key_factors: key_factors.slice(0, -1) } : rest);
}
