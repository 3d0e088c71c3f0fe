import type { Millis } from '../../../domain/time.ts';

export interface BatcherOptions<In, Out> {
  /** Answers the items of a batch, in their order. */
  run(items: readonly In[]): Promise<readonly Out[]>;
  /** Members of a batch, at least 1. One of 1 never waits for others. */
  readonly most: number;
  /** How many members an item counts as, 1 without; one that alone counts as more than `most` is a batch of its own. */
  readonly sizeOf?: (item: In) => number;
  /** Batches in flight, at least 1. */
  readonly atOnce: number;
  /** Milliseconds of a clock of this machine that nobody sets. */
  readonly monotonic?: () => Millis;
}

/** For a batch that never stops growing: a small part of what a request takes where so many come. */
const GATHERED_AT_MOST = 5;

/**
 * Turns calls that arrive together into batches. While fewer than `atOnce` are in flight, a batch gathers as long as each
 * turn of the event loop brings another member, and leaves at the end of the first that brings none, when it is full, or
 * after 5 ms. So a call that comes alone does not wait for others, and where many come few round trips are paid for: what
 * a batch costs is more than what its members cost. An error of a batch reaches each of its members, and no other.
 */
export function batcher<In, Out>(options: BatcherOptions<In, Out>): (item: In) => Promise<Out> {
  const { run, most, sizeOf, atOnce, monotonic = () => performance.now() } = options;
  const waiting: Member<In, Out>[] = [];
  let inFlight = 0;
  let gathering = false;

  function gather(): void {
    if (gathering || waiting.length === 0 || inFlight >= atOnce) return;
    gathering = true;
    const until = monotonic() + GATHERED_AT_MOST;
    const look = (before: number) => {
      const grew = waiting.length > before;
      if (grew && waiting.length < most && monotonic() < until) return void setImmediate(look, waiting.length);
      gathering = false;
      void leave();
      gather();
    };
    look(0);
  }

  async function leave(): Promise<void> {
    const members = waiting.splice(0, sizeOf ? fitting(waiting, most, sizeOf) : most);
    inFlight += 1;
    await settle(members, run);
    inFlight -= 1;
    gather();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      gather();
    });
}

/** How many of the first members a batch has room for, at least 1. */
function fitting<In>(waiting: readonly { readonly item: In }[], most: number, sizeOf: (item: In) => number): number {
  let [count, size] = [0, 0];
  for (const { item } of waiting) {
    size += sizeOf(item);
    if (size > most) break;
    count += 1;
  }
  return Math.max(count, 1);
}

interface Member<In, Out> {
  readonly item: In;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

async function settle<In, Out>(
  members: readonly Member<In, Out>[],
  run: BatcherOptions<In, Out>['run'],
): Promise<void> {
  try {
    const results = await run(members.map(({ item }) => item));
    if (results.length !== members.length) {
      throw new Error(`A batch of ${members.length} was answered with ${results.length} results.`);
    }
    for (const [index, { resolve }] of members.entries()) resolve(results[index] as Out);
  } catch (error) {
    for (const { reject } of members) reject(error);
  }
}
