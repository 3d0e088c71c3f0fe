import { COINS, type Coin } from '../../domain/circuits/coin.ts';
import { lookFailed, observe } from '../../domain/circuits/observe.ts';
import type { PegSource } from '../../domain/circuits/peg-source.ts';
import type { Ports } from '../ports.ts';
import { snapshotId } from './change-circuit.ts';

type MonitorPorts = Pick<Ports, 'circuits' | 'pegSource' | 'settings' | 'announce' | 'announcePeg'>;

/**
 * The monitor looks at every coin once (settled.md section 9), asking all exchanges at once before anything is locked.
 * Changes are announced to the operators: of a circuit, and of whether a coin's price is known. Several processes may
 * look in the same minute: the first to write makes the observation. Without exchanges nothing is looked at and nothing
 * changes.
 */
export async function observePegs(ports: MonitorPorts): Promise<void> {
  const { pegSource } = ports;
  if (pegSource) await Promise.all(COINS.map((coin) => look(ports, pegSource, coin)));
}

async function look(
  { circuits, settings, announce, announcePeg }: MonitorPorts,
  pegSource: PegSource,
  coin: Coin,
): Promise<void> {
  const quotes = await pegSource.quotes(coin);
  const stale = { before: false, after: false };
  const { snapshot } = await circuits.transition(coin, (circuit, now) => {
    const step = observe(circuit, quotes, now, { id: snapshotId(now), autoTrip: settings.autoTrip });
    stale.before = lookFailed(circuit);
    stale.after = lookFailed(step.circuit);
    return step;
  });
  if (snapshot) announce(snapshot);
  if (stale.before !== stale.after) announcePeg(coin, { stale: stale.after });
}
