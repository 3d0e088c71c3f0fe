import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { barFiles } from '../../adapters/market/files/bar-files.ts';
import { SECOND } from '../../domain/time.ts';
import type { Cast, DemoAgent, Keys } from './agents.ts';
import type { Client } from './client.ts';
import { type Planned, planDecisions } from './plan.ts';

/** Decisions of an agent that are planned at a time. */
const BLOCK = 10;

interface Block {
  readonly block: number;
  readonly plan: readonly Planned[];
}

function shortened(agent: DemoAgent): DemoAgent {
  return { ...agent, decisions: BLOCK };
}

interface Feed {
  readonly client: Client;
  readonly keys: Keys;
  readonly cast: Cast;
  /** Of the demo, where the feed keeps how far it is. */
  readonly folder: string;
}

/**
 * The agents of the demo go on, one decision after the other, on the same price history: so the page moves. A feed that
 * starts again on its folder goes on behind the last decision.
 * @param pace seconds between two decisions
 */
export async function runFeed({ client, keys, cast, folder }: Feed, pace: number, signal: AbortSignal): Promise<void> {
  const file = join(folder, 'feed');
  const prices = barFiles(join(folder, 'bars'));
  let sent = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  let planned: Block = { block: -1, plan: [] };
  while (!signal.aborted) {
    await sleep(pace * SECOND, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const size = BLOCK * cast.agents.length;
    const block = Math.floor(sent / size);
    if (planned.block !== block) {
      const [first, ...others] = cast.agents;
      const agents = [shortened(first), ...others.map(shortened)] as const;
      planned = { block, plan: await planDecisions(prices, { seed: `${cast.seed}-feed-${block}`, agents }) };
    }
    const next = planned.plan[sent % size];
    if (next === undefined) throw new Error('A block of the feed has fewer decisions than it should.');
    await client.submit(keys.get(next.agent) ?? '', next.key, next.submission);
    sent += 1;
    writeFileSync(file, String(sent), { mode: 0o600 });
  }
}
