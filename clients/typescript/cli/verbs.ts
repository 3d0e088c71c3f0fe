import { SUBMIT } from '../../../domain/limits.ts';

/** A word that begins a command, and what may follow it. */
export interface Verb {
  /** Its arguments and options, as help shows them; no other option is accepted. */
  readonly usage: string;
  readonly summary: string;
}

/** A verb of agents, which one request or a few answer. */
interface AgentVerb extends Verb {
  /** How many arguments it has, its options left out. */
  readonly words: readonly [least: number, most: number];
}

/** Conditions of a list or a cohort, such as symbol=MSFT. */
const CONDITIONS = 20;

/** The verbs of agents and owners, in the order in which help has them. */
export const VERBS = {
  login: {
    usage: '[--email EMAIL] [--agent-name NAME] [--agent-id ID]',
    summary:
      'get an API key and store it: by the identity provider where there is one, else, or with --email, by a password that is typed or is the first line of standard input; a second factor of the account is asked for, or is the second line',
    words: [0, 0],
  },
  submit: {
    usage: 'FILE [--validate-only] [--idempotency-key KEY]',
    summary: 'submit the decision of a JSON file, or one with several horizons (horizons: [...]); - is standard input',
    words: [1, 1],
  },
  list: {
    usage: '[NAME=VALUE]... [--limit N]',
    summary:
      'the own decisions, the newest first, each as one line of JSON; NAME is symbol, lifecycle_state or another filter of the list',
    words: [0, CONDITIONS],
  },
  show: { usage: 'ID', summary: 'a decision with its outcome', words: [1, 1] },
  events: {
    usage: '[--after CURSOR] [--follow]',
    summary:
      'what happened to the own decisions, each event as one line of JSON, the oldest first; --follow goes on as it happens, and prints on standard error where to go on later',
    words: [0, 0],
  },
  cohort: {
    usage: 'NAME=VALUE...',
    summary: 'how the decisions of all owners with these properties were graded, such as market=stock symbol=MSFT',
    words: [1, CONDITIONS],
  },
  limits: { usage: '', summary: 'what the key may do, and what remains of its pools', words: [0, 0] },
  digest: {
    usage: 'FILE... [--kind prompt|data|tool|model|code]',
    summary: 'the inputs of a decision: the name and the SHA-256 of each file, as JSON; the kind is data',
    words: [1, SUBMIT.inputs],
  },
  import: {
    usage:
      'FILE --check|--set NAME [--wait] [--timeout SECONDS] [--errors FILE] [--horizon 5d] [--venue V] [--quote Q] [--market M] [--asset-class A] [--symbol S] [--zone Z] [--bar 1d] [--strategy S] [--date D] [--map MEMBER=COLUMN]... [--format F] [--member M]',
    summary:
      'send what another program decided in the past (freqtrade, LEAN, backtesting.py, CSV ...) to a set of back-tests, or --check what would be sent; --wait until it is graded. Refused rows are in FILE.refused.jsonl; the same command again goes on. docs/imports.md has each format',
    words: [1, 1],
  },
  watch: { usage: 'ID... [--timeout SECONDS]', summary: 'wait until the decisions are graded', words: [1, 100] },
  recall: {
    usage:
      'MARKET SYMBOL [--direction D] [--horizon-kind KIND --horizon-value N] [--as-of TIME] [--set NAME] [--tokens N] [--json]',
    summary:
      'what the agent had decided on a security, or the rows of a set of back-tests, as text for a prompt, or the whole reply',
    words: [2, 2],
  },
  note: {
    usage: 'ID TEXT [--set NAME --as-of TIME]',
    summary:
      'write down what the outcome of an own decision taught, or of a row of a set of back-tests, as of its time; - is standard input',
    words: [2, 2],
  },
  plan: {
    usage: 'FILE [--wait]',
    summary: 'state the question of a JSON file (query, sentence) before asking it; --wait for its receipt',
    words: [1, 1],
  },
  plans: { usage: '', summary: 'the questions that the agent stated, the newest first', words: [0, 0] },
  backtest: {
    usage: 'SET [FILE] [--wait]',
    summary: 'the counts of a back-test; FILE (about, rows) is sent first; --wait until it is graded',
    words: [1, 2],
  },
  receipt: {
    usage: 'ID [--outcome] [--opening full] [--wait]',
    summary: 'the receipt of a submission, of its grade, or of a plan',
    words: [1, 1],
  },
  verify: {
    usage: '...',
    summary: 'verify receipts and logs; verify alone shows how',
    words: [0, Number.POSITIVE_INFINITY],
  },
  export: {
    usage: '[--format jsonl|zip|csv|parquet] [--email EMAIL]',
    summary:
      'everything that the account owns, or its decisions as a table (csv, parquet); needs its password, or STANCEBOOK_OWNER_TOKEN',
    words: [0, 0],
  },
  'record-proof': {
    usage: 'AGENT [--email EMAIL]',
    summary:
      "the file that proves the whole record of an agent to others: they run verify --record on it; needs the account's password, or STANCEBOOK_OWNER_TOKEN",
    words: [1, 1],
  },
  mcp: { usage: '', summary: 'serve the Model Context Protocol on standard input and output', words: [0, 0] },
  completion: {
    usage: 'bash|zsh|fish',
    summary: 'what a shell completes commands with: bash: eval "$(stancebook completion bash)"',
    words: [1, 1],
  },
} as const satisfies Readonly<Record<string, AgentVerb>>;

export type VerbName = keyof typeof VERBS;

/** Those of all requests. */
export const COMMON_OPTIONS = ['url', 'allow-http', 'help'] as const;

/** The options that the usage of a verb names. */
export function optionsIn({ usage }: Verb): readonly string[] {
  return [...new Set(Array.from(usage.matchAll(/--([a-z-]+)/g), ([, name = '']) => name))];
}
