import { instrumentsIn } from '../../adapters/market/files/bar-folder.ts';
import {
  type ComparedGrade,
  type Comparison,
  compareSources,
  type GradeOfSources,
  type Sample,
} from '../../application/grading/compare-sources.ts';
import type { GradeByOther, OtherGrade } from '../../application/grading/open-grade.ts';
import { newestNames } from '../../application/market/names.ts';
import { askSources, type ProbeResult } from '../../application/market/probe-sources.ts';
import { refreshInstrument } from '../../application/market/refresh-symbols.ts';
import { SOURCE_REPORTS } from '../../domain/limits.ts';
import { SERVES_TIMESTAMPS } from '../../domain/log/timestamps/timestamp.ts';
import { instrumentKey } from '../../domain/market/instrument.ts';
import type { ProcessReport } from '../../domain/market/source-health.ts';
import type { StoredSymbolFile } from '../../domain/market/symbol-directory.ts';
import { rfc3339 } from '../../domain/time.ts';
import { servedBy } from '../background/process-reports.ts';
import { openMarketData } from '../compose/market-sources.ts';
import { sourceProbes } from '../compose/source-probes.ts';
import { createLogger } from '../logging/logger.ts';
import { operatorName } from '../operator-name.ts';
import {
  type CommandContext,
  command,
  dateIn,
  defaulted,
  type ExitCode,
  namedInstrumentIn,
  option,
  spelledByNames,
  UsageError,
  word,
} from './command.ts';
import { type Columns, secondOf, table, tableOf } from './text.ts';

/** The sources of prices: their state, a request to each, a comparison of their prices, another verification. */
export const SOURCE_COMMANDS = [
  command({
    name: 'sources',
    summary: 'show which sources serve what, and their state; exit code 1 while one is paused after failures',
    json:
      '{ bar_files: how many instruments, sources: [{ source, serves, process, reported_at, state, failures, ' +
      'last_error, last_error_at, last_success_at }], not_reported: [{ source, serves }], symbol_files: [{ name, symbols, ' +
      'created_at }], network }',
    run: (_, context) => showSources(context),
  }),
  command({
    name: 'probe-sources',
    summary: 'send one small request to each configured live source and show its reply; exit code 1 if one fails',
    json: '{ network, sources: [{ source, subject, ok, latency_ms, newest, error }] }',
    async run(_, { config }) {
      const { network } = config.marketData;
      const sources = await askSources(sourceProbes(config.marketData));
      const text = network ? tableOf(PROBE_COLUMNS, sources) : NO_NETWORK;
      return { text, report: { network, sources }, failed: !sources.every(({ ok }) => ok) };
    },
  }),
  // The evidence proves which bars were used, not that they are true.
  command({
    name: 'compare-sources',
    summary:
      'draw N graded decisions (50 unless given), those evaluated since DATE, and compare their prices and buckets with ' +
      'those of every other source of the instrument; exit code 1 if a bucket differs',
    json:
      '{ graded: how many there are, same, different, without: how many of the drawn, largest_difference_bp, grades: ' +
      '[{ record_id, fault, instrument, source, result_bucket, entry_price, exit_price, others: [{ source, fault, ' +
      'result_bucket, entry_price, exit_price, entry_bp, exit_bp }] }]; where fault is a text, the members after it are absent }',
    takes: { sample: defaulted('N', '50', sizeIn), since: option('DATE', dateIn) },
    run: ({ sample, since = null }, context) => showComparison(context, { size: sample, since }),
  }),
  // The same as the endpoint of operators.
  command({
    name: 'refresh',
    summary:
      'verify an instrument again at once (market:symbol:venue:asset_class:quote), and try its failed records again',
    takes: { named: word('IDENTITY', 'Name one instrument.', namedInstrumentIn) },
    async run({ named }, { storage }) {
      const { instrument, status, job_id } = await refreshInstrument(
        storage,
        spelledByNames(named, await newestNames(storage.names)),
        operatorName(),
      );
      return `${instrumentKey(instrument)}: ${status === 'queued' ? 'queued' : 'already queued'}, job ${job_id}`;
    },
  }),
];

const NO_NETWORK = 'The service calls no source on the network (MARKET_DATA_NETWORK=false).';

const SOURCE_HEADERS = ['source', 'serves', 'process', 'state', 'failures', 'last success', 'last error', 'error'];

async function showSources({ storage, config, print, report }: CommandContext): Promise<ExitCode> {
  const now = await storage.clock.now();
  const all = await storage.sourceHealth.reportsSince(new Date(now.getTime() - SOURCE_REPORTS.fresh));
  const reports = all.filter(({ serves }) => serves !== SERVES_TIMESTAMPS);
  const served = servedBy(config.marketData);
  const notReported = [...served].filter(([name]) => !reports.some(({ source }) => source === name));
  const files = await instrumentsIn(config.marketData.barsDir);
  print(
    table(SOURCE_HEADERS, [
      ['bar-files', `${files.length} instruments`, '', 'healthy', '', '', '', ''],
      ...reports.map(sourceCells),
      ...notReported.map(([name, serves]) => [name, serves, 'none', 'no report', '', '', '', '']),
    ]),
  );
  const symbolFiles = await storage.listedSymbols.files();
  print(symbolLine(symbolFiles));
  if (!config.marketData.network) print(NO_NETWORK);
  report({
    bar_files: files.length,
    sources: reports,
    not_reported: notReported.map(([source, serves]) => ({ source, serves })),
    symbol_files: symbolFiles,
    network: config.marketData.network,
  });
  return reports.some(({ state }) => state === 'paused') ? 1 : 0;
}

/** The files that the symbol directory was made from. */
function symbolLine(files: readonly StoredSymbolFile[]): string {
  if (files.length === 0) return 'US symbols: the packaged ones; none have been fetched yet.';
  const names = files.map(
    ({ name, symbols, created_at }) => `${name} of ${rfc3339(created_at).slice(0, 16)}Z (${symbols})`,
  );
  return `US symbols: ${names.join(', ')}`;
}

function sourceCells(report: ProcessReport): readonly string[] {
  const { source, serves, process, state, failures, last_error, last_error_at, last_success_at } = report;
  const [error, success] = [last_error_at, last_success_at].map((at) =>
    at ? `${rfc3339(at).slice(0, 19)}Z` : 'never',
  );
  return [source, serves, process, state, String(failures), success ?? '', error ?? '', last_error ?? ''];
}

const PROBE_COLUMNS: Columns<ProbeResult> = {
  source: ({ source }) => source,
  subject: ({ subject }) => subject,
  result: ({ ok }) => (ok ? 'ok' : 'failed'),
  ms: ({ latency_ms }) => String(latency_ms),
  newest: ({ newest }) => (newest ? secondOf(newest) : ''),
  error: ({ error }) => error ?? '',
};

const MOST = 1_000;

function sizeIn(text: string): number {
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= MOST) return size;
  throw new UsageError(`--sample ${text}: send a number from 1 to ${MOST}.`);
}

async function showComparison({ storage, config, print, report }: CommandContext, sample: Sample): Promise<ExitCode> {
  const book = await newestNames(storage.names);
  const log = createLogger({ level: 'silent', format: 'json' });
  const { sourcesOf } = openMarketData(config.marketData, log, undefined, null, () => book);
  const comparison = await compareSources(storage, sourcesOf, sample);
  const { grades, graded } = comparison;
  const summary = summaryOf(comparison);
  if (grades.length > 0) print(table(GRADE_HEADERS, grades.flatMap(rowsOf)));
  print(`Drawn at random: ${grades.length} of ${graded} grades.`);
  print(summaryText(summary, grades.length));
  if (grades.length > 0 && summary.without === grades.length) print(NOTHING_COMPARED);
  report({ graded, ...summary, grades });
  return summary.different === 0 ? 0 : 1;
}

const NOTHING_COMPARED =
  'There is nothing to compare with: no other source gave a grade. Name a second source for this command alone, such as ' +
  'MARKET_DATA_CRYPTO=COINBASE:coinbase+kraken or MARKET_DATA_STOCKS=alpaca,massive (yahoo,eodhd for other venues), or import bars of another origin.';

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

const GRADE_HEADERS = [
  ...['record_id', 'symbol', 'source', 'bucket', 'other source', 'bucket'],
  ...['entry', 'other entry', 'bp', 'exit', 'other exit', 'bp', 'not compared because'],
];

function rowsOf(grade: ComparedGrade): readonly (readonly string[])[] {
  if (grade.fault !== null) return [[grade.record_id, ...Array(GRADE_HEADERS.length - 2).fill(''), grade.fault]];
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
