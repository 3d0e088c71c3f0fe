import type { PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { randomFrom } from '../../../scripts/random.ts';
import type { Caller } from '../stage/callers.ts';
import { exchange, now } from './client.ts';
import { finalise } from './finaliser.ts';
import type { Exchange, Finalisation, Revocation } from './history.ts';
import { type OwnRecord, ownPaths, planner, revocationOf, type Scene, submissionTo } from './plan.ts';

export interface Extent {
  readonly requests: number;
  readonly owners: number;
  readonly keys: number;
  /** Keys that are revoked during the campaign. */
  readonly revoked: number;
  /** Concurrent requests. */
  readonly atOnce: number;
}

export interface Campaign {
  readonly exchanges: readonly Exchange[];
  readonly revocations: readonly Revocation[];
  readonly finalisations: readonly Finalisation[];
}

/** Sends requests of all kinds to random nodes while evaluations end and keys are revoked. Returns what it saw. */
export async function runCampaign(
  urls: readonly string[],
  callers: readonly Caller[],
  storages: readonly PostgresStorage[],
  extent: Extent,
): Promise<Campaign> {
  const random = randomFrom('nodes');
  const exchanges: Exchange[] = [];
  const send = async (planned: Parameters<typeof exchange>[0], node = random.below(urls.length)) => {
    const answered = await exchange(planned, urls[node] ?? '', node);
    exchanges.push(answered);
    return answered;
  };
  const at = new Date();
  const records = await recordsOf(callers, at, send);
  let sending = true;
  const finalising = finalise(storages, 20, () => sending);
  const [revocations] = await Promise.all([
    revokeSome(urls, callers.slice(-extent.revoked), extent, () => exchanges.length, send),
    sendAll({ callers, records, at }, extent, send),
  ]);
  sending = false;
  return { exchanges, revocations, finalisations: await finalising };
}

type Send = (planned: Parameters<typeof exchange>[0], node?: number) => Promise<Exchange>;

/** Submits two records of each caller, in calls that no other request repeats. */
async function recordsOf(callers: readonly Caller[], at: Date, send: Send): Promise<readonly OwnRecord[]> {
  const sent = callers.flatMap((caller) => ['SEED1', 'SEED2'].map((symbol) => submissionTo(caller, symbol, at)));
  const answered = await Promise.all(sent.map((planned) => send(planned)));
  return answered.flatMap(({ replied_record, owner_id }) =>
    replied_record === null || owner_id === null ? [] : [{ record_id: replied_record, owner_id }],
  );
}

async function sendAll(scene: Scene, { requests, atOnce }: Extent, send: Send): Promise<void> {
  const next = planner(scene, 'requests');
  let remaining = requests;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (remaining > 0) {
        remaining -= 1;
        await send(next());
      }
    }),
  );
}

/** Revokes keys throughout the campaign, and uses each at every node as soon as its revocation is answered. */
async function revokeSome(
  urls: readonly string[],
  callers: readonly Caller[],
  { requests }: Extent,
  sent: () => number,
  send: Send,
): Promise<readonly Revocation[]> {
  const revocations: Revocation[] = [];
  for (const [n, caller] of callers.entries()) {
    const share = (requests * (n + 1)) / (callers.length + 1);
    while (sent() < share) await new Promise((resolve) => setTimeout(resolve, 20));
    const node = n % urls.length;
    const { status } = await exchange(revocationOf(caller), urls[node] ?? '', node);
    const answered = now();
    if (status !== 204) throw new Error(`A revocation was answered ${status} instead of 204.`);
    revocations.push({ key_prefix: caller.key_prefix, answered });
    await Promise.all(urls.flatMap((_, other) => ownPaths(caller).map((planned) => send(planned, other))));
  }
  return revocations;
}
