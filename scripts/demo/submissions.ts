import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IDEMPOTENCY } from '../../domain/limits.ts';
import { HOUR } from '../../domain/time.ts';
import type { Keys } from './agents.ts';
import type { Client } from './client.ts';
import type { Planned } from './plan.ts';

const WIDTH = 24;

export interface Submissions {
  readonly fresh: number;
  /** Sent by an interrupted run, and accepted by the service. */
  readonly found: number;
  /** Sent too long ago: sent again they might be stored twice. */
  readonly abandoned: readonly string[];
}

/** One hour less than the service stores an Idempotency-Key, as a margin. */
export const REPLAYABLE = IDEMPOTENCY.keep - HOUR;

const AT_ONCE = 8;

/** Submits unacknowledged decisions, each with its own Idempotency-Key, and records the replies in the journal. */
export async function submitPlan(
  { client, keys, journal, progress }: { client: Client; keys: Keys; journal: Journal; progress: Progress },
  plan: readonly Planned[],
): Promise<Submissions> {
  const open = plan.filter(({ key }) => !journal.acknowledged.has(key));
  const abandoned = open.filter(({ key }) => isTooOld(journal.sent.get(key)));
  let [fresh, found] = [0, 0];
  await eachOf(
    open.filter((planned) => !abandoned.includes(planned)),
    AT_ONCE,
    async ({ agent, key, submission }) => {
      journal.noteSent(key);
      const { record_id, replayed } = await client.submit(keys.get(agent) ?? '', key, submission);
      journal.noteAcknowledged(key, record_id);
      if (replayed) found += 1;
      else fresh += 1;
      progress.show(journal.acknowledged.size, plan.length, 'acknowledged');
    },
  );
  return { fresh, found, abandoned: abandoned.map(({ key }) => key) };
}

function isTooOld(sentAt: number | undefined): boolean {
  return sentAt !== undefined && Date.now() - sentAt > REPLAYABLE;
}

/** Shows the progress of work: one changing line on a terminal, otherwise a new line from time to time. */
export interface Progress {
  show(done: number, of: number, note?: string): void;
  finish(note: string): void;
}

export function progressOf(title: string, out: NodeJS.WriteStream = process.stdout): Progress {
  let shownStep = -1;
  const line = (text: string) => `${title.padEnd(10)} ${text}`;
  return {
    show(done, of, note = '') {
      const step = out.isTTY ? done : Math.floor((4 * done) / Math.max(1, of));
      if (step === shownStep) return;
      shownStep = step;
      const text = line(`${bar(done, of)} ${done} of ${of} ${note}`);
      out.write(out.isTTY ? `\r\x1b[2K${text}` : `${text.trimEnd()}\n`);
    },
    finish(note) {
      out.write(`${out.isTTY ? '\r\x1b[2K' : ''}${line(note)}\n`);
    },
  };
}

function bar(done: number, of: number): string {
  const filled = Math.round((WIDTH * done) / Math.max(1, of));
  return `[${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}]`;
}

/** Processes the items in order, at most `atOnce` at a time. After the first error it starts no more items and throws. */
export async function eachOf<T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    for (let next = rest.next(); !next.done && !failed; next = rest.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** The demo's submissions on disk, so that it can be killed at any moment and continue. */
export interface Journal {
  /** The sent idempotency keys with the time of their first sending. */
  readonly sent: ReadonlyMap<string, number>;
  /** Idempotency key -> acknowledged record id. */
  readonly acknowledged: ReadonlyMap<string, string>;
  noteSent(key: string): void;
  noteAcknowledged(key: string, record_id: string): void;
}

/** Writes a line per event at once. A kill can cut off the last line at most, which is then ignored. */
export function openJournal(folder: string): Journal {
  const file = join(folder, 'journal.jsonl');
  const sent = new Map<string, number>();
  const acknowledged = new Map<string, string>();
  const take = (line: Line) => {
    if ('at' in line) sent.set(line.key, sent.get(line.key) ?? line.at);
    else acknowledged.set(line.key, line.record_id);
  };
  const note = (line: Line) => {
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    take(line);
  };
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  for (const line of wholeLines(text)) take(line);
  if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
  return {
    sent,
    acknowledged,
    noteSent: (key) => note({ key, at: Date.now() }),
    noteAcknowledged: (key, record_id) => note({ key, record_id }),
  };
}

type Line = { readonly key: string; readonly at: number } | { readonly key: string; readonly record_id: string };

function wholeLines(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });
}
