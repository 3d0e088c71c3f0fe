import { type ActionSource, eventOf } from '../../domain/accounts/security-event.ts';
import { OWN_DECISION_COLUMNS } from '../../domain/decisions/own/own-columns.ts';
import { readable } from '../../domain/decisions/views/record-fault.ts';
import { EXPORT } from '../../domain/limits.ts';
import { HOUR } from '../../domain/time.ts';
import { replyJson } from '../json-text.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import {
  accountRows,
  type ExportHead,
  type ExportItemPorts,
  exportedRecords,
  exportFiles,
  ownEvents,
  receiptsOf,
  tabledRecords,
} from './export-archive.ts';
import { type ExportPlaces, exportPlaces } from './export-places.ts';
import { exportedRecord } from './operators/export-owner.ts';
import { counted } from './sign-in/register-owner.ts';

export type OwnExportPorts = ExportItemPorts & Pick<Ports, 'logins' | 'writeZip' | 'writeTable' | 'clock'>;

/** How an export is written. */
export const EXPORT_FORMATS = ['jsonl', 'zip', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface WantedExport {
  readonly owner_id: string;
  readonly format: ExportFormat;
  readonly source: ActionSource;
  /** The client's, as addresses are counted. */
  readonly network: string;
}

type Item = readonly [type: string, members: object];

/**
 * An owner's copy of their data. As lines of JSON: `export` with the moment, the account, security events, each decision
 * with its receipts, and `complete` with the number of lines of each type; as a zip (`exportFiles`); or the decisions alone
 * as a table (`OWN_DECISION_COLUMNS`). It has the records that were submitted before the moment, each as it is when its
 * page is read; a page is read when the reader has taken the one before. It waits for a place (`exportPlaces`). That it
 * began is a security event.
 * @throws Problem of `exportPlaces`; RATE_LIMIT_EXCEEDED after `EXPORT.perHour` of them; NOT_FOUND once the account is gone,
 * ACCOUNT_SUSPENDED. All but the last two come before the first piece.
 */
export function ownExports(
  ports: OwnExportPorts,
  places: ExportPlaces = exportPlaces(),
): (wanted: WantedExport) => AsyncGenerator<string | Uint8Array> {
  return async function* ({ owner_id, format, source, network }) {
    const leave = await places.take(owner_id, network);
    try {
      const begun = { ...eventOf('data_exported', 'success', owner_id, source), subject: format };
      await counted(ports, [exportsOf(owner_id)], () => ports.securityEvents.append(begun));
      const head = { owner_id, exported_at: await ports.clock.now() };
      yield* piecesOf(ports, head, format);
    } finally {
      leave();
    }
  };
}

function piecesOf(ports: OwnExportPorts, head: ExportHead, format: ExportFormat): AsyncGenerator<string | Uint8Array> {
  if (format === 'jsonl') return linesOf(ports, head);
  if (format === 'zip') return ports.writeZip(exportFiles(ports, head), head.exported_at);
  return ports.writeTable[format](OWN_DECISION_COLUMNS, readableRecords(ports, head));
}

async function* readableRecords(ports: ExportItemPorts, head: ExportHead) {
  for await (const page of tabledRecords(ports, head)) {
    yield page.map((record) => readable(record, 'owner'));
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

async function* linesOf(ports: ExportItemPorts, head: ExportHead): AsyncGenerator<string> {
  yield lineOf('export', { version: 1, ...head });
  const counts: Record<string, number> = {};
  for await (const [type, members] of itemsOf(ports, head)) {
    counts[type] = (counts[type] ?? 0) + 1;
    yield lineOf(type, members);
  }
  yield lineOf('complete', { counts });
}

/** Without raw U+2028 and U+2029: readline of Node.js 24 ends a line there. */
function lineOf(type: string, members: object): string {
  return `${replyJson({ type, ...members })}\n`;
}

async function* itemsOf(ports: ExportItemPorts, head: ExportHead): AsyncGenerator<Item> {
  const { owner_id } = head;
  for await (const [table, row] of accountRows(ports, owner_id)) yield [table, { row }];
  for await (const event of ownEvents(ports, owner_id)) yield ['security_event', { event }];
  for await (const records of exportedRecords(ports, head)) {
    const receipts = Map.groupBy(await receiptsOf(ports, records), ({ record_id }) => record_id);
    for (const record of records) {
      yield ['decision', { decision: exportedRecord(record) }];
      for (const receipt of receipts.get(record.record_id) ?? []) yield ['receipt', receipt];
    }
  }
}
