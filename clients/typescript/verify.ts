import { keepVerdict } from './verify/keep-verdict.ts';
import { runVerifier } from './verify/program.ts';

export { auditLog, isAudited } from './verify/audit.ts';
export { conclusionsOf, conclusionText, neverProved, recordConclusions } from './verify/conclusions.ts';
export { gradedParts } from './verify/record-counts.ts';
export { verifyRecord } from './verify/record-proof.ts';
export { sentencesOf } from './verify/sentences.ts';
export { stampFiles } from './verify/timestamps.ts';
export { isProved, verifyFile, verifyProof } from './verify/verify-file.ts';

// A browser has no process, and a program that imports this file runs another one.
const fs = globalThis.process?.getBuiltinModule?.('node:fs');
const url = globalThis.process?.getBuiltinModule?.('node:url');
const program = globalThis.process?.argv[1];
if (fs && url && program && import.meta.url === url.pathToFileURL(fs.realpathSync(program)).href) {
  keepVerdict();
  process.exitCode = await runVerifier(process.argv.slice(2));
}
