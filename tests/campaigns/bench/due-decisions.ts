import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { type BarRow, formatBars } from '../../../adapters/market/files/bar-csv.ts';
import { instrumentPath } from '../../../adapters/market/files/bar-folder.ts';
import { install } from '../../../adapters/market/files/bar-import.ts';
import { newestNames } from '../../../application/market/names.ts';
import type { Storage } from '../../../application/ports.ts';
import { sha256 } from '../../../application/sha256.ts';
import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import type { DecisionDraft } from '../../../domain/decisions/submission/decision-intake.ts';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { Listing } from '../../../domain/market/market-data.ts';
import { referencesOf } from '../../../domain/market/reference.ts';
import { DAY, HOUR, MINUTE, type Millis, rfc3339 } from '../../../domain/time.ts';
import type { Caller } from '../stage/callers.ts';
import { admittedDraft } from './admitted-draft.ts';
import { symbolOf } from './calls.ts';

export const INSTRUMENTS = 50;
/** Different windows; several decisions share each. */
const WINDOWS = 20;
const HORIZON = HOUR;
/** A new window begins this often. */
const EVERY = 17 * MINUTE;
const DAYS = 500;

/** Distinct stretches of minute bars that the decisions of all instruments are graded on. */
export const DISTINCT_WINDOWS = INSTRUMENTS * WINDOWS;

/** The day on which all of them became due, long enough ago for its prices to have settled. */
export function dayOf(now: Date): Millis {
  return Math.floor(now.getTime() / DAY) * DAY - 3 * DAY;
}

export function instrumentOf(number: number): Instrument {
  const symbol = symbolOf(number);
  return { market: 'crypto', symbol, venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' };
}

/**
 * Writes minute bars of two days and day bars of each instrument, and marks it as verified. As in a service, the
 * reference of their market has day bars too: else each group of decisions would ask for them in vain.
 */
export async function addPrices(folder: string, storage: Storage, day: Millis, days = DAYS): Promise<void> {
  const history_from = day - (days - 2) * DAY;
  const sizes = ['1m', '1d'] as const;
  const listing: Listing = { source: 'bar-files', sizes, history_from, delisted_at: null, cadence: 'continuous' };
  const rest = { source: 'made for the bench', licence: 'none', time_zone: 'UTC' };
  const manifestOf = (written: Pick<Listing, 'sizes'>) =>
    JSON.stringify({ ...listing, ...rest, ...written, history_from: rfc3339(history_from) });
  const manifest = manifestOf({ sizes });
  for (const [i, reference] of referencesOf(instrumentOf(0)).entries()) {
    await install(folder, instrumentPath(reference), {
      'manifest.json': manifestOf({ sizes: ['1d'] }),
      '1d.csv': formatBars(walk(INSTRUMENTS + i, history_from, DAY, days)),
    });
  }
  for (let i = 0; i < INSTRUMENTS; i++) {
    await install(folder, instrumentPath(instrumentOf(i)), {
      'manifest.json': manifest,
      '1m.csv': formatBars(walk(i, day, MINUTE, (2 * DAY) / MINUTE)),
      '1d.csv': formatBars(walk(i, history_from, DAY, days)),
    });
    const known = {
      status: 'verified',
      checked_at: new Date(),
      retry_at: null,
      attempts: 0,
      last_error: null,
    } as const;
    await storage.instruments.put({ instrument: instrumentOf(i), listing, ...known });
  }
}

/**
 * Adds due decisions on at most `DISTINCT_WINDOWS` windows. Returns their ids.
 * @param words what each statement says apart from the call
 */
export async function addDecisions(
  storage: Storage,
  agent: Caller,
  day: Millis,
  count: number,
  words: Partial<Submission> = {},
): Promise<string[]> {
  const now = await storage.clock.now();
  // A plan from before the newest statement about names would be made anew.
  const { newest: names } = await newestNames(storage.names);
  const drafts = Array.from({ length: count }, (_, n) => ({ ...draftOf(agent, n, day, now, words), names }));
  const verdicts = await Promise.all(drafts.map((draft) => storage.intake.submit(draft)));
  return verdicts.map((verdict) => {
    if (verdict.verdict !== 'accepted') throw new Error(`A decision was not accepted: ${verdict.verdict}`);
    return verdict.receipt.record_id;
  });
}

function draftOf(agent: Caller, n: number, day: Millis, now: Date, words: Partial<Submission>): DecisionDraft {
  const window = Math.floor(n / INSTRUMENTS) % WINDOWS;
  const submission = {
    ...words,
    ...instrumentOf(n % INSTRUMENTS),
    direction: DIRECTIONS[n % DIRECTIONS.length] ?? 'neutral',
    horizon_kind: 'holding_seconds',
    horizon_value: HORIZON / 1_000,
    data_cutoff: rfc3339(day + HOUR + window * EVERY),
  } as const;
  const canonical = canonicalJson({ ...submission, tags: [`call ${n}`] });
  const limits = { ...CONTRACT_LIMITS, cooldownSeconds: 0, submitsPerHour: 1e9, retroactivePerDay: 1e9 };
  return admittedDraft(agent, { submission, canonical, idempotency: null, network: '' }, limits, now);
}

/** A price that moves up and down, differently for each instrument, in steps that are small for a window of an hour. */
export function walk(instrument: number, from: Millis, length: Millis, count: number): BarRow[] {
  let price = 100 + instrument;
  return Array.from({ length: count }, (_, i) => {
    const open = price;
    price = Math.max(1, round(open * (1 + 0.002 * Math.sin(i * 1.7 + instrument) + 0.001 * Math.cos(i / 11))));
    const [high, low] = [round(Math.max(open, price) * 1.0005), round(Math.min(open, price) * 0.9995)];
    const start = from + i * length;
    const volume = (hash(`${instrument} ${i}`) % 1_000_000) / 1_000;
    return { start, end: start + length, open, high, low, close: price, volume, adj_close: null };
  });
}

function round(price: number): number {
  return Math.round(price * 10_000) / 10_000;
}

function hash(text: string): number {
  return sha256(text).readUInt32BE();
}
