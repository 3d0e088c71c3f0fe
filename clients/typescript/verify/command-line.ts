import { auditLog, isAudited } from './audit.ts';
import { type Command, commandOf, USAGE, WrongCommand } from './command.ts';
import { type KeptReading, keptOf, keptText, NOTHING_KEPT } from './kept-reading.ts';
import { type PolicySource, policyFor, withRequired, withSource } from './policy-source.ts';
import type { ReadServed } from './read-log.ts';
import { type Network, readUrl } from './remote.ts';
import { systemDraw } from './sample.ts';
import { counted, type Line, line, textOf } from './verdict.ts';
import { isProved, verifyFile } from './verify-file.ts';

/** What the command needs of its process. */
export interface CommandContext extends Network {
  /** @throws Error when the file cannot be read */
  readonly readFile: (file: string) => Uint8Array;
  readonly fileExists: (file: string) => boolean;
  readonly writeFile: (file: string, text: string) => void;
  readonly write: (text: string) => void;
}

/** @returns the exit code */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    return (await isHeld(commandOf(args), context)) ? 0 : 1;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== '') context.write(`${message}\n`);
    if (error instanceof WrongCommand) context.write(USAGE);
    return 2;
  }
}

async function isHeld(command: Command, context: CommandContext): Promise<boolean> {
  const { log, since } = command;
  const kept = since !== null && context.fileExists(since) ? keptOf(textIn(context.readFile(since))) : NOTHING_KEPT;
  const given = command.policy === null ? null : textIn(context.readFile(command.policy));
  const read = log === null ? null : reader(context, log);
  const policy = await policyFor(given, kept, async () => (await read?.(POLICY)) ?? null);
  const before = policy.isLearnt ? { ...kept, pinned: policy.text } : kept;
  if (read && command.audit) return audit(command, context, read, { policy, before });
  if (since !== null && policy.isLearnt) context.writeFile(since, keptText(before));
  return verifyAll(command, context, policy);
}

/** The logs of a service have one policy, next to their prefixes. */
const POLICY = '../policy';

/** Reads files below the prefix of a log; null for one that does not exist. */
function reader(context: CommandContext, log: string): (path: string) => Promise<Uint8Array | null> {
  return async (path) => {
    if (isUrl(log)) return readUrl(context, new URL(path, `${log}/`).href);
    return context.fileExists(`${log}/${path}`) ? context.readFile(`${log}/${path}`) : null;
  };
}

async function verifyAll(command: Command, context: CommandContext, policy: PolicySource): Promise<boolean> {
  const proofs = command.files.map((file) => textIn(context.readFile(file)));
  const missing = new Set(command.required);
  let proved = true;
  for (const [i, file] of command.files.entries()) {
    const found = await verifyFile(proofs[i] ?? '', policy.text, proofs);
    for (const { subject } of found) missing.delete(subject);
    const lines = withRequired(withSource(found, policy), command.required);
    print(context, file, lines);
    proved &&= isProved(lines);
  }
  const absent = [...missing].map((subject) => line('FAILS', subject, 'required, and no file has this line'));
  if (absent.length > 0) print(context, 'All files', absent);
  return proved && absent.length === 0;
}

async function audit(
  { log, since, sample, required }: Command,
  context: CommandContext,
  readFile: ReturnType<typeof reader>,
  { policy, before }: { readonly policy: PolicySource; readonly before: KeptReading },
): Promise<boolean> {
  const place = log ?? '';
  const served: ReadServed = async (path) => {
    const file = await readFile(path);
    if (!file) throw new Error(`${place}/${path} does not exist.`);
    return file;
  };
  const read = (path: string) => readUrl(context, new URL(`/api/v1/public/${path}`, place).href);
  const begin = (leaves: number) => {
    if (leaves === 0) return;
    context.write(`Looking up ${counted(leaves, 'graded decision')} at ${new URL(place).origin}, 4 requests each.\n`);
  };
  const lookup = isUrl(place) && sample > 0 ? { read, draw: systemDraw, sample, begin } : null;
  const { lines: found, kept } = await auditLog(served, policy.text, before, Math.floor(Date.now() / 1_000), lookup);
  const lines = withRequired(withSource(found, policy), required);
  print(context, place, lines);
  if (kept && since !== null) context.writeFile(since, keptText(kept));
  return isAudited(lines);
}

function isUrl(place: string): boolean {
  return /^https?:/.test(place);
}

function print({ write }: CommandContext, title: string, lines: readonly Line[]): void {
  write(`${title}\n${lines.map((each) => `  ${textOf(each)}\n`).join('')}`);
}

function textIn(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
