import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { INPUT_KINDS } from '../../../domain/decisions/submission/submission.ts';
import { errorOf, RetryableError, ServiceDegradedError, UsageError, unexpectedReply } from '../client/errors.ts';
import { settingsOf } from '../client/settings.ts';
import { Stancebook } from '../client/stancebook.ts';
import { VERSION } from '../client/version.ts';
import type { FollowedState } from '../client/wait-for-outcome.ts';
import { refusalOf, sleepFor } from '../client/waits.ts';
import type { DecisionGroupSubmission, DecisionSubmission, PlanRequest, Recall, Schemas } from '../client/wire.ts';
import { runVerifier } from '../verify/program.ts';
import {
  type Connection,
  connectionOf,
  keyedConnectionOf,
  storeCredentials,
  typedOwnerSession,
} from './credentials.ts';
import { completionFor, helpOf, helpText, unknownVerb, type Verbs } from './help.ts';
import { importFile } from './import.ts';
import { serveMcp } from './mcp.ts';
import { cohort, events, limits, list, show } from './read.ts';
import {
  type Command,
  commandOf,
  complain,
  describeError,
  type Options,
  print,
  printJson,
  secondsOf,
  shown,
} from './usage.ts';
import { VERBS, type VerbName } from './verbs.ts';

const AGENT_NAME = 'Command line';

const RECALL = '/api/v1/agent/recall';

const DEVICE = '/api/v1/public/auth/idp/device';

const FORMATS = ['jsonl', 'zip', 'csv', 'parquet'];

/** Bytes of the end that are looked at; the last line is shorter. */
const END = 4_096;

/** A command that returns nothing ends with 0. */
const RUN: Readonly<Record<Exclude<VerbName, 'verify' | 'completion'>, (command: Command) => Promise<unknown>>> = {
  login: ({ options }) => logIn(options),
  submit,
  list,
  show,
  events,
  cohort,
  limits,
  digest,
  import: importFile,
  watch,
  recall,
  note,
  plan,
  plans,
  backtest,
  receipt,
  export: ({ options }) => exportAccount(options),
  'record-proof': ({ words: [agentId = ''], options }) =>
    copyAsOwner(`/api/v1/owner/record-proof?agent_id=${encodeURIComponent(agentId)}`, options, hasLastLine),
  mcp: ({ options }) => serveMcp(options),
};

/**
 * Runs a command. Returns its exit code.
 * @param operating the verbs of a program that can also run the service: help and completion have them, too
 */
export async function runCli(args: readonly string[], operating: Verbs = {}): Promise<number> {
  const verbs: Verbs = { ...operating, ...VERBS };
  const [name = '', ...rest] = args;
  try {
    if (name === '--version') return written(`stancebook ${VERSION}\n`);
    if (['', 'help', '--help', '-h'].includes(name)) return showHelp(name, rest, verbs, operating);
    if (!isVerb(name)) throw new UsageError(unknownVerb(name, verbs));
    if (name === 'verify') return await runVerifier(rest);
    if (rest.includes('--help')) return written(helpOf(name, VERBS[name]));
    const command = commandOf(name, rest);
    if (name === 'completion') return written(completionOf(command, verbs));
    const code = await RUN[name](command);
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    complain(describeError(error));
    if (error instanceof UsageError) complain('see stancebook help');
    return error instanceof UsageError ? 2 : 1;
  }
}

function isVerb(name: string): name is VerbName {
  return Object.hasOwn(VERBS, name);
}

function showHelp(name: string, [of]: readonly string[], verbs: Verbs, operating: Verbs): number {
  const verb = of !== undefined && Object.hasOwn(verbs, of) ? verbs[of] : undefined;
  if (of !== undefined && !verb) throw new UsageError(unknownVerb(of, verbs));
  written(of !== undefined && verb ? helpOf(of, verb) : helpText(operating));
  return name === '' ? 2 : 0;
}

/** @throws UsageError for another shell */
function completionOf({ words: [shell = ''] }: Command, verbs: Verbs): string {
  const text = completionFor(shell, verbs);
  if (text === null) throw new UsageError('There is a completion for bash, zsh and fish.');
  return text;
}

function written(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

/** Writes the account's data to standard output. */
async function exportAccount(options: Options): Promise<void> {
  const { format } = options;
  if (format !== undefined && !FORMATS.includes(format)) {
    throw new UsageError(`--format can be ${FORMATS.slice(0, -1).join(', ')} or ${FORMATS.at(-1)}.`);
  }
  const query = format === undefined || format === 'jsonl' ? '' : `?format=${format}`;
  await copyAsOwner(`/api/v1/owner/export${query}`, options, (end) => isWhole(format, end));
}

/**
 * Copies what the owner of the account gets to standard output as it comes.
 * @param isWhole judges its last line @throws Error for a copy that is not whole
 */
async function copyAsOwner(path: string, options: Options, isWhole: (end: string) => boolean): Promise<void> {
  const connection = connectionOf(options);
  const { url, fetch } = settingsOf({ ...connection, apiKey: null });
  const { email } = options;
  const { STANCEBOOK_OWNER_TOKEN: token } = process.env;
  if (email === undefined && !token) throw new UsageError('Give --email EMAIL, or set STANCEBOOK_OWNER_TOKEN.');
  const session = email === undefined ? null : await typedOwnerSession(connection, email);
  const headers = session?.headers ?? { authorization: `Bearer ${token}` };
  try {
    const response = await fetch(`${url}${path}`, { headers, redirect: 'manual' });
    if (!response.ok || !response.body) throw await refused(response);
    const end = await copied(response.body);
    if (!isWhole(end)) throw new Error('The copy is not whole: its end is missing. Ask for it again.');
  } finally {
    await session?.close();
  }
}

/** By its last line or its last bytes. Those of an archive or of CSV are unknown: there the connection alone shows it. */
function isWhole(format: string | undefined, end: string): boolean {
  if (format === 'zip' || format === 'csv') return true;
  return format === 'parquet' ? end.endsWith('PAR1') : hasLastLine(end);
}

function hasLastLine(end: string): boolean {
  return end.includes('"type":"complete"');
}

async function refused(response: Response): Promise<Error> {
  const { status, headers } = response;
  if (status < 400) return unexpectedReply(status, 'The reply is no copy.');
  return errorOf(refusalOf({ status, headers, text: await response.text() }, Date.now()));
}

/** Copies to standard output, at the speed of its reader. Returns the last line. */
async function copied(body: ReadableStream<Uint8Array>): Promise<string> {
  let end = Buffer.alloc(0);
  for await (const part of body) {
    if (!process.stdout.write(part)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    end = Buffer.concat([end, part]).subarray(-END);
  }
  return end.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
}

async function submit({ words: [file = ''], options }: Command): Promise<void> {
  const client = new Stancebook(keyedConnectionOf(options));
  const decision = jsonIn<DecisionSubmission | DecisionGroupSubmission>(file);
  const { 'validate-only': isDry, 'idempotency-key': idempotencyKey } = options;
  if ('horizons' in decision) {
    printJson(isDry ? await client.validateGroup(decision) : await client.submitGroup(decision, { idempotencyKey }));
  } else printJson(isDry ? await client.validate(decision) : await client.submit(decision, { idempotencyKey }));
}

/** Prints the `inputs` of a decision that was made from these files. */
async function digest({ words, options: { kind = 'data' } }: Command): Promise<void> {
  if (!INPUT_KINDS.some((each) => each === kind)) throw new UsageError(`--kind can be ${INPUT_KINDS.join(', ')}.`);
  const inputs: unknown[] = [];
  for (const file of words) {
    const hash = createHash('sha256');
    for await (const part of createReadStream(file)) hash.update(part);
    inputs.push({ kind, name: basename(file), sha256: hash.digest('hex') });
  }
  printJson(inputs);
}

/** Waits for all at once; prints each state when it is closed. Returns the exit code. */
async function watch({ words, options }: Command): Promise<number> {
  const client = new Stancebook(keyedConnectionOf(options));
  const timeoutSeconds = secondsOf(options.timeout);
  const codes = await Promise.all(
    words.map(async (id) => {
      try {
        printJson(await client.waitForOutcome(id, { timeoutSeconds, onState: report }));
        return 0;
      } catch (error) {
        complain(`${id}: ${describeError(error)}`);
        return 1;
      }
    }),
  );
  return Math.max(...codes);
}

function report({ record_id, state, next_check_at }: FollowedState): void {
  complain(`${record_id} is ${state}${next_check_at === null ? '' : `; next check at ${next_check_at}`}`);
}

/** Writes a note on an own record or a row of a set; `-` is standard input, without the line end behind it. */
async function note({ words: [id = '', text = ''], options }: Command): Promise<void> {
  const written = text === '-' ? readFileSync(0, 'utf8').replace(/\r?\n$/, '') : text;
  const { set, 'as-of': as_of } = options;
  if ((set === undefined) !== (as_of === undefined)) throw new UsageError('--set and --as-of go together.');
  const client = new Stancebook(keyedConnectionOf(options));
  const isOfRow = set !== undefined && as_of !== undefined;
  printJson(
    await (isOfRow ? client.backtestNote(set, { external_id: id, text: written, as_of }) : client.note(id, written)),
  );
}

/** Writes the receipt of a decision or of a plan as it must be stored. */
async function receipt({ words: [id = ''], options }: Command): Promise<void> {
  const client = new Stancebook(keyedConnectionOf(options));
  const { opening, outcome, wait } = options;
  if (opening !== undefined && opening !== 'full') throw new UsageError('--opening can be full.');
  const shown = opening && { opening: 'full' as const };
  if (isPlanId(id)) {
    if (outcome) throw new UsageError('--outcome is for decisions: a plan has no grade.');
    process.stdout.write(
      wait ? await client.waitForPlanReceipt(id, { ...shown }) : await client.planReceipt(id, { ...shown }),
    );
    return;
  }
  const query = { ...(outcome && { leaf: 'outcome' as const }), ...shown };
  process.stdout.write(wait ? await client.waitForReceipt(id, query) : await client.receipt(id, query));
}

/** Prints what the agent had decided; the service judges the values. */
async function recall({ words: [market, symbol], options }: Command): Promise<void> {
  const { direction, 'horizon-kind': horizon_kind, 'horizon-value': horizon_value, 'as-of': as_of } = options;
  const { set, tokens } = options;
  const query = { market, symbol, direction, horizon_kind, horizon_value, as_of, set, tokens };
  const reply = await new Stancebook(keyedConnectionOf(options)).request<Recall>({
    method: 'GET',
    path: RECALL,
    query,
  });
  if (options.json) printJson(reply);
  else print(reply.text.split('\n').map(shown).join('\n'));
}

/** States a question. Prints the reply, or with `--wait` the receipt, which contains salt and statement, too. */
async function plan({ words: [file = ''], options }: Command): Promise<void> {
  const client = new Stancebook(keyedConnectionOf(options));
  const stated = await client.statePlan(jsonIn<PlanRequest>(file));
  if (!options.wait) return printJson(stated);
  complain(`${shown(stated.plan_id)} is stated; its receipt is there in 5 minutes at most`);
  process.stdout.write(await client.waitForPlanReceipt(stated.plan_id));
}

/** Prints the plans that the agent stated, the newest first. */
async function plans({ options }: Command): Promise<void> {
  for await (const stated of new Stancebook(keyedConnectionOf(options)).plans({ limit: 100 })) printJson(stated);
}

/** Sends the rows of a file, and prints what became of them; else, or with `wait`, the counts of the set. */
async function backtest({ words: [set = '', file], options }: Command): Promise<void> {
  const client = new Stancebook(keyedConnectionOf(options));
  if (file !== undefined) {
    const onProgress = ({ sent, of }: { readonly sent: number; readonly of: number }) =>
      complain(`${sent} of ${of} rows are sent`);
    const sent = await client.backtest(set, jsonIn<BacktestFile>(file), { onProgress });
    if (!options.wait) return printJson(sent);
    if (sent.refused.length > 0) complain(`${sent.refused.length} rows were refused: ${JSON.stringify(sent.refused)}`);
  }
  printJson(options.wait ? await client.waitForBacktest(set) : await client.backtestCounts(set));
}

type BacktestFile = Parameters<Stancebook['backtest']>[1];

/** The ids of decisions are no UUIDs. */
function isPlanId(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
}

/** The content of a file of JSON; `-` is standard input. @throws UsageError for another text */
function jsonIn<T>(file: string): T {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file === '-' ? 'Standard input' : file} is not JSON.`);
  }
}

type CreatedKey = Schemas['CreatedKey'];

/** Gets a key and stores it. The key is not printed. */
async function logIn(options: Options): Promise<void> {
  const connection = connectionOf(options);
  const { email, 'agent-id': agentId } = options;
  const key =
    email === undefined ? await byProvider(connection, options) : await byPassword(connection, email, options);
  const { api_key, key_prefix, agent_id } = key;
  const file = storeCredentials({ url: connection.url, api_key, agent_id: agent_id ?? agentId ?? '' });
  print(
    `Logged in at ${connection.url} as agent ${shown(String(agent_id))}. The key ${shown(key_prefix)} is in ${file}.`,
  );
}

async function byPassword(connection: Connection, email: string, options: Options): Promise<CreatedKey> {
  const { 'agent-id': agent_id, 'agent-name': agent_name = AGENT_NAME } = options;
  const session = await typedOwnerSession(connection, email);
  const body = agent_id === undefined ? { agent_name } : { agent_id };
  const { headers } = session;
  const client = new Stancebook({ ...connection, apiKey: null });
  try {
    return await client.request({ method: 'POST', path: '/api/v1/owner/auth/api-keys', body, headers });
  } finally {
    await session.close();
  }
}

/** The device flow of RFC 8628. */
async function byProvider(connection: Connection, options: Options): Promise<CreatedKey> {
  if (options['agent-id'] !== undefined) throw new UsageError('--agent-id needs --email: this login makes an agent.');
  const client = new Stancebook({ ...connection, apiKey: null });
  const started = await client.request<Schemas['DeviceSignIn']>({ method: 'POST', path: DEVICE }).catch(noProvider);
  const { verification_uri, verification_uri_complete, user_code, device_code } = started;
  print(`Open ${shown(verification_uri_complete ?? verification_uri)} and compare the code ${shown(user_code)}.`);
  const body = { device_code, agent_name: options['agent-name'] ?? AGENT_NAME };
  for (let { interval } = started; ; ) {
    await sleepFor(interval);
    try {
      return await client.request<CreatedKey>({ method: 'POST', path: `${DEVICE}/poll`, body });
    } catch (error) {
      if (!(error instanceof RetryableError) || error.status !== 400) throw error;
      interval = Math.max(interval, error.retryAfterSeconds ?? 0);
    }
  }
}

/** @throws UsageError where passwords are the only login */
function noProvider(error: unknown): never {
  const isMissing = error instanceof ServiceDegradedError && error.code === 'OAUTH_NOT_CONFIGURED';
  throw isMissing ? new UsageError('The service has no identity provider: log in with --email EMAIL.') : error;
}
