/** What it prints for arguments that it does not know. */
export const USAGE = `Usage: verify FILE... [--policy FILE] [--tsa FILE] [--log PLACE] [--since FILE] [--require LINES] [--write-timestamps DIR]
                  [--input FILE]...
       verify --record FILE [--log PLACE] [--policy FILE] [--tsa FILE]
       verify --audit --log PLACE [--policy FILE] [--tsa FILE] [--since FILE] [--require LINES] [--sample N | --all]
                  [--snapshot FILE]
       verify --recount [REPLY... | QUERY...] --log URL [--policy FILE] [--tsa FILE] [--sample N]
  FILE       a proof or receipt of an evidence log (tlog-proof)
  --policy   the keys of the log and of its witnesses (tlog-policy)
  --tsa      the certificates of time-stamp authorities that you trust, in PEM: their timestamps show when, offline
  --write-timestamps
             writes the stamped texts and the timestamps of the files into a folder, for openssl ts -verify
  --log      the URL of a log's prefix, or a folder with its files; without --policy, the log's own policy is used, which
             nobody confirms
  --since    the file in which an audit keeps how far it read, and that policy; the next run goes on from there
  --require  lines that must be checked, such as witness,bars: FAILS where they are not
  --input    a file that the decision was made from: whether the statement names it; the receipt must show the statement
             (--opening full). It may be given several times
  --record   the file of a whole record of an agent: with --log whether all of its decisions are in it
  --audit    reads a whole log
  --sample   how many graded decisions an audit looks up at the service: 300; 0 for none. How many cohorts --recount
             draws: 50
  --all      opens every decision instead, by the openings that the log serves
  --snapshot the decisions.jsonl of a public snapshot: opens every decision, and its rows must be among them
  --recount  counts cohorts again from what the log opens: of replies of a cohort endpoint, saved by curl -i; of
             queries such as 'market=stock&symbol=MSFT'; without either of cohorts that it draws
It begins with a sentence for each record. Each line is "holds", "FAILS", "late" or "not checked"; the last ones say what is
proved, and what is not. Only --log with a URL uses the network.
Exit code 0: nothing fails, and signature, inclusion and opening hold, with a quorum in the policy, or --tsa, also time; of an
audit signature, leaves and rules; of a recount also all counts; of a record "all of it: proved".
1: otherwise. 2: the command is wrong, or a file or server cannot be read.
`;

export interface Command {
  readonly files: readonly string[];
  /** Files that the decisions are said to be made from. */
  readonly inputs: readonly string[];
  readonly audit: boolean;
  /** Whether the files are replies or queries of cohorts. */
  readonly recount: boolean;
  /** The file of a whole record; null for none. */
  readonly record: string | null;
  readonly policy: string | null;
  readonly tsa: string | null;
  /** A folder. */
  readonly timestamps: string | null;
  /** Without a slash at its end. */
  readonly log: string | null;
  readonly since: string | null;
  /** Subjects of lines. */
  readonly required: readonly string[];
  readonly sample: number;
  /** Whether an audit opens every decision. */
  readonly all: boolean;
  /** The file of a public snapshot whose rows must be among them; null for none. */
  readonly snapshot: string | null;
}

/** @throws WrongCommand for arguments that are no command */
export function commandOf(args: readonly string[]): Command {
  const files: string[] = [];
  const inputs: string[] = [];
  const options: Record<string, string> = {};
  const remaining = args.values();
  for (const name of remaining) {
    if (FLAGS.includes(name)) options[name] = name;
    else if (!name.startsWith('-')) files.push(name);
    else {
      const { value } = remaining.next();
      if (!WITH_VALUE.includes(name)) throw new WrongCommand(`There is no option ${name}.`);
      if (value === undefined) throw new WrongCommand(`${name} needs a value.`);
      if (name === '--input') inputs.push(value);
      else if (Object.hasOwn(options, name)) throw new WrongCommand(`${name} is there twice.`);
      options[name] = value;
    }
  }
  const { '--require': required, '--audit': audit, '--recount': recount } = options;
  const sample = options['--sample'] ?? (recount === undefined ? '300' : '50');
  const command = {
    files,
    inputs,
    audit: audit !== undefined,
    recount: recount !== undefined,
    record: options['--record'] ?? null,
    policy: options['--policy'] ?? null,
    tsa: options['--tsa'] ?? null,
    timestamps: options['--write-timestamps']?.replace(/\/$/, '') ?? null,
    log: options['--log']?.replace(/\/$/, '') ?? null,
    since: options['--since'] ?? null,
    required: [
      ...(required?.split(',') ?? []).map((word) => (word === 'witness' ? 'witnesses' : word)),
      ...(inputs.length > 0 ? ['input'] : []),
    ],
    sample: /^\d{1,9}$/.test(sample) ? Number(sample) : Number.NaN,
    all: Object.hasOwn(options, '--all') || Object.hasOwn(options, '--snapshot'),
    snapshot: options['--snapshot'] ?? null,
  };
  const fault = faultOf(command, options);
  if (fault !== null) throw new WrongCommand(fault);
  return command;
}

/** The message says what is wrong; empty where nothing was asked. */
export class WrongCommand extends Error {}

const FLAGS = ['--audit', '--all', '--recount'];
const WITH_VALUE = [
  '--record',
  '--policy',
  '--tsa',
  '--write-timestamps',
  '--log',
  '--since',
  '--require',
  '--input',
  '--sample',
  '--snapshot',
];

function faultOf(command: Command, options: object): string | null {
  const { files, audit, record, log, since, required } = command;
  if (record !== null) return faultOfRecord(files, options);
  if (Object.hasOwn(options, '--recount')) return faultOfRecount(command, options);
  if (audit && command.inputs.length > 0) return '--input is for receipts: leave --audit out.';
  const known = audit ? LINES_OF_AUDITS : LINES_OF_FILES;
  const unknown = required.filter((subject) => !known.includes(subject));
  if (unknown.length > 0) return `--require does not know ${unknown.join(', ')}; the lines are ${known.join(', ')}.`;
  if (audit) return faultOfAudit(command, options);
  const other = OF_AUDITS.find((name) => Object.hasOwn(options, name));
  if (other !== undefined) return `${other} is for an audit: add --audit.`;
  if (command.required.includes('input') && command.inputs.length === 0) return '--require input needs --input FILE.';
  if (files.length === 0) return Object.keys(options).length === 0 ? '' : 'There is no file to verify.';
  return since !== null && log === null ? '--since needs --log.' : null;
}

const OF_AUDITS = ['--sample', '--all', '--snapshot'];

function faultOfAudit({ files, log, timestamps, sample, all }: Command, options: object): string | null {
  if (Number.isNaN(sample)) return '--sample needs a number of up to 9 digits.';
  if (files.length > 0) return `An audit reads no files: ${files.join(' ')}.`;
  if (all && Object.hasOwn(options, '--sample')) return '--all and --snapshot open every decision: leave --sample out.';
  if (timestamps !== null) return '--write-timestamps is for files: leave --audit out.';
  return log === null ? '--audit needs --log.' : null;
}

function faultOfRecount({ log, sample }: Command, options: object): string | null {
  const known = ['--recount', '--log', '--policy', '--tsa', '--sample'];
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) return `${other} is not for --recount.`;
  if (log === null || !/^https?:/.test(log)) return '--recount needs --log with a URL: it asks the service.';
  return sample > 0 ? null : '--sample needs a number of cohorts, of up to 9 digits.';
}

function faultOfRecord(files: readonly string[], options: object): string | null {
  const other = Object.keys(options).find((name) => !['--record', '--log', '--policy', '--tsa'].includes(name));
  if (other !== undefined) return `${other} is not for --record.`;
  return files.length > 0 ? `--record verifies one file, not also ${files.join(' ')}.` : null;
}

const LINES_OF_FILES = [
  ...[
    'signature',
    'witnesses',
    'timestamp',
    'inclusion',
    'opening',
    'statement',
    'producer',
    'public statement',
    'time',
  ],
  ...['bucket', 'decision', 'bars', 'log', 'input'],
];
const LINES_OF_AUDITS = [
  ...['signature', 'witnesses', 'timestamp', 'freshness', 'growth', 'leaves', 'rules', 'continues'],
  ...['decisions', 'order', 'time', 'snapshot'],
];

/** @returns a random whole number from 0 to before `below`, at most 2^32 */
export type Draw = (below: number) => number;

/** Draws by the random numbers of the system, each number equally likely. */
export function systemDraw(below: number): number {
  const most = Math.floor(2 ** 32 / below) * below;
  for (;;) {
    const [number = 0] = globalThis.crypto.getRandomValues(new Uint32Array(1));
    if (number < most) return number % below;
  }
}

/** Up to `count` different members, each set of them equally likely. */
export function sampleOf<Member>(all: readonly Member[], count: number, draw: Draw): readonly Member[] {
  const rest = [...all];
  const length = Math.min(count, rest.length);
  return Array.from({ length }, () => {
    const at = draw(rest.length);
    const last = rest.pop() as Member;
    const member = rest[at] ?? last;
    if (at < rest.length) rest[at] = last;
    return member;
  });
}

/**
 * How many of `all` may at most be faulty when none of a sample is: with more faults a sample without any has a probability below
 * 5 % (hypergeometric distribution).
 */
export function mostFaulty(sample: number, all: number): number {
  let probability = 1;
  for (let faulty = 0; ; faulty += 1) {
    const sound = all - sample - faulty;
    probability *= sound > 0 ? sound / (all - faulty) : 0;
    if (probability < 0.05) return faulty;
  }
}
