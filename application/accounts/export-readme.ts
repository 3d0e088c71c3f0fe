import type { ExportHead } from './export-items.ts';

/** A program of the archive: it writes each receipt to a file, for the verifier. */
export const UNPACK_RECEIPTS = `// Writes each receipt of receipts.jsonl to receipts/RECORD-LEAF.proof: node unpack-receipts.mjs
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

mkdirSync('receipts', { recursive: true });
for await (const line of createInterface({ input: createReadStream('receipts.jsonl') })) {
  const { record_id, leaf, proof } = JSON.parse(line);
  if (proof !== null) writeFileSync(\`receipts/\${record_id}-\${leaf}.proof\`, proof);
}
`;

/** What is in the archive, and how to verify it without the service. */
export function exportReadme({ owner_id, exported_at }: ExportHead): string {
  return `# A copy of your data in Stancebook

This is the data of the account ${owner_id} at ${exported_at.toISOString()}. It has the decisions that were submitted
before, each as it was when the copy reached it.

| File | Contents |
|---|---|
| account.json | The account with agents, keys without secrets, sessions, accepted terms, workflows, plans with salt and statement: an array for each kind that you have |
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
