import { SOURCE_PROBES } from '../../domain/limits.ts';
import { SourceUnavailable } from '../../domain/market/market-data.ts';
import type { NewestPrice, SourceProbe } from '../../domain/market/source-health.ts';
import { Problem } from '../../domain/problem.ts';
import { SECOND } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';

/** How one source answered one request. */
export interface ProbeResult {
  readonly source: string;
  /** The instrument that was requested. */
  readonly subject: string;
  readonly ok: boolean;
  /** From the first attempt to the end of the last one. */
  readonly latency_ms: number;
  /** The start of the newest bar, or the time of the last trade; null for a failure and where no time is sent. */
  readonly newest: Date | null;
  readonly error: string | null;
}

/** The entry of the audit log is its own subject, so that the newest one is found at once. */
const ACTION = 'probe_sources';

/**
 * Sends one small request to each live source that this process is configured with, and to no other host: what is asked
 * follows from the configuration alone. Over all processes this happens once in `SOURCE_PROBES.every`, and each time is an
 * entry of the audit log.
 * @param actor the owner_id of the operator
 * @returns nothing where no live source is configured
 * @throws Problem RATE_LIMIT_EXCEEDED
 */
export async function probeSources(
  { sourceProbes, transaction }: Pick<Ports, 'sourceProbes' | 'transaction'>,
  actor: string,
): Promise<readonly ProbeResult[]> {
  const probes = sourceProbes();
  if (probes.length === 0) return [];
  const detail = { sources: [...new Set(probes.map(({ source }) => source))] };
  await transaction(async ({ audit }) => {
    // The next entry waits for the end of this transaction, and then sees the entry that this one leaves.
    await audit.append({ actor, action: ACTION, subject: ACTION, detail });
    const [own, before] = await audit.about(ACTION, 2);
    if (own && before) requireInterval(own.at.getTime() - before.at.getTime());
  });
  return askSources(probes);
}

function requireInterval(since: number): void {
  if (since >= SOURCE_PROBES.every) return;
  throw new Problem('RATE_LIMIT_EXCEEDED', 'The sources were asked a moment ago.', {
    retry_after_seconds: (SOURCE_PROBES.every - since) / SECOND,
  });
}

/** Sends all requests at once; one without an answer after `SOURCE_PROBES.longest` has failed. */
export function askSources(probes: readonly SourceProbe[]): Promise<readonly ProbeResult[]> {
  return Promise.all(probes.map(resultOf));
}

async function resultOf(probe: SourceProbe): Promise<ProbeResult> {
  const { source, subject } = probe;
  const start = performance.now();
  const ended = (newest: Date | null, error: string | null): ProbeResult => {
    const latency_ms = Math.round(performance.now() - start);
    return { source, subject, ok: error === null, latency_ms, newest, error };
  };
  try {
    const newest = await answerOf(probe);
    if (newest === null) return ended(null, 'The reply contains no price.');
    return ended(newest.at === null ? null : new Date(newest.at), null);
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    return ended(null, error.message);
  }
}

async function answerOf(probe: SourceProbe): Promise<NewestPrice | null> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const seconds = SOURCE_PROBES.longest / SECOND;
  const refusal = () => reject(new SourceUnavailable(`gave no answer within ${seconds} seconds`));
  const timer = setTimeout(refusal, SOURCE_PROBES.longest);
  try {
    return await Promise.race([probe.request(), late]);
  } finally {
    clearTimeout(timer);
  }
}
