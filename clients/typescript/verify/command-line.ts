import { LOG } from '../../../domain/limits.ts';
import { equalBytes } from '../../../domain/log/encoding.ts';
import { leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import { judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import type { SignedNote } from '../../../domain/log/notes/note.ts';
import type { StampCrypto } from '../../../domain/log/timestamps/certificates.ts';
import { MOST_TILE_WIDTH } from '../../../domain/log/tree/tile.ts';
import type { Millis } from '../../../domain/time.ts';
import { askedCohorts, drawnCohorts } from './asked-cohorts.ts';
import { auditLog, ed25519Verify, isAudited, policyIn } from './audit.ts';
import { type Command, commandOf, systemDraw, USAGE, WrongCommand } from './command.ts';
import {
  auditConclusions,
  type Conclusion,
  conclusionsOf,
  conclusionText,
  neverProved,
  recordConclusions,
} from './conclusions.ts';
import { logLines } from './growth.ts';
import { inputLines } from './input-lines.ts';
import { bookOf } from './named-decisions.ts';
import { askWitness, fetchWithRetryAfter, isUrl, type Network, readUrl, refusalText, textIn } from './network.ts';
import { LOGGED_AFTER, openedLog } from './opened-log.ts';
import type { ReadServed } from './read-log.ts';
import { LEGEND } from './record-counts.ts';
import { type RecordMeans, verifyRecord } from './record-proof.ts';
import { type CohortReply, cohortReply } from './recount.ts';
import { recountCohorts } from './recounting.ts';
import { NOTHING_SAVED, type SavedReading, savedReadingOf, savedText } from './saved-reading.ts';
import { type NamedProof, type SentenceMeans, sentencesOf } from './sentences.ts';
import { snapshotReading } from './snapshot-line.ts';
import type { CheckStamps } from './time-line.ts';
import { stampChecker, stampFiles } from './timestamps.ts';
import { counted, escaped, type Line, line, textOf, withoutLate, withRequired, withSource } from './verdict.ts';
import { isProved, verifyProof } from './verify-file.ts';

/** What the command needs of its process. */
export interface CommandContext extends Network {
  /** @throws Error when the file cannot be read */
  readonly readFile: (file: string) => Uint8Array;
  readonly fileExists: (file: string) => boolean;
  readonly writeFile: (file: string, content: string | Uint8Array) => void;
  readonly makeFolder: (folder: string) => void;
  /** Null where timestamps cannot be verified. */
  readonly stampCrypto: StampCrypto | null;
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
  const kept =
    since !== null && context.fileExists(since) ? savedReadingOf(textIn(context.readFile(since))) : NOTHING_SAVED;
  const given = command.policy === null ? null : textIn(context.readFile(command.policy));
  const read = log === null ? null : reader(context, log);
  const policy = await policyFor(given, kept, async () => (await read?.(POLICY)) ?? null);
  const before = policy.isLearnt ? { ...kept, pinned: policy.text } : kept;
  const stamps = command.tsa === null ? null : stampsBy(command.tsa, context);
  if (command.record !== null)
    return record(
      command.record,
      context,
      { served: read && servedBy(read, log ?? ''), stamps, isLearnt: policy.isLearnt },
      policy,
    );
  if (read && command.audit) return audit(command, context, read, { policy, before, stamps });
  if (read && command.recount) return recount(command, context, servedBy(read, log ?? ''), { policy, stamps });
  if (since !== null && policy.isLearnt) context.writeFile(since, savedText(before));
  return verifyAll(command, context, read, { policy, before, stamps });
}

function stampsBy(file: string, { readFile, stampCrypto }: CommandContext): CheckStamps {
  if (!stampCrypto) throw new Error('This program has no cryptography for timestamps; run it with Node.js.');
  return stampChecker(textIn(readFile(file)), stampCrypto);
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

/** What the reader brings, or an earlier run kept. */
interface Sources {
  readonly policy: PolicySource;
  readonly before: SavedReading;
  readonly stamps: CheckStamps | null;
}

async function verifyAll(
  command: Command,
  context: CommandContext,
  read: ReturnType<typeof reader> | null,
  sources: Sources,
): Promise<boolean> {
  const { policy, before, stamps } = sources;
  const continued = before.continued.map(({ of, index }) => [of, index] as const);
  const reads = { origins: [[before.origin, Number.POSITIVE_INFINITY] as const, ...continued], each: before.reads };
  const known = policyIn(policy.text);
  const trustOf = (note: SignedNote) => judgeCheckpoint(note, known, ed25519Verify);
  const proofs = command.files.map((file) => textIn(context.readFile(file)));
  const isServed = read !== null && (await read('checkpoint')) !== null;
  const place = command.log ?? '';
  const placed = isServed
    ? await logLines(servedBy(read, place), policy.text === null ? null : trustOf, proofs, isUrl(place))
    : [];
  const inTree = new Set(proofs.filter((_, i) => placed[i]?.verdict === 'holds'));
  const inputs = command.inputs.map((name) => ({ name, bytes: context.readFile(name) }));
  const missing = new Set(command.required);
  const all: NamedProof[] = [];
  for (const [i, name] of command.files.entries()) {
    const proof = await verifyProof(proofs[i] ?? '', policy.text, proofs, { reads, stamps, inTree });
    const { lines: own, content } = proof;
    const found = [...own, ...inputLines(proof, inputs), ...(placed[i] ? [placed[i]] : [])];
    for (const { subject } of found) missing.delete(subject);
    all.push({ name, content, lines: withRequired(withSource(found, policy), command.required) });
  }
  introduce(context, sentencesOf(all, { isLearnt: policy.isLearnt, stateOf: statesOf(before) }));
  for (const { name, lines } of all) print(context, name, lines);
  const absent = [...missing].map((subject) => line('FAILS', subject, 'required, and no file has this line'));
  if (absent.length > 0) print(context, 'All files', absent);
  if (command.timestamps !== null) writeStamps(proofs, command.timestamps, context);
  const files = all.map(({ lines }) => lines);
  conclude(context, conclusionsOf(files), neverProved(files, policy.isLearnt));
  return files.every(isProved) && absent.length === 0;
}

/** What an earlier audit of the log read of a decision. */
function statesOf({ origin, size, states }: SavedReading): SentenceMeans['stateOf'] {
  const read = leafAudit(states);
  return (content) => {
    if (content.origin !== origin || content.index >= size) return null;
    return { state: read.stateOf(content.index), reason: read.reasonOf(content.index) };
  };
}

async function audit(
  { log, since, sample, all, snapshot, required }: Command,
  context: CommandContext,
  readFile: ReturnType<typeof reader>,
  { policy, before, stamps }: Sources,
): Promise<boolean> {
  const place = log ?? '';
  const served = servedBy(readFile, place);
  const read = (path: string) => readUrl(context, new URL(`/api/v1/public/${path}`, place).href);
  const begin = (leaves: number) => {
    if (leaves === 0) return;
    context.write(`Looking up ${counted(leaves, 'graded decision')} at ${new URL(place).origin}, 4 requests each.\n`);
  };
  const lookup = isUrl(place) && sample > 0 ? { read, draw: systemDraw, sample, begin } : null;
  const names = snapshot === null || !isUrl(place) ? null : await read('securities/names');
  const book = bookOf(names && textIn(names));
  const rows = snapshot === null ? null : snapshotReading(textIn(context.readFile(snapshot)), snapshot, book);
  const opening = (bundles: number) => context.write(openingText(place, bundles));
  const whole = all ? { begin: opening, snapshot: rows } : null;
  // The witnesses that a log names itself could be anybody, as could their addresses.
  const ask = isUrl(place) && !policy.isLearnt ? (url: string) => askWitness(context, url) : null;
  const stated = await readFile(POLICY).catch(() => null);
  const servedPolicy = stated && textIn(stated);
  const now = Math.floor(Date.now() / 1_000);
  const means = { now, live: isUrl(place), lookup, all: whole, stamps, ask, servedPolicy };
  const { lines: found, kept, newLate } = await auditLog(served, policy.text, before, means);
  const lines = withRequired(withSource(found, policy), newLate > 0 ? required : withoutLate(found, required));
  print(context, place, lines);
  conclude(context, auditConclusions(lines, before.size));
  if (kept && since !== null) context.writeFile(since, savedText(kept));
  return isAudited(lines);
}

function openingText(place: string, bundles: number): string {
  const { openingsPerMinute } = LOG;
  const minutes = Math.ceil(bundles / openingsPerMinute);
  const wait = minutes > 1 ? `; where it serves ${openingsPerMinute} a minute, that takes ${minutes} minutes` : '';
  return `Opening ${counted(bundles, 'bundle')} of up to ${MOST_TILE_WIDTH} leaves of ${place}${wait}.\n`;
}

function writeStamps(proofs: readonly string[], folder: string, context: CommandContext): void {
  const { files, commands } = stampFiles(proofs, folder);
  if (files.length > 0) context.makeFolder(folder);
  for (const { name, bytes } of files) context.writeFile(`${folder}/${name}`, bytes);
  context.write(commands.length > 0 ? `${commands.join('\n')}\n` : 'The files have no timestamps to write.\n');
}

/** What was found, in plain words. */
function introduce({ write }: CommandContext, sentences: readonly string[]): void {
  write(`${sentences.map((each) => `${each}\n`).join('')}\n`);
}

function conclude({ write }: CommandContext, conclusions: readonly Conclusion[], ...others: readonly string[]): void {
  const texts = [...conclusions.map(conclusionText), ...others];
  write(`\n${texts.map((each) => `${each}\n`).join('')}`);
}

function servedBy(read: ReturnType<typeof reader>, place: string): ReadServed {
  return async (path) => {
    const file = await read(path);
    if (!file && path.startsWith('openings/'))
      throw new Error(
        `${place} serves no openings: it is a copy of files, or of an earlier release. Use --audit --sample 300 with its URL.`,
      );
    if (!file) throw new Error(`${place}/${path} does not exist.`);
    return file;
  };
}

async function record(
  file: string,
  context: CommandContext,
  means: RecordMeans,
  policy: PolicySource,
): Promise<boolean> {
  const { sentence, lines, whole, drawn } = await verifyRecord(textIn(context.readFile(file)), policy.text, means);
  const shown = withSource(lines, policy);
  introduce(context, [escaped(sentence)]);
  print(context, file, shown);
  if (drawn !== null) context.write(`\n${drawn}\n${LEGEND}\n`);
  const wholeText = `all of it: ${escaped(whole)}`;
  conclude(context, recordConclusions(shown), wholeText, neverProved([shown], policy.isLearnt));
  return whole.startsWith('proved');
}

async function recount(
  { files, log, sample }: Command,
  context: CommandContext,
  served: ReadServed,
  { policy, stamps }: { readonly policy: PolicySource; readonly stamps: CheckStamps | null },
): Promise<boolean> {
  const place = log ?? '';
  const url = (path: string) => new URL(`/api/v1/public/${path}`, place).href;
  const reply = async (query: string): Promise<CohortReply | string> => {
    const { status, date, body } = await fetchWithRetryAfter(context, url(`cohorts?${query}`));
    if (status === 200) return cohortReply(textIn(body), date ?? null);
    const refusal = refusalText(url(`cohorts?${query}`), status, body);
    if (status !== 404 && status !== 422) throw new Error(refusal);
    const agents = `curl -i -H 'X-API-Key: KEY' '${new URL(`/api/v1/agent/wisdom?${query}`, place).href}' > reply`;
    return `The service does not count ${query} without credentials. ${refusal} To count what an agent gets: ${agents}`;
  };
  const ask = async (query: string) => {
    const answer = await reply(query);
    return typeof answer === 'string' ? null : answer;
  };
  const begin = (words: string) => context.write(`${words}\n`);
  const now = () => Date.now();
  const unlogged = () => unloggedAt(context, url, now());
  const { sleep } = context;
  const names = async () => {
    const file = await readUrl(context, url('securities/names'));
    return file && textIn(file);
  };
  const means = { served, names, policy: policy.text, stamps, ask, unlogged, sleep, begin, now, draw: systemDraw };
  const drawn = files.length === 0 ? { log: await openedLog(means), wanted: sample } : null;
  const asked = drawn
    ? await drawnCohorts(sample, drawn.log.decisions, means)
    : await askedCohorts(files, { ...context, now }, reply);
  const { lines, isHeld } = await recountCohorts(asked, means, drawn);
  print(context, place, withSource(lines, policy));
  return isHeld;
}

/**
 * A public decision whose grade should be in the log by now, and is not; null for none among the newest. A paused log lacks
 * the newest of all; one that still imports an old database has some of any age, in random order.
 */
export async function unloggedAt(network: Network, url: (path: string) => string, now: Millis): Promise<string | null> {
  const list = await readUrl(network, url('decisions?limit=50'));
  const { items }: { readonly items: readonly { readonly record_id: string; readonly evaluated_at: string }[] } = list
    ? JSON.parse(textIn(list))
    : { items: [] };
  const due = items.filter(({ evaluated_at }) => Date.parse(evaluated_at) <= now - LOGGED_AFTER);
  for (const { record_id } of due) {
    const detail = await readUrl(network, url(`decisions/${record_id}`));
    if (detail && !JSON.parse(textIn(detail)).log?.outcome_index) return escaped(record_id);
  }
  return null;
}

function print({ write }: CommandContext, title: string, lines: readonly Line[]): void {
  write(`${title}\n${lines.map((each) => `  ${textOf(each)}\n`).join('')}`);
}

/** The policy of a run, and who says it. */
interface PolicySource {
  /** The text of a tlog-policy; null for none. */
  readonly text: string | null;
  /** Taken from the log that is verified, now or at an earlier run. */
  readonly isLearnt: boolean;
}

/**
 * The policy that the reader gives, else the one that was learnt from the log at first, with the logs that go on with it, else
 * that of the log now.
 * @param learn reads the policy that the log states; null for none
 */
async function policyFor(
  given: string | null,
  { pinned }: Pick<SavedReading, 'pinned'>,
  learn: () => Promise<Uint8Array | null>,
): Promise<PolicySource> {
  if (given !== null) return { text: given, isLearnt: false };
  const learnt = await learn();
  const text = learnt && new TextDecoder().decode(learnt);
  if (pinned !== null) return { text: text === null ? pinned : withNextLogs(pinned, text), isLearnt: true };
  return { text, isLearnt: text !== null };
}

/** What was learnt first, with the keys of logs that it does not name: a log has a new key where it goes on with another one. */
function withNextLogs(pinned: string, learnt: string): string {
  const known = policyIn(pinned).logs.map(({ key }) => key);
  const isNext = (line: string) => {
    const [log] = line.startsWith('log ') ? policyIn(`${line}\nquorum none\n`).logs : [];
    return (
      log && known.every(({ name, publicKey }) => name !== log.key.name && !equalBytes(publicKey, log.key.publicKey))
    );
  };
  return `${learnt
    .split('\n')
    .filter(isNext)
    .map((line) => `${line}\n`)
    .join('')}${pinned}`;
}
