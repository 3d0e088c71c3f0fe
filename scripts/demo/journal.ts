import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
