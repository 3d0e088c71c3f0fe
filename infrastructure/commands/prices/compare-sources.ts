import {
  type ComparedGrade,
  type Comparison,
  compareSources,
  type GradeOfSources,
  type Sample,
} from '../../../application/grading/compare-sources.ts';
import type { GradeByOther, OtherGrade } from '../../../application/grading/other-grade.ts';
import { openMarketData } from '../../compose/market-sources.ts';
import { createLogger } from '../../logging/logger.ts';
import { argumentsIn, timeIn } from '../arguments.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from '../command.ts';
import { table } from '../text/text-table.ts';

const OPTIONS = { sample: { type: 'string', default: '50' }, since: { type: 'string' } } as const;

/** Computes drawn grades again from the prices of other sources: the evidence proves which bars were used, not that they are true. */
export const compareSourcesCommand: Command = {
  usage: '[--sample N] [--since DATE]',
  summary:
    'draw N graded decisions (50 unless given), those evaluated since DATE, and compare their prices and buckets with ' +
    'those of every other source of the instrument; exit code 1 if a bucket differs',
  json:
    '{ graded: how many there are, same, different, without: how many of the drawn, largest_difference_bp, grades: ' +
    '[{ record_id, fault, instrument, source, result_bucket, entry_price, exit_price, others: [{ source, fault, ' +
    'result_bucket, entry_price, exit_price, entry_bp, exit_bp }] }]; where fault is a text, the members after it are absent }',
  read(args) {
    const { positionals, values } = argumentsIn(args, OPTIONS);
    if (positionals.length > 0) throw new UsageError('This command takes options only.');
    const since = values.since === undefined ? null : new Date(timeIn(values.since, '--since'));
    const sample = { size: sizeIn(values.sample), since };
    return (context) => showComparison(context, sample);
  },
};

const MOST = 1_000;

function sizeIn(text: string): number {
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= MOST) return size;
  throw new UsageError(`--sample ${text}: send a number from 1 to ${MOST}.`);
}

async function showComparison({ storage, config, print, report }: CommandContext, sample: Sample): Promise<ExitCode> {
  const { sourcesOf } = openMarketData(config.marketData, createLogger({ level: 'silent', format: 'json' }));
  const comparison = await compareSources(storage, sourcesOf, sample);
  const { grades, graded } = comparison;
  const summary = summaryOf(comparison);
  if (grades.length > 0) print(table(HEADERS, grades.flatMap(rowsOf)));
  print(`Drawn at random: ${grades.length} of ${graded} grades.`);
  print(summaryText(summary, grades.length));
  if (grades.length > 0 && summary.without === grades.length) print(NOTHING_COMPARED);
  report({ graded, ...summary, grades });
  return summary.different === 0 ? 0 : 1;
}

const NOTHING_COMPARED =
  'There is nothing to compare with: no other source gave a grade. Name a second source for this command alone, such as ' +
  'MARKET_DATA_CRYPTO=COINBASE:coinbase+kraken or MARKET_DATA_STOCKS=alpaca,massive, or import bars of another origin.';

interface Summary {
  readonly same: number;
  readonly different: number;
  readonly without: number;
  /** Of an entry or exit from the stored one, in basis points; null where no other source gives a grade. */
  readonly largest_difference_bp: number | null;
}

function summaryOf({ grades }: Comparison): Summary {
  const counts = { same: 0, different: 0, without: 0 };
  for (const grade of grades) counts[verdictOn(grade)] += 1;
  const sizes = grades.flatMap(gradedOthers).flatMap(({ entry_bp, exit_bp }) => [entry_bp, exit_bp].map(Math.abs));
  return { ...counts, largest_difference_bp: sizes.length === 0 ? null : Math.max(...sizes) };
}

function gradedOthers(grade: ComparedGrade): readonly GradeByOther[] {
  return grade.fault === null ? grade.others.filter((other): other is GradeByOther => other.fault === null) : [];
}

function verdictOn(grade: ComparedGrade): 'same' | 'different' | 'without' {
  const others = gradedOthers(grade);
  if (grade.fault !== null || others.length === 0) return 'without';
  return others.every(({ result_bucket }) => result_bucket === grade.result_bucket) ? 'same' : 'different';
}

function summaryText({ same, different, without, largest_difference_bp: largest }: Summary, all: number): string {
  const counts = [
    `${same} with the same bucket by another source`,
    `${different} with another bucket`,
    `${without} without another source`,
  ];
  const difference = largest === null ? '' : `; largest difference of an entry or exit ${largest.toFixed(1)} bp`;
  return `${all} ${all === 1 ? 'grade' : 'grades'}: ${counts.join(', ')}${difference}`;
}

const HEADERS = [
  ...['record_id', 'symbol', 'source', 'bucket', 'other source', 'bucket'],
  ...['entry', 'other entry', 'bp', 'exit', 'other exit', 'bp', 'not compared because'],
];

function rowsOf(grade: ComparedGrade): readonly (readonly string[])[] {
  if (grade.fault !== null) return [[grade.record_id, ...Array(HEADERS.length - 2).fill(''), grade.fault]];
  if (grade.others.length > 0) return grade.others.map((other) => rowOf(grade, other));
  return [rowOf(grade, { source: '', fault: 'no other source' })];
}

function rowOf(grade: GradeOfSources, other: OtherGrade): readonly string[] {
  const { record_id, instrument, source, result_bucket, entry_price: entry, exit_price: exit } = grade;
  const row = (bucket: string, prices: readonly string[], fault: string) => {
    const [, symbol = ''] = instrument.split(':');
    return [record_id, symbol, source, result_bucket ?? '', other.source, bucket, ...prices, fault];
  };
  if (other.fault !== null) return row('', [`${entry}`, '', '', `${exit}`, '', ''], other.fault);
  const entries = [`${entry}`, `${other.entry_price}`, other.entry_bp.toFixed(1)];
  return row(other.result_bucket, [...entries, `${exit}`, `${other.exit_price}`, other.exit_bp.toFixed(1)], '');
}
