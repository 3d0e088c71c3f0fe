import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { type SourceProbe, sourceProbes } from '../../compose/source-probes.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from '../command.ts';
import { table } from '../text/text-table.ts';

/** One small request to each live source, for operators whose machine has a network. */
export const probeSourcesCommand: Command = {
  usage: '',
  summary: 'send one small request to each configured live source and show its reply; exit code 1 if one fails',
  json: '{ network, sources: [{ source, subject, ok, latency_ms, newest, error }] }',
  read(args) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    return probeSources;
  },
};

const HEADERS = ['source', 'subject', 'result', 'ms', 'newest', 'error'];

interface ProbeResult {
  readonly source: string;
  readonly subject: string;
  readonly ok: boolean;
  /** From the first attempt to the end of the last one. */
  readonly latency_ms: number;
  /** The start of the newest bar, or the time of the last trade; null for a failure and where no time is sent. */
  readonly newest: Date | null;
  readonly error: string | null;
}

async function probeSources({ config, print, report }: CommandContext): Promise<ExitCode> {
  const { network } = config.marketData;
  const sources = await Promise.all(sourceProbes(config.marketData).map(resultOf));
  if (!network) print('The service calls no source on the network (MARKET_DATA_NETWORK=false).');
  else print(table(HEADERS, sources.map(cellsOf)));
  report({ network, sources });
  return sources.every(({ ok }) => ok) ? 0 : 1;
}

async function resultOf({ source, subject, request }: SourceProbe): Promise<ProbeResult> {
  const start = performance.now();
  const ended = (newest: Date | null, error: string | null): ProbeResult => {
    const latency_ms = Math.round(performance.now() - start);
    return { source, subject, ok: error === null, latency_ms, newest, error };
  };
  try {
    const newest = await request();
    if (newest === null) return ended(null, 'The reply contains no price.');
    return ended(newest.at === null ? null : new Date(newest.at), null);
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    return ended(null, error.message);
  }
}

function cellsOf({ source, subject, ok, latency_ms, newest, error }: ProbeResult): readonly string[] {
  const at = newest ? `${rfc3339(newest).slice(0, 19)}Z` : '';
  return [source, subject, ok ? 'ok' : 'failed', String(latency_ms), at, error ?? ''];
}
