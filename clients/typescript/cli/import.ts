import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { BACKTEST } from '../../../domain/limits.ts';
import { rfc3339 } from '../../../domain/time.ts';
import {
  ConnectionFailedError,
  QuotaExceededError,
  RetryableError,
  ServiceDegradedError,
  UsageError,
} from '../client/errors.ts';
import { Stancebook } from '../client/stancebook.ts';
import { sleepFor } from '../client/waits.ts';
import { ImportError } from '../import/found.ts';
import { readImport } from '../import/read-file.ts';
import type { Imported, Refused } from '../import/rows.ts';
import { type BatchReply, type Progress, requestsOf, sendRows } from '../import/send-rows.ts';
import { keyedConnectionOf } from './credentials.ts';
import { type Command, complain, print, printJson, secondsOf, shown } from './usage.ts';

/** Seconds in which a request of a thousand rows must be answered, and between two looks at a set that is graded. */
const ANSWERED = 120;
const LOOK = 2;

/** Refused rows that are shown; the file of errors has all of them. */
const SHOWN = 20;

const TOO_MANY = `A set has at most ${BACKTEST.instruments} instruments: split the file.`;

/** Shows what a file of another program would send, or sends it to a set. Returns the exit code. */
export async function importFile({ words: [file = ''], options }: Command): Promise<number> {
  const { check, set, wait, errors: errorFile = `${file}.refused.jsonl` } = options;
  if ((set === undefined) === (check === undefined)) {
    throw new UsageError('Give --check to see what would be sent, or --set NAME to send it.');
  }
  if (set !== undefined && !/^[a-z0-9-]{1,40}$/.test(set)) {
    throw new UsageError('--set needs 1 to 40 lower-case letters, digits and hyphens.');
  }
  const timeoutSeconds = secondsOf(options.timeout) ?? Number.POSITIVE_INFINITY;
  const connection = set === undefined ? null : keyedConnectionOf(options);
  const imported = await readImport(file, readFileSync(file), options, Date.now()).catch(asUsage);
  if (connection === null) return showCheck(imported);
  const instruments = new Set(imported.rows.map(({ instrument }) => instrument)).size;
  if (instruments > BACKTEST.instruments) throw new UsageError(`The file has ${instruments} instruments. ${TOO_MANY}`);
  const client = new Stancebook({ ...connection, timeoutSeconds: ANSWERED });
  const path = `/api/v1/agent/backtests/${set}`;
  const refused = await send(client, path, imported, errorFile);
  const isGraded = !wait || (await waitUntilGraded(client, path, timeoutSeconds));
  return refused === 0 && isGraded && imported.rows.length > 0 ? 0 : 1;
}

function asUsage(error: unknown): never {
  throw error instanceof ImportError ? new UsageError(error.message) : error;
}

function showCheck({ about, rows, refused, leftOut }: Imported): number {
  const instruments = new Map<string, Map<string, number>>();
  for (const { instrument, row } of rows) {
    const counts = instruments.get(instrument) ?? new Map<string, number>();
    instruments.set(instrument, counts.set(row.direction, (counts.get(row.direction) ?? 0) + 1));
  }
  const requests = requestsOf({ about, rows }).length;
  print(`Source: ${shown(about.source)}`);
  print(`Horizon: ${shown(about.horizon_rule)}`);
  print(
    `Would send ${counted(rows.length, 'row')} of ${counted(instruments.size, 'instrument')} in ${counted(requests, 'request')}.`,
  );
  if (rows.length > 0) {
    const first = rows.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
    const last = rows.reduce((most, { until }) => Math.max(most, until), 0);
    print(`Windows: from ${rfc3339(first)} to ${rfc3339(last)}.`);
  }
  for (const [instrument, counts] of instruments) {
    print(`  ${instrument}: ${[...counts].map(([direction, count]) => `${count} ${direction}`).join(', ')}`);
  }
  if (instruments.size > BACKTEST.instruments) {
    print(TOO_MANY);
  }
  showRest(print, { refused, leftOut });
  return refused.length === 0 && rows.length > 0 && instruments.size <= BACKTEST.instruments ? 0 : 1;
}

function showRest(write: (line: string) => void, { refused, leftOut }: Pick<Imported, 'refused' | 'leftOut'>): void {
  for (const [why, count] of leftOut) write(`Left out, ${count}: ${shown(why)}.`);
  for (const { place, why } of refused.slice(0, SHOWN)) write(`Refused, ${shown(place)}: ${shown(why)}`);
  if (refused.length > SHOWN) write(`Refused, ${refused.length - SHOWN} more.`);
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns how many were refused, here or by the service; all of them are in the file of errors. */
async function send(client: Stancebook, path: string, imported: Imported, errorFile: string): Promise<number> {
  const refused: Refused[] = [];
  const note = (more: readonly Refused[]) => {
    if (more.length === 0) return;
    const lines = more.map(
      (each) => `${JSON.stringify({ place: each.place, external_id: each.external_id, why: each.why })}\n`,
    );
    if (refused.length === 0) writeFileSync(errorFile, lines.join(''));
    else appendFileSync(errorFile, lines.join(''));
    refused.push(...more);
  };
  note(imported.refused);
  const post = (body: unknown) => client.request<BatchReply>({ method: 'POST', path, body, repeatable: true });
  try {
    await sendRows(imported, post, (progress, more) => {
      note(more);
      showProgress(progress);
    });
  } catch (error) {
    complain('Not everything was sent.');
    if (goesOn(error)) complain('The same command goes on later: rows that the set has are not stored twice.');
    throw error;
  }
  showRest(complain, { refused, leftOut: imported.leftOut });
  if (refused.length > 0) complain(`${counted(refused.length, 'row')} refused: see ${errorFile}`);
  return refused.length;
}

/** Whether the same requests may be accepted later: what an account may have at all does not grow by waiting. */
function goesOn(error: unknown): boolean {
  if (error instanceof QuotaExceededError && error.code === 'TIER_LIMIT_REACHED') return false;
  const kinds = [ConnectionFailedError, QuotaExceededError, RetryableError, ServiceDegradedError];
  return kinds.some((kind) => error instanceof kind);
}

/** One line, which a terminal overwrites. */
function showProgress({ sent, of, accepted, repeated, refused }: Progress): void {
  const line = `sent ${sent} of ${of}: ${accepted} accepted, ${repeated} repeated, ${refused} refused`;
  const { stderr } = process;
  if (stderr.isTTY) stderr.write(`\r\u001b[K${line}${sent === of ? '\n' : ''}`);
  else complain(line);
}

interface WaitingSet {
  readonly ungraded_yet: number;
  /** Absent from services that do not count them. */
  readonly tried_again?: number;
}

/** Prints the set once all rows are graded whose prices have settled, or at the timeout. Returns whether they are. */
async function waitUntilGraded(client: Stancebook, path: string, timeoutSeconds: number): Promise<boolean> {
  const end = Date.now() + timeoutSeconds * 1_000;
  for (let before = -1; ; ) {
    const set = await client.request<WaitingSet>({ method: 'GET', path });
    const { ungraded_yet, tried_again = 0 } = set;
    if (ungraded_yet === 0 || Date.now() + LOOK * 1_000 > end) {
      if (ungraded_yet > 0) complain(`The timeout ends with ${counted(ungraded_yet, 'row')} to grade; this goes on.`);
      printJson(set);
      return ungraded_yet === 0;
    }
    const again = tried_again > 0 ? `, ${tried_again} of them once a source answers` : '';
    if (ungraded_yet !== before) complain(`${counted(ungraded_yet, 'row')} to grade${again}`);
    before = ungraded_yet;
    await sleepFor(LOOK);
  }
}
