import { type ManualFile, manualAddress, type Section, sectionsOf } from './markdown.ts';

/** Words that say nothing of what is sought. */
const COMMON = new Set(
  `a about after all am an and any are as at be been but by can could did do does find for found from give had has have how i
  if in into is it its made make me my no not of on one or our should so some tell than that the their them then there these
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

/** Questions that the field of the search shows; the first of them at the index. */
const EXAMPLES = [
  'How do I get a key?',
  'How do I verify a receipt?',
  'How do I write a symbol?',
  'Why are counts withheld?',
  'How do I import a back-test of freqtrade?',
  'How do I connect Claude Code?',
  'How do I restore a backup?',
  'How do I load my own prices?',
  'What happens when the disk is full?',
  'How do I revoke a decision?',
];

/** The question that the field of the search shows at an address: the same one at each read. */
export function exampleQuestion(address: string): string {
  const number = address === '/guide/' ? 0 : sum([...address].map((sign) => sign.codePointAt(0) ?? 0));
  return EXAMPLES[number % EXAMPLES.length] ?? '';
}

const MOST_WORDS = 12;

const LONGEST_WORD = 40;

const PHRASES = new Map(
  Object.entries(READERS_WORDS).map(([word, others]) => [
    stemOf(word),
    others.split(', ').map((phrase) => wordsIn(phrase).map(stemOf)),
  ]),
);

export interface SearchedPage {
  /** Its address. */
  readonly address: string;
  readonly title: string;
  readonly sections: readonly Section[];
  /** How likely it is that a reader seeks this page and no other. */
  readonly weight: number;
}

export interface Found {
  readonly address: string;
  readonly title: string;
  readonly heading: string;
  /** The words around the first place; the words that were searched are between NUL characters. */
  readonly extract: string;
}

const MOST_RESULTS = 30;
const LEAST_BEGINNING = 4;
const AROUND = 90;
/** What a word in the heading or in the title of the page adds to what it counts in the text, which is below 1. */
const [IN_HEADING, IN_TITLE] = [1, 0.4];
/** Words that mean what the reader wrote count less than the reader's own. */
const OTHER_WORDS = 0.7;
/** Okapi BM25: how soon more of one word counts no more, and how much a long section loses. */
const [SATURATION, LENGTH] = [2, 0.6];

/** The documents in parts, as the search reads them. */
export function searchedPages(files: ReadonlyMap<string, ManualFile>): readonly SearchedPage[] {
  const index = files.get('README.md')?.read().toString() ?? '';
  return [...files.values()]
    .filter(({ type }) => type === null)
    .map((file) => {
      const sections = sectionsOf(file.read().toString());
      const weight = weightOfPage(index, file.path);
      return { address: manualAddress(file.path), title: sections[0]?.heading ?? file.path, sections, weight };
    });
}

/** Pages to do something come before pages to look something up, and both before explanations and records of decisions. */
function weightOfPage(index: string, path: string): number {
  const place = index.indexOf(`(${path}`);
  if (place < 0) return 0.6;
  if (place < index.indexOf('## Look something up')) return 1.3;
  return place < index.indexOf('## Understand it') ? 1 : 0.9;
}

interface IndexedSection {
  readonly page: SearchedPage;
  readonly section: Section;
  /** How often each stem is in its text. */
  readonly counts: ReadonlyMap<string, number>;
  readonly inHeading: ReadonlySet<string>;
  readonly inTitle: ReadonlySet<string>;
  /** In words of its text. */
  readonly length: number;
}

/**
 * A search over pages. It finds the sections that contain some of the words, those first that contain more of them, rare
 * words, or words in a heading.
 */
export function openSearch(pages: readonly SearchedPage[]): (words: string) => readonly Found[] {
  const index = pages.flatMap((page) => page.sections.map((section) => indexed(page, section)));
  const average = sum(index.map(({ length }) => length)) / index.length;
  const sections = new Map<string, number>();
  for (const { counts, inHeading } of index) {
    for (const stem of new Set([...counts.keys(), ...inHeading])) sections.set(stem, (sections.get(stem) ?? 0) + 1);
  }
  const weightOf = (stem: string) => Math.log(1 + index.length / (1 + (sections.get(stem) ?? 0)));
  return (words) => {
    const sought = soughtBy(words).map((word) => completed(word, sections));
    return index
      .map((each) => ({ each, score: scoreOf(each, sought, weightOf, average) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, MOST_RESULTS)
      .map(({ each }) => foundIn(each, sought));
  };
}

/** A beginning of words that are there stands for them. */
function completed({ stem, phrases }: SoughtWord, known: ReadonlyMap<string, number>): SoughtWord {
  if (stem.length < LEAST_BEGINNING || known.has(stem)) return { stem, phrases };
  const longer = [...known.keys()].filter((each) => each.startsWith(stem)).map((each) => [each]);
  return { stem, phrases: [...phrases, ...longer] };
}

function indexed(page: SearchedPage, section: Section): IndexedSection {
  const words = wordsIn(section.text).map(stemOf);
  const counts = new Map<string, number>();
  for (const stem of words) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const [inHeading, inTitle] = [stemsIn(section.heading), stemsIn(page.title)];
  return { page, section, counts, inHeading, inTitle, length: words.length };
}

function stemsIn(text: string): ReadonlySet<string> {
  return new Set(wordsIn(text).map(stemOf));
}

function scoreOf(
  { page, counts, inHeading, inTitle, length }: IndexedSection,
  sought: readonly SoughtWord[],
  weightOf: (stem: string) => number,
  average: number,
): number {
  const shortened = 1 - LENGTH + LENGTH * (length / average);
  const ofStem = (stem: string) => {
    const count = (counts.get(stem) ?? 0) / shortened;
    const places = (inHeading.has(stem) ? IN_HEADING : 0) + (inTitle.has(stem) ? IN_TITLE : 0);
    return weightOf(stem) * (places + count / (count + SATURATION));
  };
  const ofPhrase = (stems: readonly string[]) => {
    const scores = stems.map(ofStem);
    return scores.includes(0) ? 0 : OTHER_WORDS * sum(scores);
  };
  const scores = sought.map(({ stem, phrases }) => Math.max(ofStem(stem), ...phrases.map(ofPhrase)));
  const share = scores.filter((score) => score > 0).length / sought.length;
  return page.weight * share * sum(scores);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function foundIn({ page: { address, title }, section }: IndexedSection, sought: readonly SoughtWord[]): Found {
  const stems = new Set(sought.flatMap(({ stem, phrases }) => [stem, ...phrases.flat()]));
  const extract = extractOf(section.text, (word) => stems.has(stemOf(word.toLowerCase())));
  return { address: `${address}#${section.id}`, title, heading: section.heading, extract };
}

function extractOf(text: string, isSought: (word: string) => boolean): string {
  const first = [...text.matchAll(/[\p{L}\p{N}_]+/gu)].find(([word]) => isSought(word))?.index ?? 0;
  const [from, to] = [Math.max(0, first - AROUND), first + AROUND * 2];
  const words = `${from > 0 ? '\u2026' : ''}${text.slice(from, to)}${to < text.length ? '\u2026' : ''}`;
  return words.replaceAll(/[\p{L}\p{N}_]+/gu, (word) => (isSought(word) ? `\u0000${word}\u0000` : word));
}

/** A word without its ending: graded, grades and grading are one. */
function stemOf(word: string): string {
  const stem = word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=\p{L}{3})(?:ings?|ed|es|s|e)$/u, '')
    .replace(/([bdgmnprt])\1$/, '$1');
  return stem.length < 2 ? word : stem;
}

/** The words of a text, in lower case; `LOG_LEVEL` is one, and so are its parts. */
function wordsIn(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.flatMap((word) => (word.includes('_') ? [word, ...word.split('_').filter(Boolean)] : [word]));
}

/** A word of a question: its own stem, and phrases of stems that mean it too. */
interface SoughtWord {
  readonly stem: string;
  readonly phrases: readonly (readonly string[])[];
}

/** What a question looks for. Common words count only where there are no others. */
function soughtBy(question: string): readonly SoughtWord[] {
  const words = [...new Set(wordsIn(question))].filter((word) => word.length <= LONGEST_WORD);
  const telling = words.filter((word) => !COMMON.has(word));
  return (telling.length > 0 ? telling : words).slice(0, MOST_WORDS).map((word) => {
    const stem = stemOf(word);
    return { stem, phrases: PHRASES.get(stem) ?? [] };
  });
}
