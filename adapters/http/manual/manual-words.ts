/** Words that say nothing of what is sought. */
const COMMON = new Set(
  `a about after all am an and any are as at be been but by can could did do does for from get give had has have how i
  if in into is it its made make me my no not of on one or our should so some than that the their them then there these
  they this other people many to until was we what when where which who whom why will with would you your`.split(/\s+/),
);

/** A word of readers, and what the documents have for it: words or phrases, separated by commas. */
const READERS_WORDS: Readonly<Record<string, string>> = {
  '2fa': 'second factors',
  allowlist: 'networks',
  anonymous: 'owners secret',
  backtest: 'retroactive',
  ban: 'suspend',
  benchmark: 'bench, measured',
  bot: 'agent',
  bug: 'fault',
  callback: 'webhook',
  cancel: 'revoke',
  certificate: 'tls',
  claude: 'mcp',
  crash: 'killed, lost',
  cursor: 'mcp',
  dataset: 'public snapshots',
  delete: 'erase, remove',
  device: 'sessions',
  died: 'lost',
  download: 'copy, export',
  dump: 'backup',
  finished: 'graded, evaluated',
  forgot: 'lost',
  gdpr: 'erase',
  https: 'tls, proxy',
  install: 'run',
  javascript: 'typescript',
  ip: 'address, networks',
  job: 'sweeps',
  mfa: 'second factors',
  notification: 'notices, events',
  okta: 'identity provider',
  postgres: 'postgresql',
  prediction: 'decision',
  prove: 'verify',
  recover: 'restore',
  reject: 'refused',
  result: 'outcome, grade',
  saving: 'stored',
  score: 'bucket, outcome',
  sdk: 'client',
  share: 'publish',
  space: 'disk',
  sso: 'identity provider',
  stole: 'leaked',
  stolen: 'leaked',
  strategy: 'workflow',
  submission: 'decision',
  undo: 'revoke',
  upgrade: 'update',
  user: 'owner, account',
  validate: 'checking',
  version: 'release',
  win: 'track record',
};

/** A word without its ending: graded, grades and grading are one. */
export function stemOf(word: string): string {
  const stem = word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=\p{L}{3})(?:ings?|ed|es|s|e)$/u, '')
    .replace(/([bdgmnprt])\1$/, '$1');
  return stem.length < 2 ? word : stem;
}

/** The words of a text, in lower case; `LOG_LEVEL` is one, and so are its parts. */
export function wordsIn(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.flatMap((word) => (word.includes('_') ? [word, ...word.split('_').filter(Boolean)] : [word]));
}

/** A word of a question: its own stem, and phrases of stems that mean it too. */
export interface SoughtWord {
  readonly stem: string;
  readonly phrases: readonly (readonly string[])[];
}

/** What a question looks for. Common words count only where there are no others. */
export function soughtBy(question: string): readonly SoughtWord[] {
  const words = [...new Set(wordsIn(question))].filter((word) => word.length <= LONGEST_WORD);
  const telling = words.filter((word) => !COMMON.has(word));
  return (telling.length > 0 ? telling : words).slice(0, MOST_WORDS).map((word) => {
    const stem = stemOf(word);
    return { stem, phrases: PHRASES.get(stem) ?? [] };
  });
}

const MOST_WORDS = 12;
const LONGEST_WORD = 40;
const PHRASES = new Map(
  Object.entries(READERS_WORDS).map(([word, others]) => [
    stemOf(word),
    others.split(', ').map((phrase) => wordsIn(phrase).map(stemOf)),
  ]),
);
