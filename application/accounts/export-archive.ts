import { accountSuspended } from '../../domain/accounts/owner.ts';
import { OWN_TABLES, type OwnTable, type StoredRows } from '../../domain/accounts/owner-data.ts';
import { type EventPlace, ownEventOf } from '../../domain/accounts/security-event.ts';
import type { Decision, TabledDecision } from '../../domain/decisions/decision.ts';
import { faultOf, type RecordFault } from '../../domain/decisions/views/record-fault.ts';
import { EXPORT } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { ArchiveFile } from '../../domain/zip.ts';
import { jsonOf, replyJson } from '../json-text.ts';
import { type ProofPorts, readProofs, type WantedProof } from '../log/read-proof.ts';
import type { Ports } from '../ports.ts';
import { exportedRecord, exportRecords, recordPages } from './operators/export-owner.ts';

/** A program of the archive: it writes each receipt to a file, for the verifier. */
const UNPACK_RECEIPTS = `// Writes each receipt of receipts.jsonl to receipts/RECORD-LEAF.proof: node unpack-receipts.mjs
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

mkdirSync('receipts', { recursive: true });
for await (const line of createInterface({ input: createReadStream('receipts.jsonl') })) {
  const { record_id, leaf, proof } = JSON.parse(line);
  if (proof !== null) writeFileSync(\`receipts/\${record_id}-\${leaf}.proof\`, proof);
}
`;

/**
 * The files of an owner's copy as an archive. Decisions and receipts are two files, so the records are read twice: the
 * memory that an export needs does not grow with their number.
 */
export function exportFiles(ports: ExportItemPorts, head: ExportHead): readonly ArchiveFile[] {
  const { owner_id } = head;
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
    for await (const page of exportedRecords(ports, head)) {
      for (const record of page) {
        count('decision');
        yield lineOf(exportedRecord(record));
      }
    }
  }

  async function* receipts(): AsyncGenerator<string> {
    for await (const page of exportedRecords(ports, head)) {
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

/** Without raw U+2028 and U+2029: readline of Node.js 24 ends a line there. */
function lineOf(value: object): string {
  return `${replyJson(value)}\n`;
}

/** What is in the archive, and how to verify it without the service. */
function exportReadme({ owner_id, exported_at }: ExportHead): string {
  return `# A copy of your data in Stancebook

This is the data of the account ${owner_id} at ${exported_at.toISOString()}. It has the decisions that were submitted
before, each as it was when the copy reached it.

| File | Contents |
|---|---|
| account.json | The account with agents, keys without secrets, sessions, accepted terms, workflows, plans with salt and statement, sets of back-tests with their rows: an array for each kind that you have |
| security-events.jsonl | One security event a line, the newest first |
| decisions.jsonl | One decision a line, in the order of submission: what was sent, statement and salt of the commitment, state, outcome, bars, and the indexes of its leaves in the evidence log |
| receipts.jsonl | One receipt a line: \`record_id\`, \`leaf\` (\`decision\` or \`outcome\`) and \`proof\`, a proof file with its signed checkpoint; null, with a \`fault\`, where the service cannot read the record |
| unpack-receipts.mjs | A program that writes each proof to a file of its own |
| counts.json | How many of each kind the other files have |

The receipts were read after the decisions: a decision that was graded in between has a receipt of an outcome that its
line does not have.

## Verify the receipts without the service

You need Node.js 20 or later, \`verify.mjs\` and \`policy\`. The service has them at \`/clients/verify.mjs\` and
\`/log/policy\`. Better take the verifier from a copy that you have kept or built yourself, and the policy from somebody
who has kept it: then you need not trust the service.

\`\`\`sh
node unpack-receipts.mjs
find receipts -name '*.proof' -print0 | sort -z | xargs -0 node verify.mjs --policy policy
\`\`\`

The verifier prints for each receipt what holds: the signature of the log, the witnesses, the inclusion in the log, and
that the content is what the log has a digest of. The exit code is 0 when nothing fails.
`;
}

export type ExportItemPorts = ProofPorts & Pick<Ports, 'owners' | 'ownerData' | 'decisions' | 'securityEvents'>;

/** Whose export it is, and what it has: the records that were submitted before `exported_at`. */
export interface ExportHead {
  readonly owner_id: string;
  readonly exported_at: Date;
}

/** The rows of the account, table by table. */
export async function* accountRows(
  { ownerData }: Pick<ExportItemPorts, 'ownerData'>,
  owner_id: string,
): AsyncGenerator<readonly [table: OwnTable, row: StoredRows[number]]> {
  for (const table of OWN_TABLES) {
    for (let after: string | null = null; ; ) {
      const { rows, next } = await ownerData.rows(owner_id, table, after, EXPORT.page);
      for (const row of rows) yield [table, row];
      if (next === null) break;
      after = next;
    }
  }
}

/** The security events of the owner, the newest first. */
export async function* ownEvents(
  { securityEvents }: Pick<ExportItemPorts, 'securityEvents'>,
  owner_id: string,
): AsyncGenerator<ReturnType<typeof ownEventOf>> {
  for (let after: EventPlace | null = null; ; ) {
    const events = await securityEvents.list({ owner_id }, after, EXPORT.page);
    for (const event of events) yield ownEventOf(event);
    const last = events.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/**
 * The records that were submitted before the export began, a page at a time.
 * @throws Problem NOT_FOUND once the account is gone: it has records then, and nobody who may read them
 */
export function exportedRecords(ports: ExportItemPorts, head: ExportHead): AsyncGenerator<readonly Decision[]> {
  return recordsBefore(ports, head, exportRecords(ports, head.owner_id));
}

/** The same for a table. */
export function tabledRecords(ports: ExportItemPorts, head: ExportHead): AsyncGenerator<readonly TabledDecision[]> {
  const { decisions, ownerData } = ports;
  const pages = recordPages(ownerData, head.owner_id, (ids) => decisions.findTabled(ids, head.owner_id));
  return recordsBefore(ports, head, pages);
}

async function* recordsBefore<Found extends Pick<Decision, 'submission_time'>>(
  ports: ExportItemPorts,
  { owner_id, exported_at }: ExportHead,
  pages: AsyncIterable<readonly Found[]>,
): AsyncGenerator<readonly Found[]> {
  for await (const page of pages) {
    const owner = await ports.owners.find(owner_id);
    if (!owner) throw new Problem('NOT_FOUND', 'This account no longer exists.');
    if (owner.suspended_at !== null) throw accountSuspended();
    yield page.filter(({ submission_time }) => submission_time < exported_at);
  }
}

interface ExportedReceipt {
  readonly record_id: string;
  readonly leaf: WantedProof['query']['leaf'];
  /** null where the record cannot be read. */
  readonly proof: string | null;
  readonly fault?: RecordFault;
}

/** The proof files that the endpoint of receipts returns with `opening=full`, in the order of the records. */
export async function receiptsOf(ports: ProofPorts, records: readonly Decision[]): Promise<readonly ExportedReceipt[]> {
  const wanted = records.flatMap((decision): WantedProof[] => {
    const { log } = decision;
    if (log === null) return [];
    const query = { owner: true, evidence: true };
    const first: WantedProof = { decision, query: { ...query, leaf: 'decision' } };
    return log.outcome_index === null ? [first] : [first, { decision, query: { ...query, leaf: 'outcome' } }];
  });
  const unreadable = new Set<WantedProof>();
  const proofs = await readProofs(ports, wanted, (proof) => unreadable.add(proof));
  return wanted.flatMap((each, n): ExportedReceipt[] => {
    const { record_id } = each.decision;
    const { leaf } = each.query;
    const proof = proofs[n] ?? null;
    const fault = unreadable.has(each) ? faultOf([leaf === 'decision' ? 'statement' : 'outcome']) : {};
    return proof !== null || unreadable.has(each) ? [{ record_id, leaf, proof, ...fault }] : [];
  });
}
