import { join } from 'node:path';
import { Stancebook } from '../../../clients/typescript/client.ts';
import type { Tally } from '../stage/tally.ts';
import { decisionOn, openAccount, tradingDays } from './accounts.ts';
import { type LossyProxy, openLossyProxy } from './lossy-proxy.ts';
import { run } from './programs.ts';

const WAITS = 10;

/** Waits for many outcomes at once: one reader of the feed, and few checks of each decision. */
export async function checkSharedWaits(url: string, python: string, tally: Tally): Promise<void> {
  const decisions = tradingDays(WAITS).map(decisionOn);
  const waitInPython = async (proxy: string, apiKey: string, ids: readonly string[]) => {
    const environment = { STANCEBOOK_API_KEY: apiKey, STANCEBOOK_URL: proxy };
    const program = join(import.meta.dirname, 'wait_all.py');
    const { stdout } = await run(python, [program], { environment, input: JSON.stringify(ids) });
    return JSON.parse(stdout || '[]') as readonly string[];
  };
  const waitInTypeScript = async (proxy: string, apiKey: string, ids: readonly string[]) => {
    const client = new Stancebook({ url: proxy, apiKey });
    const states = await Promise.all(ids.map((id) => client.waitForOutcome(id, { timeoutSeconds: 90 })));
    return states.map(({ state }) => state);
  };
  for (const [name, wait] of [
    ['TypeScript', waitInTypeScript],
    ['Python', waitInPython],
  ] as const) {
    const { apiKey } = await openAccount(url);
    const proxy = await openLossyProxy(url, () => []);
    try {
      const client = new Stancebook({ url, apiKey });
      const accepted = await Promise.all(decisions.map((decision) => client.submit(decision)));
      const ids = accepted.map(({ record_id }) => record_id);
      const states = await wait(proxy.url, apiKey, ids);
      const isClosed = states.length === WAITS && states.every((state) => state === 'closed');
      tally.holds(`${name}: ${WAITS} outcomes are waited for at once`, isClosed, states);
      tally.check(
        `${name}: these waits share a reader of the feed, and spend at most 3 checks each`,
        excess(proxy, ids),
      );
    } finally {
      await proxy.close();
    }
  }
}

/** A decision that was graded before its first check needs no feed. */
function excess({ requests }: LossyProxy, ids: readonly string[]): string[] {
  const readings = [...requests].filter(([subject]) => subject.includes('/agent/events'));
  const read = readings.reduce((sum, [, times]) => sum + times, 0);
  const checks = ids.map((id) => [id, requests.get(`GET /api/v1/agent/decisions/${id}/state`) ?? 0] as const);
  const isFollowed = read > 0 || checks.every(([, times]) => times === 1);
  return [
    ...(isFollowed && read < 2 * WAITS ? [] : [`the feed was read ${read} times`]),
    ...checks.flatMap(([id, times]) => (times >= 1 && times <= 3 ? [] : [`${id} was checked ${times} times`])),
  ];
}
