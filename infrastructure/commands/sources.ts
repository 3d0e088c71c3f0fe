import { instrumentsIn } from '../../adapters/market/bar-folder.ts';
import type { ProcessReport } from '../../domain/market/source-health.ts';
import { rfc3339 } from '../../domain/time.ts';
import { REPORT_AGE, servedBy } from '../background/source-reports.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from './command.ts';
import { table } from './text-table.ts';

/** How the sources of market data are doing, as the running processes last reported. */
export const sourcesCommand: Command = {
  usage: '',
  summary: 'show which sources serve what, and how they are doing; exit code 1 while one is paused after failures',
  read(args) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    return showSources;
  },
};

const HEADERS = ['source', 'serves', 'process', 'state', 'failures', 'last error', 'last success'];

async function showSources({ storage, config, print }: CommandContext): Promise<ExitCode> {
  const now = await storage.clock.now();
  const reports = await storage.sourceHealth.reportsSince(new Date(now.getTime() - REPORT_AGE));
  const served = servedBy(config.marketData);
  const silent = [...served].filter(([name]) => !reports.some(({ source }) => source === name));
  const files = await instrumentsIn(config.marketData.barsDir);
  print(
    table(HEADERS, [
      ['bar-files', `${files.length} instruments`, '', 'closed', '', '', ''],
      ...reports.map(cellsOf),
      ...silent.map(([name, serves]) => [name, serves, 'none', 'no report', '', '', '']),
    ]),
  );
  for (const line of await symbolLines(storage)) print(line);
  if (!config.marketData.network) print('The network is not asked (MARKET_DATA_NETWORK=false).');
  return reports.some(({ state }) => state === 'open') ? 1 : 0;
}

/** Which files the symbol directory was made from. */
async function symbolLines({ listedSymbols }: CommandContext['storage']): Promise<readonly string[]> {
  const files = await listedSymbols.files();
  if (files.length === 0) return ['US symbols: those that come with the project; none have been fetched yet.'];
  const names = files.map(
    ({ name, symbols, created_at }) => `${name} of ${rfc3339(created_at).slice(0, 16)}Z (${symbols})`,
  );
  return [`US symbols: ${names.join(', ')}`];
}

function cellsOf({ source, serves, process, state, failures, last_error_at, last_success_at }: ProcessReport) {
  const [error, success] = [last_error_at, last_success_at].map((at) =>
    at ? `${rfc3339(at).slice(0, 19)}Z` : 'never',
  );
  return [source, serves, process, state, String(failures), error ?? '', success ?? ''];
}
