import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultDone, Journal } from './journal.ts';

/** Prints in numbers what happened: a campaign without faults or refusals proves nothing. */
export function report(journal: Journal, seen: { readonly rows: number; readonly seconds: number }): void {
  console.log(summary(journal, seen));
  console.log(times(journal.faults));
}

function summary(journal: Journal, { rows, seconds }: { readonly rows: number; readonly seconds: number }): string {
  const { sent, statuses, faults, quarantined, revoked, rotations, published, outcomes } = journal;
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
  ].join('\n');
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
