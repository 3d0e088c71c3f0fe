import { instrumentsIn } from '../../../adapters/market/files/bar-folder.ts';
import { SOURCE_REPORTS } from '../../../domain/limits.ts';
import type { ProcessReport } from '../../../domain/market/source-health.ts';
import type { StoredSymbolFile } from '../../../domain/market/symbol-store.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { servedBy } from '../../background/source-reports.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from '../command.ts';
import { table } from '../text/text-table.ts';

/** The state of the sources of market data, as the running processes last reported it. */
export const sourcesCommand: Command = {
  usage: '',
  summary: 'show which sources serve what, and their state; exit code 1 while one is paused after failures',
  json:
    '{ bar_files: how many instruments, sources: [{ source, serves, process, reported_at, state, failures, ' +
    'last_error, last_error_at, last_success_at }], not_reported: [{ source, serves }], symbol_files: [{ name, symbols, ' +
    'created_at }], network }',
  read(args) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    return showSources;
  },
};

const HEADERS = ['source', 'serves', 'process', 'state', 'failures', 'last success', 'last error', 'error'];

async function showSources({ storage, config, print, report }: CommandContext): Promise<ExitCode> {
  const now = await storage.clock.now();
  const reports = await storage.sourceHealth.reportsSince(new Date(now.getTime() - SOURCE_REPORTS.fresh));
  const served = servedBy(config.marketData);
  const notReported = [...served].filter(([name]) => !reports.some(({ source }) => source === name));
  const files = await instrumentsIn(config.marketData.barsDir);
  print(
    table(HEADERS, [
      ['bar-files', `${files.length} instruments`, '', 'healthy', '', '', '', ''],
      ...reports.map(cellsOf),
      ...notReported.map(([name, serves]) => [name, serves, 'none', 'no report', '', '', '', '']),
    ]),
  );
  const symbolFiles = await storage.listedSymbols.files();
  print(symbolLine(symbolFiles));
  if (!config.marketData.network) print('The service calls no source on the network (MARKET_DATA_NETWORK=false).');
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

function cellsOf(report: ProcessReport): readonly string[] {
  const { source, serves, process, state, failures, last_error, last_error_at, last_success_at } = report;
  const [error, success] = [last_error_at, last_success_at].map((at) =>
    at ? `${rfc3339(at).slice(0, 19)}Z` : 'never',
  );
  return [source, serves, process, state, String(failures), success ?? '', error ?? '', last_error ?? ''];
}
