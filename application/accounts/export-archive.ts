import type { ArchiveFile } from '../../domain/archive.ts';
import { jsonOf } from '../json-text.ts';
import {
  accountRows,
  type ExportHead,
  type ExportItemPorts,
  ownEvents,
  receiptsOf,
  recordsBefore,
} from './export-items.ts';
import { exportReadme, UNPACK_RECEIPTS } from './export-readme.ts';
import { withMetaText } from './operators/export-owner.ts';

/**
 * The files of an owner's copy as an archive. Decisions and receipts are two files, so the records are read twice: the
 * memory that an export needs does not grow with their number.
 */
export function exportFiles(ports: ExportItemPorts, head: ExportHead): readonly ArchiveFile[] {
  const { owner_id, exported_at } = head;
  const counts: Record<string, number> = {};
  const count = (type: string) => {
    counts[type] = (counts[type] ?? 0) + 1;
  };

  async function* account(): AsyncGenerator<string> {
    yield jsonOf({ version: 1, ...head }).slice(0, -1);
    let before = '';
    for await (const [table, row] of accountRows(ports, owner_id)) {
      count(table);
      yield table === before ? ',' : `${before && ']'},${JSON.stringify(table)}:[`;
      before = table;
      yield jsonOf(row);
    }
    yield `${before && ']'}}\n`;
  }

  async function* events(): AsyncGenerator<string> {
    for await (const event of ownEvents(ports, owner_id)) {
      count('security_event');
      yield lineOf(event);
    }
  }

  async function* decisions(): AsyncGenerator<string> {
    for await (const page of recordsBefore(ports, owner_id, exported_at)) {
      for (const record of page) {
        count('decision');
        yield lineOf(withMetaText(record));
      }
    }
  }

  async function* receipts(): AsyncGenerator<string> {
    for await (const page of recordsBefore(ports, owner_id, exported_at)) {
      for (const receipt of await receiptsOf(ports, page)) {
        count('receipt');
        yield lineOf(receipt);
      }
    }
  }

  return [
    { name: 'README.md', pieces: () => text(exportReadme(head)) },
    { name: 'unpack-receipts.mjs', pieces: () => text(UNPACK_RECEIPTS) },
    { name: 'account.json', pieces: account },
    { name: 'security-events.jsonl', pieces: events },
    { name: 'decisions.jsonl', pieces: decisions },
    { name: 'receipts.jsonl', pieces: receipts },
    { name: 'counts.json', pieces: () => text(() => lineOf(counts)) },
  ];
}

/** One piece, made when it is read. */
async function* text(content: string | (() => string)): AsyncGenerator<string> {
  yield typeof content === 'string' ? content : content();
}

function lineOf(value: object): string {
  return `${jsonOf(value)}\n`;
}
