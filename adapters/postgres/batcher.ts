export interface BatcherOptions<In, Out> {
  /** Answers the items of a batch, in their order. */
  run(items: readonly In[]): Promise<readonly Out[]>;
  /** Members of a batch, at least 1. */
  readonly most: number;
  /** Batches in flight, at least 1. */
  readonly atOnce: number;
}

/**
 * Turns calls that arrive together into batches: a call leaves at once while fewer than `atOnce` batches are in flight,
 * and otherwise waits for the next to end, with whatever else came meanwhile. So an idle service answers without delay
 * and a busy one pays for one round trip per batch. An error of a batch reaches each of its members, and no other.
 */
export function batcher<In, Out>({ run, most, atOnce }: BatcherOptions<In, Out>): (item: In) => Promise<Out> {
  const waiting: Member<In, Out>[] = [];
  let inFlight = 0;

  async function flush(): Promise<void> {
    const members = waiting.splice(0, most);
    inFlight += 1;
    await settle(members, run);
    inFlight -= 1;
    if (waiting.length > 0) void flush();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (inFlight < atOnce) void flush();
    });
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
