import type { Fate, JudgedDecision } from '../../../../../clients/typescript/verify/record-counts.ts';
import type { VerifiedRecord } from '../../../../../clients/typescript/verify/record-proof.ts';
import { RESULT_BUCKETS } from '../kit/domain.ts';
import { h } from '../kit/elements.ts';
import { s } from '../kit/svg.ts';
import { type Column, table } from '../kit/tables.ts';
import { counted, instant, plain } from '../kit/value-texts.ts';

/** Pixels. */
const SQUARE = 14;

/** Words and style of what became of a decision. */
const FATES: Readonly<Record<Fate, readonly [words: string, style: string]>> = {
  strong_correct: ['strong correct', 'strong_correct'],
  weak_correct: ['weak correct', 'weak_correct'],
  weak_incorrect: ['weak incorrect', 'weak_incorrect'],
  strong_incorrect: ['strong incorrect', 'strong_incorrect'],
  open: ['open', 'undecided'],
  closed: ['closed', 'undecided'],
  hidden: ['no grade shown', 'undecided'],
};

type GradedParts = ReturnType<
  typeof import('../../../../../clients/typescript/verify/record-counts.ts')['gradedParts']
>;

/**
 * The file of a whole record as a track record: counts of those with a grade, one square for each decision, and a list.
 * @param parts the decisions with a grade that is shown
 */
export function recordPart(name: string, { decisions }: VerifiedRecord, parts: GradedParts): HTMLElement {
  if (decisions.length === 0) return h('div');
  const { counted: inTime, retroactive, late } = parts;
  const rest = decisions.length - inTime.length - retroactive.length - late.length;
  const rows = [
    ...(inTime.length > 0 ? [['Realtime', inTime] as const] : []),
    ...(retroactive.length > 0 ? [['Retroactive', retroactive] as const] : []),
    ...(late.length > 0 ? [['Logged late', late] as const] : []),
  ] as const;
  return h(
    'section',
    { class: 'record-part' },
    h('h2', {}, 'Track record in ', name),
    rows.length > 0 && table({ caption: 'Graded decisions', columns: COUNT_COLUMNS, rows }),
    rest > 0 && h('p', { class: 'soft' }, `${counted(rest, 'decision')} without a grade: ${WITHOUT_LOG}`),
    h('ol', { class: 'record-line', 'aria-label': 'Each decision by its number' }, ...decisions.map(square)),
    h('p', { class: 'soft' }, 'From the left by their numbers: ', ...legend()),
    h(
      'details',
      {},
      h('summary', {}, 'The decisions as a list'),
      table({ caption: 'Decisions by their numbers', columns: COLUMNS, rows: decisions }),
    ),
  );
}

const WITHOUT_LOG = 'the file alone does not show which are open, closed, or not shown.';

type CountRow = readonly [name: string, decisions: readonly JudgedDecision[]];

const COUNT_COLUMNS: readonly Column<CountRow>[] = [
  { title: 'Decisions', cell: ([name]) => name },
  ...RESULT_BUCKETS.map(
    (bucket): Column<CountRow> => ({
      title: plain(bucket),
      kind: 'number',
      cell: ([, decisions]) => decisions.filter(({ fate }) => fate === bucket).length.toLocaleString('en-GB'),
    }),
  ),
];

function square({ line, fate }: JudgedDecision): HTMLElement {
  const [words, style] = FATES[fate];
  const label = `${line.producer.number}: ${words}`;
  return h('li', { title: label }, drawn(style, label));
}

/** @param label for readers who do not see it; none where words stand next to it */
function drawn(style: string, label: string | null = null): SVGSVGElement {
  const size = { width: SQUARE, height: SQUARE };
  const words = label === null ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': label };
  return s('svg', { ...size, ...words }, s('rect', { ...size, class: style }));
}

function legend(): readonly HTMLElement[] {
  return [
    ...RESULT_BUCKETS.map((bucket) => h('span', { class: 'legend' }, drawn(bucket), ` ${plain(bucket)} `)),
    h('span', { class: 'legend' }, drawn('undecided'), ' no grade shown'),
  ];
}

/** The values of a file may be anything. */
const COLUMNS: readonly Column<JudgedDecision>[] = [
  { title: 'Number', kind: 'number', cell: ({ line }) => String(line.producer.number) },
  { title: 'Stated', cell: ({ line }) => timeWords(line.public_statement?.submission_time) },
  { title: 'Instrument', cell: ({ line }) => String(line.public_statement?.symbol ?? '') },
  { title: 'Direction', cell: ({ line }) => String(line.public_statement?.direction ?? '') },
  {
    title: 'Origin',
    cell: ({ line, finding }) => originWords(line.public_statement?.submission_origin, finding?.kind),
  },
  { title: 'Grade', cell: ({ fate }) => FATES[fate][0] },
];

function timeWords(time: unknown): string {
  if (time === undefined) return 'not shown to others';
  return Number.isNaN(Date.parse(String(time))) ? String(time) : instant(String(time));
}

function originWords(origin: unknown, finding: string | undefined): string {
  if (origin === undefined) return '';
  const seen: Readonly<Record<string, string>> = {
    nobody: ', seen by nobody',
    late: ', late',
    short: ', short window',
  };
  return `${String(origin)}${seen[finding ?? ''] ?? ''}`;
}
