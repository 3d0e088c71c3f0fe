import { auditLog, isAudited } from './audit.ts';
import { keptOf, keptText } from './kept-reading.ts';
import { textOf } from './verdict.ts';
import { isProved, verifyFile } from './verify-file.ts';

/** What the command needs of its process. */
export interface CommandContext {
  /** @throws Error when the file cannot be read */
  readonly readFile: (file: string) => Uint8Array;
  readonly fileExists: (file: string) => boolean;
  readonly writeFile: (file: string, text: string) => void;
  /** Reads what a URL serves. Rejects when it does not answer with 200. */
  readonly fetch: (url: string) => Promise<Uint8Array>;
  readonly write: (text: string) => void;
}

/** What it prints for arguments that it does not know. */
export const USAGE = `Usage: verify FILE... [--policy FILE]
       verify --audit --log PLACE [--policy FILE] [--since FILE]
  FILE      a proof or receipt of an evidence log (tlog-proof)
  --policy  the keys of the log and of its witnesses (tlog-policy)
  --audit   reads a whole log: the URL of its prefix, or a folder with its files
  --since   the file in which an audit keeps how far it read; the next one goes on from there
Each line is "holds", "FAILS" or "not checked". Only --log with a URL uses the network.
Exit code 0: nothing fails, and signature, inclusion and opening hold; of an audit signature, leaves and rules.
1: otherwise. 2: the command is wrong.
`;

/** @returns the exit code */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const command = commandOf(args);
  if (command === null) {
    context.write(USAGE);
    return 2;
  }
  try {
    const policy = command.policy === undefined ? null : textIn(context.readFile(command.policy));
    const isHeld =
      command.log === undefined
        ? await verifyAll(command.files, policy, context)
        : await audit(command.log, policy, command.since, context);
    return isHeld ? 0 : 1;
  } catch (error) {
    context.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

interface Command {
  readonly files: readonly string[];
  readonly policy?: string;
  readonly log?: string;
  readonly since?: string;
}

/** Null for arguments that are no command. */
function commandOf(args: readonly string[]): Command | null {
  const files: string[] = [];
  const options: Record<string, string> = {};
  const remaining = args.values();
  for (const name of remaining) {
    if (name === '--audit') options.audit = name;
    else if (!name.startsWith('-')) files.push(name);
    else {
      const { value } = remaining.next();
      if (!['--policy', '--log', '--since'].includes(name) || value === undefined) return null;
      options[name.slice(2)] = value;
    }
  }
  const { audit, ...rest } = options;
  const isAudit = audit !== undefined && rest.log !== undefined && files.length === 0;
  const isProof = audit === undefined && rest.log === undefined && rest.since === undefined && files.length > 0;
  return isAudit || isProof ? { files, ...rest } : null;
}

async function verifyAll(files: readonly string[], policy: string | null, context: CommandContext): Promise<boolean> {
  const proofs = files.map((file) => textIn(context.readFile(file)));
  let proved = true;
  for (const [i, file] of files.entries()) {
    const lines = await verifyFile(proofs[i] ?? '', policy, proofs);
    context.write(`${file}\n${lines.map((each) => `  ${textOf(each)}\n`).join('')}`);
    proved &&= isProved(lines);
  }
  return proved;
}

async function audit(
  place: string,
  policy: string | null,
  sinceFile: string | undefined,
  { readFile, fileExists, writeFile, fetch, write }: CommandContext,
): Promise<boolean> {
  const prefix = place.replace(/\/$/, '');
  const isUrl = /^https?:/.test(prefix);
  const served = async (path: string) => (isUrl ? fetch(`${prefix}/${path}`) : readFile(`${prefix}/${path}`));
  const since = sinceFile !== undefined && fileExists(sinceFile) ? keptOf(textIn(readFile(sinceFile))) : null;
  const { lines, kept } = await auditLog(served, policy, since, Math.floor(Date.now() / 1_000));
  write(`${place}\n${lines.map((each) => `  ${textOf(each)}\n`).join('')}`);
  if (kept && sinceFile !== undefined) writeFile(sinceFile, keptText(kept));
  return isAudited(lines);
}

function textIn(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
