import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultDone, Journal } from './journal.ts';
import type { Arrival } from './stage/receiver.ts';

export interface Seen {
  readonly rows: number;
  readonly seconds: number;
  readonly arrivals: readonly Arrival[];
}

/** What happened, in numbers that add up over several campaigns. */
export interface Counts {
  readonly seconds: number;
  readonly submissions: number;
  readonly acknowledged: number;
  readonly doubtful: number;
  readonly unanswered: number;
  readonly rows: number;
  /** How many faults of each kind. */
  readonly faults: Readonly<Record<string, number>>;
}

export function countsOf({ sent, faults, unanswered }: Journal, seconds: number, rows: number): Counts {
  const byKind = Map.groupBy(faults, ({ kind }) => kind);
  return {
    seconds: Math.round(seconds),
    submissions: sent.length,
    acknowledged: sent.filter(({ accepted }) => accepted !== null).length,
    doubtful: sent.filter(({ wasUnknown }) => wasUnknown).length,
    unanswered: unanswered.length,
    rows,
    faults: Object.fromEntries([...byKind].map(([kind, those]) => [kind, those.length])),
  };
}

/** Prints in numbers what happened: a campaign without faults or refusals proves nothing. */
export function report(journal: Journal, seen: Seen): void {
  console.log(summary(journal, seen));
  console.log(times(journal.faults));
}

function summary(journal: Journal, { rows, seconds, arrivals }: Seen): string {
  const { sent, statuses, faults, quarantined, revoked, rotations, published, outcomes, feeds } = journal;
  const accepted = sent.filter((each) => each.accepted !== null);
  const doubtful = sent.filter(({ wasUnknown }) => wasUnknown);
  return [
    '',
    `${faults.length} faults in ${Math.round(seconds)} s`,
    [...statuses]
      .sort()
      .map(([name, n]) => `${name}: ${n}`)
      .join('  '),
    `submissions ${sent.length}, acknowledged ${accepted.length}, once in doubt ${doubtful.length}, of those in the end ` +
      `acknowledged ${doubtful.filter((each) => each.accepted).length}`,
    `outcomes shown ${outcomes.size}, quarantined ${quarantined.size}, revoked ${revoked.size}, keys rotated ` +
      `${rotations.length}, workflows published ${published.length}, rows of evidence watched ${rows}`,
    `events read ${sum(feeds.map(({ events }) => events.length))}, replies of them cut ${sum(feeds.map(({ cuts }) => cuts))}, requests of ` +
      `webhooks ${arrivals.length}, accepted ${arrivals.filter(({ isAccepted }) => isAccepted).length}, more than once ` +
      `${arrivals.length - new Set(arrivals.map(({ path, id }) => path + id)).size}`,
  ].join('\n');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Log lines of the requests with wrong replies. The descriptions of the breaches contain their ids. */
export function logged({ broken }: Journal, folder: string): string[] {
  const words = (broken.get('replies') ?? []).slice(0, 50).join();
  const ids = [...words.matchAll(/"request_id":"([^"]+)"/g)].map(([, id]) => id ?? '');
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
  const lines = logs.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines.filter((line) => ids.some((id) => line.includes(id))).slice(0, 10);
}

/** Milliseconds from the end of each fault, by kind: median, 95th of a hundred, longest. */
function times(faults: readonly FaultDone[]): string {
  const lines = [...Map.groupBy(faults, ({ kind }) => kind)].sort().map(([kind, those]) => {
    const of = (pick: (fault: FaultDone) => number | null) => spread(those.map(pick).filter((each) => each !== null));
    return row(
      kind,
      those.length,
      of(({ toAck }) => toAck),
      of(({ toGrade }) => toGrade),
      of(({ silence }) => silence),
    );
  });
  return [
    '',
    row('milliseconds (median / p95 / longest)', 'n', 'to a record', 'to a grade', 'silence'),
    ...lines,
    '',
  ].join('\n');
}

function row(kind: string, n: number | string, ...columns: readonly string[]): string {
  return `${kind.padEnd(38)}${String(n).padStart(4)}${columns.map((each) => each.padStart(24)).join('')}`;
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return sorted.length === 0 ? '-' : `${at(0.5)} / ${at(0.95)} / ${at(1)}`;
}
