import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { requestFactorReset, withdrawFactorReset } from '../../application/accounts/factors/factor-reset.ts';
import { importKey } from '../../application/accounts/keys/create-key.ts';
import { deleteOwner, type OwnerDeletion, planDeletion } from '../../application/accounts/operators/delete-owner.ts';
import { exportedRecord, exportOwner, exportRecords } from '../../application/accounts/operators/export-owner.ts';
import {
  changeRole,
  changeTier,
  resumeOwner,
  suspendOwner,
} from '../../application/accounts/operators/owner-changes.ts';
import { makeResetLink, resetPassword } from '../../application/accounts/operators/reset-access.ts';
import { jsonOf } from '../../application/json-text.ts';
import type { Ports } from '../../application/ports.ts';
import { RESET_EVIDENCE, type ResetEvidence } from '../../domain/accounts/factors/factor.ts';
import { makeApiKey } from '../../domain/accounts/keys/api-key.ts';
import type { Owner, OwnerStore } from '../../domain/accounts/owner.ts';
import { PERMISSION_MODES, type Role, TIERS } from '../../domain/caller.ts';
import { ACCOUNT, FACTOR } from '../../domain/limits.ts';
import { addressOfLink } from '../../domain/mail/mail-text.ts';
import { HOUR, rfc3339 } from '../../domain/time.ts';
import { composePasswords } from '../compose/compose-ports.ts';
import { errorCode } from '../error-code.ts';
import { operatorName } from '../operator-name.ts';
import {
  asSent,
  type CommandContext,
  command,
  defaulted,
  type ExitCode,
  FLAG,
  OWNER,
  oneOf,
  option,
  required,
  UsageError,
  word,
} from './command.ts';
import { type Columns, secondOf, tableOf } from './text.ts';

const NO_EVIDENCE =
  `Send --seen with how you identified the person (${RESET_EVIDENCE.join(', ')}), or --cancel. Mail from the address of the ` +
  'account is no evidence.';

const OF_OWNER = '(OWNER: an owner_id, or the email of a password account)';

export const ACCOUNT_COMMANDS = [
  command({
    name: 'list-owners',
    summary: 'list the owners with their email, role, tier and suspension, the oldest first',
    json: '{ owners: [{ owner_id, email: null without a password account, role, tier, created_at, suspended_at: null where not suspended }] }',
    async run(_, { storage }) {
      const owners = await everyOwner(storage.owners);
      return { text: tableOf(OWNER_COLUMNS, owners), report: { owners: owners.map(entryOf) } };
    },
  }),
  command({
    name: 'grant-admin',
    opens: 'storage as owner',
    summary: `give an owner access to the admin area, at once; ends the sessions ${OF_OWNER}`,
    takes: { owner: OWNER },
    run: ({ owner }, context) => giveRole(context, owner, 'admin'),
  }),
  command({
    name: 'revoke-admin',
    opens: 'storage as owner',
    summary: `end the access of an owner to the admin area, at once ${OF_OWNER}`,
    takes: { owner: OWNER },
    run: ({ owner }, context) => giveRole(context, owner, 'owner'),
  }),
  command({
    name: 'set-tier',
    opens: 'storage as owner',
    summary:
      'change how many keys, agents and workflows an owner may have; nothing is removed; a larger tier ends the sessions',
    takes: { named: OWNER, tier: word(TIERS.join('|'), 'Name one owner and one tier.', oneOf(TIERS, 'Tier')) },
    async run({ named, tier }, { storage }) {
      const { owner, changed, sessions_ended } = await changeTier(storage, named, tier, operatorName());
      return `${owner.owner_id}: is ${tier}${changed ? ` now, was ${owner.tier}` : ', as before'}${endedText(sessions_ended)}`;
    },
  }),
  command({
    name: 'suspend-owner',
    opens: 'storage as owner',
    summary: 'stop the keys, sessions and logins of an owner at once; records stay, and are graded and counted',
    takes: { named: OWNER, reason: required('TEXT', suspensionReasonIn) },
    excess: 'Name one owner; put a reason of several words in quotes.',
    async run({ named, reason }, { storage }) {
      const { owner, ended } = await suspendOwner(storage, named, reason, operatorName());
      const what = ended
        ? `is suspended now; keys stopped: ${ended.keys.length}; sessions ended: ${ended.sessions_ended}`
        : 'is suspended, as before';
      return `${ownerName(owner)}: ${what}`;
    },
  }),
  command({
    name: 'resume-owner',
    opens: 'storage as owner',
    summary: 'end the suspension of an owner: the keys that it stopped work again, and the owner may log in',
    takes: { named: OWNER },
    async run({ named }, { storage }) {
      const { owner, keys } = await resumeOwner(storage, named, operatorName());
      const what = keys ? `is suspended no longer; keys restored: ${keys.length}` : 'is not suspended, as before';
      return `${ownerName(owner)}: ${what}`;
    },
  }),
  // For an owner who lost the password, or cannot log in because others guess it.
  command({
    name: 'reset-password',
    usage: 'OWNER [--stdin | --link]',
    summary:
      'give a password account a new password (a random one, or the line of standard input) and end its sessions; with ' +
      '--link print a link by which its owner chooses one, once',
    takes: { named: OWNER, stdin: FLAG, link: FLAG },
    check({ stdin, link }) {
      if (link && stdin) throw new UsageError('Send --link or --stdin.');
    },
    run: ({ named, stdin, link }, context) => (link ? makeLink(context, named) : newPassword(context, named, stdin)),
  }),
  command({
    name: 'reset-factors',
    usage: `OWNER --seen ${RESET_EVIDENCE.join('|')} | OWNER --cancel`,
    summary:
      `have all second factors and recovery codes of an owner who lost them removed in ${FACTOR.resetWait / HOUR} hours, and say ` +
      'how you identified the person; the owner gets a mail, and stops it by a login with a factor; --cancel takes it back',
    takes: { named: OWNER, seen: option(RESET_EVIDENCE.join('|'), evidenceIn), cancel: FLAG },
    check({ seen, cancel }) {
      if ((seen === undefined) !== cancel) throw new UsageError(NO_EVIDENCE);
    },
    run: ({ named, seen }, context) =>
      seen === undefined ? withdrawReset(context, named) : requestReset(context, named, seen),
  }),
  // The key belongs to no agent. Standard input takes it, because every user of the machine can see arguments.
  command({
    name: 'import-key',
    usage: `OWNER [--mode ${PERMISSION_MODES.join('|')}] [--label LABEL] [--new] < KEY_FILE`,
    summary: 'let a key of another installation, from standard input, read for an owner; --new makes one and prints it',
    takes: {
      named: OWNER,
      mode: defaulted(PERMISSION_MODES.join('|'), 'read_write', oneOf(PERMISSION_MODES)),
      label: option('LABEL', labelIn),
      new: FLAG,
    },
    excess: 'Name one owner; the key comes from standard input.',
    async run({ named, mode, label = null, new: isNew }, { storage, input }) {
      const key = isNew ? makeApiKey(randomBytes).key : (await input()).trim();
      const sent = { key, permission_mode: mode, label };
      const { owner, key_prefix } = await importKey(storage, named, sent, operatorName());
      const what = `reads for ${owner.owner_id} (${mode}, bound to no agent, so it cannot submit)`;
      return { text: [`${key_prefix}: ${what}`, ...(isNew ? [key] : [])] };
    },
  }),
  // One JSON document with a decision on each line.
  command({
    name: 'export-owner',
    summary: 'write all stored data of an owner as JSON, to a new file or to standard output',
    takes: { named: OWNER, out: option('FILE', asSent) },
    async run({ named, out }, { storage, print }) {
      if (out === undefined) for await (const line of linesOf(storage, named)) print(line);
      else await writeFile(out, linesOf(storage, named));
      return 0;
    },
  }),
  // It erases for good; only a backup can bring the owner back.
  command({
    name: 'delete-owner',
    opens: 'storage as owner',
    summary:
      'remove an owner, all that they sign in with and what they wrote, at once; what others see of their decisions stays, ' +
      'unlinked (without --yes: show what would be removed)',
    json: '{ owner_id, email, deleted: false without --yes, removed: how many by kind, decisions_kept, decisions_erased }',
    takes: { named: OWNER, yes: FLAG },
    run: ({ named, yes }, context) => (yes ? erase(context, named) : planErasure(context, named)),
  }),
];

const OWNER_COLUMNS: Columns<Owner> = {
  owner_id: ({ owner_id }) => owner_id,
  email: ({ email }) => email ?? 'none',
  role: ({ role }) => role,
  tier: ({ tier }) => tier,
  created: ({ created_at }) => secondOf(created_at),
  suspended: ({ suspended_at }) => (suspended_at === null ? 'no' : secondOf(suspended_at)),
};

async function giveRole({ storage }: CommandContext, named: string, role: Role): Promise<string> {
  const { owner, changed, sessions_ended } = await changeRole(storage, named, role, operatorName());
  const state = `${role === 'admin' ? 'is' : 'is no'} admin${changed ? ' now' : ', as before'}`;
  return `${ownerName(owner)}: ${state}${endedText(sessions_ended)}`;
}

function endedText(sessions: number): string {
  return sessions > 0 ? `; sessions ended: ${sessions}` : '';
}

/** @throws UsageError */
function suspensionReasonIn(sent = ''): string {
  const { suspensionReasonLength: most } = ACCOUNT;
  const reason = sent.trim();
  if (reason !== '' && [...reason].length <= most) return reason;
  throw new UsageError(`Send --reason with 1 to ${most} characters.`);
}

async function newPassword(context: CommandContext, named: string, isSent: boolean) {
  const { storage, config } = context;
  const chosen = isSent ? await oneLine(context) : null;
  const ports = { ...storage, passwords: composePasswords(config) };
  const { owner, password, sessions_ended } = await resetPassword(ports, named, chosen, operatorName());
  const line = `${ownerName(owner)}: has a new password; sessions ended: ${sessions_ended}`;
  return { text: chosen === null ? [line, password] : line };
}

/** @throws UsageError */
function evidenceIn(sent: string): ResetEvidence {
  const found = RESET_EVIDENCE.find((word) => word === sent);
  if (found === undefined) throw new UsageError(NO_EVIDENCE);
  return found;
}

async function requestReset({ storage, config }: CommandContext, named: string, seen: ResetEvidence) {
  const { owner, due_at } = await requestFactorReset(storage, named, seen, operatorName());
  const isMailed = owner.email !== null && config.mail !== null;
  return {
    text: [
      `${ownerName(owner)}: loses all second factors and all sessions at ${rfc3339(due_at)}; until then they work as before`,
      isMailed ? 'The owner gets a mail.' : 'The owner gets no mail: tell them in another way, which you knew before.',
      'A login with a factor stops it, and so does the owner at #/security.',
    ],
  };
}

async function withdrawReset({ storage }: CommandContext, named: string) {
  const owner = await withdrawFactorReset(storage, named, operatorName());
  return `${ownerName(owner)}: keeps the second factors`;
}

async function makeLink({ storage, config }: CommandContext, named: string) {
  const { owner, token, expires_at } = await makeResetLink(storage, named, operatorName());
  return {
    text: [
      `${ownerName(owner)}: resets the password by this link, once, until ${rfc3339(expires_at)}`,
      addressOfLink(config.server.publicUrl ?? ownAddress(config), 'reset', token),
    ],
  };
}

async function erase({ storage }: CommandContext, named: string) {
  const deletion = await deleteOwner(storage, named, operatorName());
  const erased = `Erased: the text of ${deletion.erased} of them${deletion.isOver ? '' : LATER}.`;
  return {
    text: [deletionText(deletion, 'Removed', 'Kept, unlinked'), erased],
    report: { ...deletionReport(deletion, true), decisions_erased: deletion.erased },
  };
}

async function planErasure({ storage, print, report }: CommandContext, named: string): Promise<ExitCode> {
  const plan = await planDeletion(storage, named);
  print(deletionText(plan, 'Would be removed', 'Would be kept, unlinked'));
  report({ ...deletionReport(plan, false), decisions_erased: 0 });
  print('Nothing was done: add --yes. It cannot be undone.');
  return 2;
}

/** Only these members: a later member of an owner must not appear in the report by itself. */
function entryOf({ owner_id, email, role, tier, created_at, suspended_at }: Owner) {
  return { owner_id, email, role, tier, created_at, suspended_at };
}

const PAGE = 1_000;

async function everyOwner(store: OwnerStore): Promise<readonly Owner[]> {
  const owners: Owner[] = [];
  for (;;) {
    const page = await store.list(owners.at(-1)?.owner_id ?? null, PAGE);
    owners.push(...page);
    if (page.length < PAGE) return owners;
  }
}

/** Where the service listens, as `npm start` prints it. */
function ownAddress({ server: { host, port } }: CommandContext['config']): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function oneLine({ input }: CommandContext): Promise<string> {
  const [line = '', ...rest] = (await input()).split(/\r?\n/);
  if (line === '' || rest.some((text) => text !== '')) throw new UsageError('Send one line: the password.');
  return line;
}

type ExportPorts = Pick<Ports, 'owners' | 'ownerData' | 'decisions' | 'clock'>;

async function* linesOf(ports: ExportPorts, named: string): AsyncGenerator<string> {
  const { owner_id, exported_at, rows } = await exportOwner(ports, named);
  yield `{"owner_id":${JSON.stringify(owner_id)},"exported_at":${JSON.stringify(exported_at)},`;
  yield `"account":${JSON.stringify(rows)},`;
  yield '"records":[';
  let before = '';
  for await (const page of exportRecords(ports, owner_id)) {
    for (const record of page) {
      if (before !== '') yield `${before},`;
      before = jsonOf(exportedRecord(record));
    }
  }
  yield `${before}]}`;
}

/** Only this user can read the file. An incomplete file is removed, and an existing one is never overwritten. */
async function writeFile(path: string, lines: AsyncIterable<string>): Promise<void> {
  const file = await createFile(path);
  try {
    await writeLines(file, lines);
  } catch (fault) {
    await rm(path, { force: true });
    throw fault;
  } finally {
    await file.close();
  }
}

/** @throws Error that says what to do, where the file exists or cannot be made */
async function createFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') throw new Error(`${path} exists already, so nothing was written. Name a new file.`);
    throw new Error(`${path} cannot be made (${code}), so nothing was written. Name a file in a folder of yours.`);
  }
}

async function writeLines(file: FileHandle, lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) await file.write(`${line}\n`);
  await file.sync();
}

const LATER = '; the others are being evaluated, and a worker erases theirs within a minute';

function deletionText({ owner, removed, records }: OwnerDeletion, removedTitle: string, keptTitle: string): string {
  const counts = Object.entries(removed).map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`);
  return `${ownerName(owner)}\n${removedTitle}: the account, ${counts.join(', ')}.\n${keptTitle}: ${records} decision records.`;
}

function deletionReport({ owner: { owner_id, email }, removed, records }: OwnerDeletion, deleted: boolean) {
  return { owner_id, email, deleted, removed, decisions_kept: records };
}

/** How output for operators names an owner. */
function ownerName({ owner_id, email }: Pick<Owner, 'owner_id' | 'email'>): string {
  return email === null ? owner_id : `${owner_id} (${email})`;
}

/** @throws UsageError */
function labelIn(sent: string): string {
  const label = sent.trim();
  if (label !== '' && [...label].length <= ACCOUNT.keyLabelLength) return label;
  throw new UsageError(`--label: send 1 to ${ACCOUNT.keyLabelLength} characters.`);
}
