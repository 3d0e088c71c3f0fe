import { renameSync } from 'node:fs';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { LogChanged } from '../../application/log/append-batch.ts';
import { isNotedKey, policyFault } from '../../application/log/guard-log.ts';
import { KeyUsed, type NextLog, resumeLog, startNextLog } from '../../application/log/keep-log.ts';
import { logKeyOf } from '../../application/log/read-log.ts';
import { equalBytes } from '../../domain/log/encoding.ts';
import { countedLeaves } from '../../domain/log/leaves/leaf.ts';
import type { StoredLog } from '../../domain/log/log-store.ts';
import type { LogWriter } from '../../domain/log/notes/log-key.ts';
import type { StoredKey, WitnessReport } from '../../domain/log/notes/signature-store.ts';
import { composeLogPolicy, composeLogWriter } from '../compose/log-writer.ts';
import type { Config } from '../config/config.ts';
import { type EvidenceLogConfig, newLogKey, withNextKey, withNoteOf } from '../config/evidence-log.ts';
import { secretFile, storedSecret } from '../config/stored-secrets.ts';
import { operatorName } from '../operator-name.ts';
import { type CommandContext, command, type ExitCode, type Shown } from './command.ts';
import { type Columns, secondOf, tableOf } from './text.ts';

const NOTHING = 'This command takes nothing.';

export const LOG_COMMANDS = [
  // After a restore that lost nothing which others have seen, or for a machine that never wrote the log.
  command({
    name: 'log-resume',
    summary: 'let the evidence log go on as it is stored, although LOG_LAST_SEEN has seen another one',
    excess: NOTHING,
    run: (_, context) => resumeStored(context),
  }),
  // After a restore that lost leaves which others have seen, and for a key that is lost or stolen.
  command({
    name: 'log-new',
    summary: 'end the evidence log and start the next one, which goes on with the stored leaves, by a new key',
    excess: NOTHING,
    run: (_, context) => continueLog(context),
  }),
  command({
    name: 'log-witnesses',
    summary: 'list what each witness and time-stamp authority signed last of the newest evidence log',
    json: '{ origin, size: leaves of its newest checkpoint, witnesses: [{ name, key_id, size, cosigned_at, refused }] }',
    excess: NOTHING,
    run: (_, context) => listWitnesses(context),
  }),
];

async function listWitnesses({ storage: { log, signatures }, config }: CommandContext): Promise<Shown> {
  const newest = await log.newest();
  if (newest === null)
    return { text: 'There is no log yet; the worker starts it.', report: { origin: null, witnesses: [] } };
  const reports = (await signatures.reports(newest.log)).map(({ signature: _, id, ...report }) => ({
    ...report,
    key_id: id,
  }));
  const named = (composeLogPolicy(config)?.witnesses ?? []).map(({ key: { name, id } }) => ({ name, key_id: id }));
  const silent = named.filter(
    ({ name, key_id }) => !reports.some((each) => each.name === name && each.key_id === key_id),
  );
  const witnesses = [...reports, ...silent.map((each) => ({ ...each, size: 0, cosigned_at: null, refused: false }))];
  const size = (await log.latest(newest.log))?.size ?? 0;
  const none =
    'No witness and no time-stamp authority is named: LOG_POLICY_FILE and LOG_TIMESTAMP_URLS (docs/log-operation.md).';
  const of = `${newest.origin} has ${countedLeaves(size)}.`;
  return {
    text: witnesses.length === 0 ? [of, none] : [of, tableOf(WITNESS_COLUMNS, witnesses)],
    report: { origin: newest.origin, size, witnesses },
  };
}

const WITNESS_COLUMNS: Columns<Omit<WitnessReport, 'id' | 'signature'> & { readonly key_id: string }> = {
  name: ({ name }) => name,
  key: ({ key_id }) => key_id,
  leaves: ({ size }) => String(size),
  signed: ({ cosigned_at }) => (cosigned_at ? secondOf(cosigned_at) : 'never'),
  refuses: ({ refused }) => (refused ? 'yes: it knows another tree, or a larger one' : 'no'),
};

async function resumeStored(context: CommandContext): Promise<ExitCode> {
  const { storage, config, print } = context;
  const writer = composeLogWriter(config);
  if (writer === null) return withoutKey(print);
  const log = await resumeLog({ ...storage, ...writer });
  if (log === null) return withoutLog(print);
  await changed(context, 'log_resume', log, { log: log.log });
  printNoted(config, log, print);
  return 0;
}

async function continueLog(context: CommandContext): Promise<ExitCode> {
  const { storage, config, print } = context;
  if (config.evidenceLog === null) return withoutKey(print);
  const ended = await storage.log.newest();
  if (ended === null) return withoutLog(print);
  const place = await nextPlace(context, config.evidenceLog, ended);
  const writer = composeLogWriter({ ...config, evidenceLog: place.evidenceLog });
  if (writer === null) return withoutKey(print);
  const log = place.isStarted ? null : await nextLog(context, writer);
  if (log === 'refused') return 1;
  if (place.file !== null) {
    renameSync(place.file, secretFile(config.dataDir, KEY));
    print(`${secretFile(config.dataDir, KEY)} has a new key. Restart the service, and back up the folder.`);
  }
  if (log === null) return 0;
  for (const line of continuedText(log)) print(line);
  printNoted({ ...config, evidenceLog: place.evidenceLog }, log, print);
  const fault = writer.witnesses && policyFault(writer.witnesses.policy, logKeyOf(writer.logKey, log.origin));
  if (fault) print(`${fault} Then restart the worker: it signs nothing until then.`);
  return 0;
}

async function nextLog({ storage, print }: CommandContext, writer: LogWriter): Promise<NextLog | null | 'refused'> {
  try {
    return await startNextLog({ ...storage, canonicalJson, ...writer }, operatorName());
  } catch (error) {
    if (error instanceof KeyUsed) print(error.message);
    else if (error instanceof LogChanged)
      print(`${error.message} Restore the tables of the log: no log can go on with these.`);
    else throw error;
    return 'refused';
  }
}

const [KEY, NEXT_KEY] = ['log-key', 'log-key-next'];

interface NextPlace {
  readonly evidenceLog: EvidenceLogConfig;
  /** A key that was made for the next log; null where the configured one signs it. */
  readonly file: string | null;
  /** An earlier run started the log of that key, and ended before the key was in its place. */
  readonly isStarted: boolean;
}

/** Where the service made its key, the next log gets a new one, in a file of its own until the log has started. */
async function nextPlace(
  { storage: { signatures, log: store }, config: { dataDir } }: CommandContext,
  configured: EvidenceLogConfig,
  ended: StoredLog,
): Promise<NextPlace> {
  const signed = await signatures.keys(ended.log);
  const newest = signed.at(-1);
  const evidenceLog = newest ? withNoteOf(configured, newest.public_key) : configured;
  const writer = composeLogWriter({ evidenceLog, logPolicy: null });
  const seen = (await writer?.lastSeen.read()) ?? null;
  const own = writer?.logKey.publicKey ?? new Uint8Array();
  const used: StoredKey[] = [];
  for (const { log } of await store.logsOfTree(ended.log)) used.push(...(await signatures.keys(log)));
  const isSeen = isNotedKey(seen, own) || (seen?.log ?? 0) > ended.log;
  const isUsed = isSeen || used.some(({ public_key }) => equalBytes(public_key, own));
  if (!configured.isMade || !isUsed) return { evidenceLog, file: null, isStarted: false };
  const next = withNextKey(evidenceLog, storedSecret(dataDir, NEXT_KEY, newLogKey));
  const made = composeLogWriter({ evidenceLog: next, logPolicy: null })?.logKey.publicKey ?? own;
  const isStarted = signed.some(({ public_key }) => equalBytes(public_key, made));
  return { evidenceLog: next, file: secretFile(dataDir, NEXT_KEY), isStarted };
}

function continuedText({ origin, kept, seen }: NextLog): readonly string[] {
  const gone = seen.size - kept;
  return [
    `${origin} goes on with the ${countedLeaves(kept)} that ${kept === 1 ? 'is' : 'are'} stored; ${seen.of} was signed, or about to be, with ${seen.size}.`,
    ...(gone > 0
      ? [
          `Gone for good: ${countedLeaves(gone)}. The log says so, and verifiers of readers who saw ${gone === 1 ? 'it' : 'them'} print FAILS.`,
        ]
      : []),
  ];
}

function withoutKey(print: CommandContext['print']): ExitCode {
  print('This process has no key of the log: set LOG_KEY_FILE, as the worker has it.');
  return 1;
}

function withoutLog(print: CommandContext['print']): ExitCode {
  print('There is no log yet; the worker starts it.');
  return 1;
}

async function changed({ storage }: CommandContext, action: string, log: StoredLog, detail: object): Promise<void> {
  await storage.audit.append({ actor: operatorName(), action, subject: log.origin, detail: { ...detail } });
}

function printNoted(
  { evidenceLog }: Pick<Config, 'evidenceLog'>,
  log: StoredLog,
  print: CommandContext['print'],
): void {
  print(`${log.origin} is noted in ${evidenceLog?.lastSeen}; the worker signs it at its next run.`);
}
