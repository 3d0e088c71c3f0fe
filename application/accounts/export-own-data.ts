import { OWN_TABLES } from '../../domain/accounts/owner-data.ts';
import { type ActionSource, eventOf, ownEventOf } from '../../domain/accounts/security-event.ts';
import type { EventPlace } from '../../domain/accounts/security-event-store.ts';
import type { Decision } from '../../domain/decisions/decision.ts';
import { EXPORT } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { HOUR } from '../../domain/time.ts';
import { jsonOf } from '../json-text.ts';
import { type ProofPorts, readProofs, type WantedProof } from '../log/read-proof.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { exportRecords, withMetaText } from './operators/export-owner.ts';
import { counted } from './sign-in/counted.ts';

export type OwnExportPorts = ProofPorts &
  Pick<Ports, 'owners' | 'ownerData' | 'decisions' | 'securityEvents' | 'logins' | 'clock'>;

/** How an export is written. */
export const EXPORT_FORMATS = ['jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface WantedExport {
  readonly owner_id: string;
  readonly format: ExportFormat;
  readonly source: ActionSource;
}

type Item = readonly [type: string, members: object];

/**
 * An owner's copy of their data as lines of JSON: `export` with the moment, the account, security events, each decision
 * with its receipts, and `complete` with the number of lines of each type. It has the records that were submitted before
 * the moment, each as it is when its page is read; a page is read when the reader has taken the one before.
 * Of an owner one export runs at a time in each process. That it began is a security event.
 * @throws Problem RATE_LIMIT_EXCEEDED while one runs, or after `EXPORT.perHour` of them; SERVICE_UNAVAILABLE while
 * `EXPORT.atOnce` run; NOT_FOUND once the account is gone. All but the last come before the first line.
 */
export function ownExports(ports: OwnExportPorts): (wanted: WantedExport) => AsyncGenerator<string> {
  const running = new Set<string>();
  return async function* ({ owner_id, format, source }) {
    refuseConcurrent(running, owner_id);
    running.add(owner_id);
    try {
      const begun = { ...eventOf('data_exported', 'success', owner_id, source), subject: format };
      await counted(ports, [exportsOf(owner_id)], () => ports.securityEvents.append(begun));
      yield* linesOf(ports, owner_id);
    } finally {
      running.delete(owner_id);
    }
  };
}

function refuseConcurrent(running: ReadonlySet<string>, owner_id: string): void {
  if (running.has(owner_id)) {
    const suggestion = 'Read the export that is running to its end, or close its connection.';
    throw new Problem('RATE_LIMIT_EXCEEDED', 'An export of this account is running.', { suggestion });
  }
  if (running.size >= EXPORT.atOnce) {
    throw new Problem('SERVICE_UNAVAILABLE', `${running.size} exports are running, and no more run at once.`, {
      retry_after_seconds: 60,
    });
  }
}

function exportsOf(owner_id: string) {
  return {
    subject: sha256('exports', owner_id),
    most: EXPORT.perHour,
    window: HOUR,
    message: `An account may be exported ${EXPORT.perHour} times an hour.`,
    suggestion: 'Wait retry_after_seconds.',
  };
}

async function* linesOf(ports: OwnExportPorts, owner_id: string): AsyncGenerator<string> {
  const exported_at = await ports.clock.now();
  yield lineOf('export', { version: 1, owner_id, exported_at });
  const counts: Record<string, number> = {};
  for await (const [type, members] of itemsOf(ports, owner_id, exported_at)) {
    counts[type] = (counts[type] ?? 0) + 1;
    yield lineOf(type, members);
  }
  yield lineOf('complete', { counts });
}

function lineOf(type: string, members: object): string {
  return `${jsonOf({ type, ...members })}\n`;
}

async function* itemsOf(ports: OwnExportPorts, owner_id: string, before: Date): AsyncGenerator<Item> {
  yield* accountOf(ports, owner_id);
  yield* eventsOf(ports, owner_id);
  for await (const page of exportRecords(ports, owner_id)) {
    // A removed account has records, and nobody who may read them.
    if (!(await ports.owners.find(owner_id))) throw new Problem('NOT_FOUND', 'This account no longer exists.');
    const records = page.filter(({ submission_time }) => submission_time < before);
    const receipts = await receiptsOf(ports, records);
    for (const record of records) {
      yield ['decision', { decision: withMetaText(record) }];
      for (const { record_id, leaf, proof } of receipts.get(record.record_id) ?? []) {
        yield ['receipt', { record_id, leaf, proof }];
      }
    }
  }
}

async function* accountOf({ ownerData }: OwnExportPorts, owner_id: string): AsyncGenerator<Item> {
  for (const table of OWN_TABLES) {
    for (let after: string | null = null; ; ) {
      const { rows, next } = await ownerData.rows(owner_id, table, after, EXPORT.page);
      for (const row of rows) yield [table, { row }];
      if (next === null) break;
      after = next;
    }
  }
}

async function* eventsOf({ securityEvents }: OwnExportPorts, owner_id: string): AsyncGenerator<Item> {
  for (let after: EventPlace | null = null; ; ) {
    const events = await securityEvents.list({ owner_id }, after, EXPORT.page);
    for (const event of events) yield ['security_event', { event: ownEventOf(event) }];
    const last = events.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

interface Receipt {
  readonly record_id: string;
  readonly leaf: WantedProof['query']['leaf'];
  readonly proof: string;
}

/** The proof files that the endpoint of receipts returns with `opening=full`, by record. */
async function receiptsOf(
  ports: OwnExportPorts,
  records: readonly Decision[],
): Promise<ReadonlyMap<string, readonly Receipt[]>> {
  const wanted = records.flatMap((decision): WantedProof[] => {
    const { log } = decision;
    if (log === null) return [];
    const query = { owner: true, evidence: true };
    const first: WantedProof = { decision, query: { ...query, leaf: 'decision' } };
    return log.outcome_index === null ? [first] : [first, { decision, query: { ...query, leaf: 'outcome' } }];
  });
  const proofs = await readProofs(ports, wanted);
  const receipts = wanted.flatMap(({ decision: { record_id }, query: { leaf } }, n): Receipt[] => {
    const proof = proofs[n];
    return proof ? [{ record_id, leaf, proof }] : [];
  });
  return Map.groupBy(receipts, ({ record_id }) => record_id);
}
