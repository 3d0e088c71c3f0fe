import { textOf } from './verdict.ts';
import { isProved, verifyFile } from './verify-file.ts';

/** What the command needs of its process. */
export interface CommandContext {
  /** @throws Error when the file cannot be read */
  readonly readFile: (file: string) => string;
  readonly write: (text: string) => void;
}

/** What it prints for arguments that it does not know. */
export const USAGE = `Usage: verify FILE... [--policy FILE]
  FILE      a proof or receipt of an evidence log (tlog-proof)
  --policy  the keys of the log and of its witnesses (tlog-policy)
Each line is "holds", "FAILS" or "not checked". Nothing is sent anywhere.
Exit code 0: nothing fails, and signature, inclusion and opening hold. 1: otherwise. 2: the command is wrong.
`;

/** @returns the exit code */
export async function runCommand(args: readonly string[], { readFile, write }: CommandContext): Promise<number> {
  const at = args.indexOf('--policy');
  const policyFile = at === -1 ? null : args[at + 1];
  const files = at === -1 ? args : [...args.slice(0, at), ...args.slice(at + 2)];
  if (files.length === 0 || policyFile === undefined || files.some((file) => file.startsWith('-'))) {
    write(USAGE);
    return 2;
  }
  try {
    const policy = policyFile === null ? null : readFile(policyFile);
    const proofs = files.map(readFile);
    let proved = true;
    for (const [i, file] of files.entries()) {
      const lines = await verifyFile(proofs[i] ?? '', policy, proofs);
      write(`${file}\n${lines.map((each) => `  ${textOf(each)}\n`).join('')}`);
      proved &&= isProved(lines);
    }
    return proved ? 0 : 1;
  } catch (error) {
    write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}
