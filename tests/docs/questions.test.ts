import { describe, expect, test } from '@jest/globals';
import { exampleQuestion, type Found, openSearch, searchedPages } from '../../adapters/http/manual/manual-search.ts';
import { manualFiles } from '../../adapters/http/manual/markdown.ts';

/** The questions that the field of the search shows, and where the guide answers them. */
const PLACEHOLDERS: readonly (readonly [question: string, ...answers: string[]])[] = [
  ['How do I get a key?', 'accounts#get-an-account-and-an-api-key'],
  ['How do I verify a receipt?', 'log#how-to-verify-a-receipt-in-60-seconds', 'concepts#commitment-and-receipt'],
  ['How do I write a symbol?', 'symbols#how-to-write-a-symbol'],
  ['Why are counts withheld?', 'cohorts#what-is-withheld-and-why'],
  ['How do I import a back-test of freqtrade?', 'imports#import-back-tests', 'imports#formats'],
  ['How do I connect Claude Code?', 'mcp#connect-a-client'],
  ['How do I restore a backup?', 'backup#back-up-and-restore'],
  ['How do I load my own prices?', 'own-bars#loading-your-own-bars', 'own-bars#give-it-your-own-bars'],
  ['What happens when the disk is full?', 'running#when-the-disk-is-nearly-full'],
  ['How do I revoke a decision?', 'records#revoke-a-decision'],
];

/** What readers ask in their own words, and where the guide answers it. A question changes only with its readers. */
const QUESTIONS: Readonly<Record<string, readonly (readonly [question: string, ...answers: string[]])[]>> = {
  'a developer of an agent': [
    ['how do i get an api key', 'accounts#get-an-account-and-an-api-key', 'first-agent#1-get-a-key'],
    [
      'rejected because i sent the same symbol again too soon',
      'limits#how-often-an-agent-may-submit-cooldown-and-quotas',
    ],
    ['how long until i get a result', 'records#how-long-until-the-outcome-states'],
    ['connect claude code or cursor', 'mcp#connect-a-client'],
    ['connection timed out, was my prediction saved? retry without duplicate', 'clients#what-both-clients-do'],
    ['error 429 too many requests', 'limits#handle-429-too-many-requests', 'limits#rate-windows'],
    ['callback url when a prediction is finished', 'webhooks#webhooks', 'webhooks#create-one'],
    ['javascript sdk npm install', 'clients#typescript'],
    ['can i backtest on past dates', 'evaluation#decisions-about-the-past'],
    ['validate request without saving it (dry run)', 'records#validate-a-decision-without-submitting-it'],
  ],
  'an owner': [
    ['i forgot my password', 'mail#forgot-your-password-reset-it', 'accounts#passwords'],
    ['delete my account and my data (gdpr)', 'your-data#erase-your-account'],
    ['download everything you have about me', 'your-data#get-a-copy-of-your-data'],
    ['who can see my predictions', 'records#what-others-see-of-a-decision', 'concepts#public-record'],
    ['turn on 2fa', 'second-factors#second-factors'],
    ['someone stole my key', 'api-keys#replace-a-lost-or-leaked-key'],
    [
      'share my strategy with other people',
      'workflows#publish-one-from-a-draft-to-a-decision',
      'workflows#who-sees-what',
    ],
    ['undo a wrong prediction', 'records#revoke-a-decision'],
    ['how good is my bot? win rate', 'records#track-records'],
    ['log out on all devices', 'accounts#sessions-and-how-to-log-out'],
  ],
  'an operator': [
    ['install on a server with existing postgres', 'running#on-your-own-postgresql'],
    ['nginx https certificate', 'proxy#put-it-behind-a-proxy-with-tls'],
    ['database dump every night', 'backup#make-a-backup', 'backup#back-up-and-restore'],
    ['disk died, how do i recover', 'backup#restore-it-after-a-disk-or-machine-was-lost'],
    ['upgrade to a newer version', 'updating#update-to-a-new-release'],
    ['docker compose', 'running#in-containers'],
    ['why is it slow', 'troubleshooting#slow-late-or-failing-what-to-do'],
    ['ban a user', 'operators#ban-a-user-suspend-an-account'],
    ['grafana dashboard', 'watching#alerts-and-a-dashboard'],
    [
      'how much cpu and disk space do i need',
      'running#how-much-cpu-memory-and-disk-it-needs',
      'scaling#what-things-cost',
    ],
  ],
  'a researcher': [
    [
      'how is a prediction scored',
      'evaluation#the-bucket-from-strong_correct-to-strong_incorrect',
      'evaluation#how-a-decision-is-scored',
    ],
    [
      'download a dataset of all predictions',
      'snapshots#public-snapshots-of-the-data',
      'snapshots#what-is-in-a-snapshot',
    ],
    ['selection bias and survivorship bias', 'cohorts#reading-one-without-fooling-yourself'],
    [
      'meaning of strong_correct',
      'evaluation#the-bucket-from-strong_correct-to-strong_incorrect',
      'concepts#outcome-and-bucket',
      'glossary#glossary',
    ],
    ['how often would random guessing be right', 'base-rates#what-a-random-guess-gets'],
    [
      'prove that results were not changed afterwards',
      'log#how-to-verify-a-receipt-in-60-seconds',
      'log#what-is-proved-to-whom',
    ],
    ['where do prices come from', 'market-data#market-data'],
    ['p-value significance test', 'cohorts#test-what-you-found'],
    [
      'are users anonymous',
      'cohort-privacy#how-cohorts-keep-owners-anonymous',
      'snapshots#why-it-does-not-show-who-decided',
    ],
    [
      'stock splits and dividends',
      'evaluation#the-method-eval2',
      'grading-methods#rules-of-eval3',
      'own-bars#splits-and-dividends',
      'bar-files#bars',
    ],
  ],
  'a contributor': [
    ['how to run the unit tests', 'testing#how-stancebook-is-tested', 'CONTRIBUTING#contributing'],
    ['add a new endpoint', 'CONTRIBUTING#add-a-rule-from-end-to-end'],
    ['alter table migration', 'schema-changes#change-a-table-by-a-migration'],
    [
      'where is the code that grades',
      'architecture#where-the-code-of-each-rule-is',
      'architecture#the-walk-of-one-request-to-the-code-that-grades-it',
    ],
    ['why typeorm and not raw sql', 'adr/0009-plain-reads-and-writes-are-repositories'],
    [
      'benchmark results requests per second',
      'performance#performance',
      'performance#results-requests-per-second-and-costs-with-aims',
    ],
    ['found a vulnerability, whom do i tell', 'security#report-a-vulnerability'],
    ['support another exchange', 'market-data#other-exchanges-through-ccxt', 'market-data#exchanges'],
    ['how do background jobs work', 'adr/0001-jobs-are-sweeps'],
    ['coding style rules', 'CONTRIBUTING#style-and-rules-of-the-code'],
  ],
  'the field of the search': PLACEHOLDERS,
};

const search = openSearch(searchedPages(manualFiles()));
const asked = Object.values(QUESTIONS).flat();
const addressOf = (answer: string) => `/guide/${answer}`;
/** An answer without a section is a record of a decision, which is short. */
const isAnswer = (address: string, answer: string) =>
  address === addressOf(answer) || (!answer.includes('#') && address.startsWith(addressOf(`${answer}#`)));

describe.each(Object.entries(QUESTIONS))('%s finds the answer at the first place', (_, questions) => {
  test.each(questions)('%s', (question, ...answers) => {
    const found = search(question).slice(0, 1);
    const isRight = ({ address }: Found) => answers.some((answer) => isAnswer(address, answer));
    expect(found.some(isRight) || found.map(({ address }) => address)).toBe(true);
  });
});

test('the field shows these questions, each on some page of the guide', () => {
  const shown = new Set(searchedPages(manualFiles()).map(({ address }) => exampleQuestion(address)));
  expect([...shown].toSorted()).toEqual(PLACEHOLDERS.map(([question]) => question).toSorted());
});

test('each kind of reader asks ten questions, and no answer is a section that is gone', () => {
  expect(Object.values(QUESTIONS).map(({ length }) => length)).toEqual([10, 10, 10, 10, 10, 10]);
  const sections = searchedPages(manualFiles()).flatMap((page) =>
    page.sections.map(({ id }) => `${page.address}#${id}`),
  );
  const answers = asked.flatMap(([, ...each]) => each);
  expect(answers.filter((answer) => !sections.some((address) => isAnswer(address, answer)))).toEqual([]);
});

test('the beginning of a word finds the word', () => {
  expect(search('idempot').map(({ address }) => address)).toContain('/guide/clients#what-both-clients-do');
});

test('words that are nowhere find nothing', () => {
  expect(search('xylophone quokka')).toEqual([]);
});
