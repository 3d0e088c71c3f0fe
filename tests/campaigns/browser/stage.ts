import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import { accountFile, openAccounts, SMALL_CAST } from '../../../scripts/demo/agents.ts';
import { type Client, clientOf } from '../../../scripts/demo/client.ts';
import { type Acknowledgement, acknowledgedOf, awaitGrades } from '../../../scripts/demo/grades.ts';
import { planDecisions } from '../../../scripts/demo/plan.ts';
import {
  OF_FEW_OWNERS,
  type ServiceProcess,
  startService,
  variablesOf,
} from '../../../scripts/demo/service-process.ts';
import { openJournal, progressOf, submitPlan } from '../../../scripts/demo/submissions.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { closeOnSignal } from '../stage/interruption.ts';
import { type ClientSite, openClientSite } from './client-site.ts';

/** A running service with an atlas and graded records, and the owner of some of them. */
export interface Stage {
  readonly url: string;
  /** A graded record with targets and a stop. */
  readonly plan: Acknowledgement;
  /** A record whose window is still open, so that it is not public. */
  readonly open: string;
  /** A record whose instrument no source can verify. */
  readonly unverified: string;
  /** The owner of all of them. */
  readonly owner: { readonly email: string; readonly password: string };
  /** The API key of the agent of all of them. */
  readonly key: string;
  /** A website of another origin, which may send requests to the service. */
  readonly site: ClientSite;
  close(): Promise<void>;
}

/** The walks sign in and turn pages much faster than a person; the limit of a second stays. */
const UNHURRIED = {
  LIMIT_SIGNUPS_PER_MINUTE: '1000',
  LIMIT_RATE_PER_MINUTE: '6000',
  // One walk alone sends as many as an owner may by default.
  LIMIT_BACKTEST_ROWS_PER_DAY: '40000',
};

const CAST = { ...SMALL_CAST, seed: 'browser-1' };

/**
 * Starts an empty service, runs `empty` on it, and has the demo's agents fill it.
 * @param program that of the service, by default of the checkout
 */
export async function openStage(
  decisions: number,
  empty: (url: string) => Promise<void>,
  program?: string,
): Promise<Stage> {
  const folder = makeThrowawayFolder('browser');
  const site = await openClientSite();
  let service: ServiceProcess | undefined;
  const close = async () => {
    await Promise.all([service?.stop(), site.close()]);
    removeThrowawayFolder(folder, folder);
  };
  closeOnSignal(close);
  try {
    const variables = { CORS_ORIGINS: site.origin, ...variablesOf(OF_FEW_OWNERS), ...UNHURRIED };
    service = await startService(folder, 0, variables, program);
    await empty(service.url);
    return { url: service.url, site, ...(await filled(service.url, folder, decisions)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function filled(url: string, folder: string, decisions: number): Promise<Omit<Stage, 'url' | 'site' | 'close'>> {
  const client = clientOf(url);
  const journal = openJournal(folder);
  const keys = await openAccounts(client, folder, CAST);
  const plan = (await planDecisions(barFiles(join(folder, 'bars')), CAST)).slice(0, decisions);
  await submitPlan({ client, keys, journal, progress: progressOf('Decisions') }, plan);
  const records = acknowledgedOf(plan, journal);
  await awaitGrades({ client, keys, progress: progressOf('Grades') }, records);
  const planned = records.find(({ submission }) => (submission.price_targets?.targets ?? []).length > 0);
  if (!planned) throw new Error('No agent named a target.');
  await untilAtlas(url, 1);
  const owner = JSON.parse(readFileSync(accountFile(folder, planned.agent), 'utf8')) as Stage['owner'];
  breakPrices(folder, 'ETH');
  const key = keys.get(planned.agent) ?? '';
  const open = await submitOpen(client, key, 'BTC');
  return { plan: planned, open, unverified: await submitOpen(client, key, 'ETH'), owner, key };
}

/** Markup that a page would run if it did not escape text. */
export const HOSTILE = '<img src=x onerror="document.title = 1"><script>document.title = 2</script>';

/** Bar files that cannot be read: their source is unavailable. */
function breakPrices(folder: string, symbol: string): void {
  const path = join(folder, 'bars', 'crypto', 'COINBASE', 'spot', `${symbol}-USD`);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'manifest.json'), '{}');
}

/** Submits a decision whose window stays open during the campaign. */
async function submitOpen(client: Client, key: string, symbol: string): Promise<string> {
  const { record_id } = await client.submit(key, `open-${symbol}`, {
    market: 'crypto',
    symbol,
    venue: 'COINBASE',
    asset_class: 'spot',
    quote_currency: 'USD',
    direction: 'bullish',
    horizon_kind: 'holding_seconds',
    horizon_value: 604_800,
    data_cutoff: new Date().toISOString(),
    key_factors: [{ factor: HOSTILE }],
    inputs: [{ kind: 'prompt', name: HOSTILE, sha256: '5c'.repeat(32) }],
  } as Parameters<Client['submit']>[2]);
  return record_id;
}

const PATIENCE = 240;

/** Waits until the service has built an atlas of at least so many nodes: anew, once there is something to show. */
export async function untilAtlas(url: string, nodes: number): Promise<void> {
  for (let looks = 0; looks < PATIENCE; looks++) {
    const response = await fetch(`${url}/api/v1/public/atlas/network?include_retroactive=true`);
    const built = (await response.json()) as { readonly nodes?: readonly unknown[] };
    if (built.nodes !== undefined && built.nodes.length >= nodes) return;
    await sleep(500);
  }
  throw new Error(`The atlas has not ${nodes} nodes.`);
}
