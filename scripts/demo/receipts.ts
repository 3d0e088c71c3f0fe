import { isProved, verifyFile } from '../../clients/typescript/verify/verify-file.ts';
import type { Keys } from './accounts.ts';
import type { Client } from './client.ts';
import type { Acknowledgement } from './records.ts';

/**
 * The receipts of one submission and of its grade, checked as anybody can check them.
 * @throws Error with the lines of the verifier when one is not proved
 */
export async function receiptsInWords(
  client: Client,
  keys: Keys,
  [record]: readonly Acknowledgement[],
): Promise<string> {
  if (!record) return 'there is no record to prove';
  const { agent, record_id } = record;
  const receipts = await client.receipts(keys.get(agent) ?? '', record_id);
  const policy = await client.logPolicy();
  const checked = await Promise.all(receipts.map((receipt) => verifyFile(receipt, policy, receipts)));
  const lines = checked.flat();
  const failed = lines.filter(({ verdict }) => verdict === 'FAILS');
  if (failed.length > 0 || !checked.every(isProved))
    throw new Error(`A receipt of ${record_id}: ${JSON.stringify(lines)}`);
  const held = new Set(lines.flatMap(({ verdict, subject }) => (verdict === 'holds' ? [subject] : [])));
  return `the log has ${record_id} and its grade, signed; of both receipts hold: ${[...held].join(', ')}`;
}
