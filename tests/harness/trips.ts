import type { CircuitStore } from '../../domain/circuits/circuit.ts';
import { bringTo } from '../builders/circuits.ts';
import { race } from '../contracts/adapters.ts';
import { call } from '../whole/calls.ts';

/** Instances of one service, with an agent that submits and an operator who trips. */
export interface TripCampaign {
  readonly urls: readonly string[];
  readonly circuits: CircuitStore;
  /** The headers of an operator. */
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string;
  /** A submission that is quoted in USDT. */
  readonly body: object;
  readonly trips: number;
}

export interface TripsFound {
  /** Submissions that were sent before the reply to a trip arrived, and landed in the open cohort. */
  readonly open: number;
  /** Submissions that were sent after that reply. */
  readonly late: number;
  /** Late submissions that still landed in the open cohort. */
  readonly escaped: number;
}

interface Submitted {
  readonly body: { readonly record_id: string; readonly cohort_key: string };
  readonly status: number;
  readonly text: string;
}

/**
 * Eight agents submit all the time, by turns on each instance, while a circuit is tripped over and over, and brought back
 * to normal when each instance has taken a few submissions since.
 */
export async function tripUnderLoad({ urls, circuits, headers, key, body, trips }: TripCampaign): Promise<TripsFound> {
  const at = (turn: number) => ({ url: urls[turn % urls.length] ?? '' });
  const found = { open: 0, late: 0, escaped: 0 };
  /** The number of the trip whose reply has arrived, until the trip is reverted; else 0. */
  let trip = 0;
  let over = false;
  const isOpen = ({ body: { cohort_key } }: Submitted) => cohort_key.includes(':usd:');

  async function submit(turn: number): Promise<void> {
    const before = trip;
    const reply: Submitted = await call(at(turn), '/api/v1/agent/decisions', { key, body });
    if (reply.status !== 201) throw new Error(reply.text);
    if (before === 0 && isOpen(reply)) found.open += 1;
    // A submission during which the coin returned to normal proves nothing.
    if (before === 0 || before !== trip) return;
    found.late += 1;
    if (isOpen(reply)) found.escaped += 1;
  }

  const load = race(8, async (worker) => {
    for (let turn = worker; !over; turn += 1) await submit(turn);
  });
  for (let turn = 1; turn <= trips; turn += 1) {
    const path = '/api/v1/admin/stablecoin/USDT/trip';
    const tripped = await call(at(turn), path, { headers, body: { reason: `trip ${turn}` } });
    if (tripped.status !== 200) throw new Error(tripped.text);
    trip = turn;
    await Promise.all(urls.flatMap((_, instance) => [submit(instance), submit(instance)]));
    trip = 0;
    await bringTo(circuits, 'USDT', 'normal');
    await Promise.all(urls.map((_, instance) => submit(instance)));
  }
  over = true;
  await load;
  return found;
}
