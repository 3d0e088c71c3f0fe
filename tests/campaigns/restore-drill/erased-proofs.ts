import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../../clients/typescript/verify/verdict.ts';
import { isProved, verifyFile } from '../../../clients/typescript/verify/verify-file.ts';
import { proofOf } from '../../../domain/log/tree/proof.ts';
import type { Tally } from '../stage/tally.ts';
import { policyOf } from './log-walk.ts';
import { type DrilledAgent, request } from './population.ts';
import type { LogSettings } from './running-service.ts';

/** What an owner kept, and everybody saw, before the erasure. */
export interface Seen {
  /** Receipts of the owner, with the statement. */
  readonly receipts: readonly string[];
  /** Public views of graded decisions, by id. */
  readonly views: ReadonlyMap<string, string>;
}

/** How many receipts the owner keeps. */
const KEPT = 20;

/** Reads the receipts of some decisions as their owner, and the public views of all. */
export async function seenBefore(url: string, { api_key, records }: DrilledAgent): Promise<Seen> {
  const headers = { 'x-api-key': api_key };
  const receipts: string[] = [];
  for (const record_id of records.slice(0, KEPT)) {
    const { status, text } = await request(url, `/api/v1/agent/decisions/${record_id}/receipt?opening=full`, {
      headers,
    });
    if (status !== 200) throw new Error(`The receipt of ${record_id} was answered ${status}: ${text}`);
    receipts.push(text);
  }
  const views = new Map<string, string>();
  for (const record_id of records) {
    const { status, text } = await request(url, viewPath(record_id));
    // The log takes a grade in a moment after it, and the view then has its leaf.
    if (status === 200 && !/"(log|outcome_index)":null/.test(text)) views.set(record_id, text);
  }
  return { receipts, views };
}

/** After the erasure: kept receipts and the public proofs of all graded decisions verify, and views are as before. */
export async function checkProofs(
  tally: Tally,
  url: string,
  key: LogSettings['key'],
  { records }: DrilledAgent,
  { receipts, views }: Seen,
): Promise<void> {
  tally.check(`${receipts.length} receipts from before verify`, await faultsOf(key, receipts));
  const changed: string[] = [];
  for (const [record_id, before] of views) {
    if ((await request(url, viewPath(record_id))).text !== before) changed.push(record_id);
  }
  tally.holds('decisions were graded before the erasure', views.size > 0);
  tally.check(`${views.size} public views are as before`, changed);
  const proofs: string[] = [];
  for (const record_id of records) {
    if ((await request(url, viewPath(record_id))).status !== 200) continue;
    for (const leaf of ['decision', 'outcome'])
      proofs.push(await textAt(url, `/api/v1/public/decisions/${record_id}/proof?leaf=${leaf}`));
  }
  tally.holds('there are public proofs', proofs.length > 0);
  tally.check(`${proofs.length} public proofs verify`, await faultsOf(key, proofs));
}

/** The text at a path, once it is there. @throws Error after two minutes, with the last answer */
async function textAt(url: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  for (const end = Date.now() + 120_000; ; await sleep(200)) {
    const { status, text } = await request(url, path, { headers });
    if (status === 200) return text;
    if (Date.now() > end) throw new Error(`${path} was answered ${status}: ${text}`);
  }
}

function viewPath(record_id: string): string {
  return `/api/v1/public/decisions/${record_id}`;
}

async function faultsOf(key: LogSettings['key'], proofs: readonly string[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const proof of proofs) {
    const lines = await verifyFile(proof, policyOf(key, proofOf(proof).checkpoint).policy);
    if (!isProved(lines)) faults.push(lines.map(textOf).join('\n'));
  }
  return faults;
}
