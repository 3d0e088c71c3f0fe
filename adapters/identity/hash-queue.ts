import { type HashTurn, URGENCY } from '../../domain/accounts/sign-in/password.ts';

export interface HashQueueLimits {
  readonly atOnce: number;
  readonly waiting: number;
  /** Places, running or waiting, of one owner. */
  readonly ofOwner: number;
  /** Places of one network for one purpose. */
  readonly ofNetwork: number;
}

export interface HashQueueRefusals {
  /** Throws for work of an owner or network that has all its places. */
  readonly tooManyOfOne: () => never;
  /** Throws when the queue is full of work that goes before this one. */
  readonly full: () => never;
}

/**
 * Runs up to `atOnce` tasks at a time. The others wait by urgency; among equals, the first of each network goes before
 * the second of any. A full queue gives up its last task for one that goes before it.
 */
export function hashQueue(
  limits: HashQueueLimits,
  { tooManyOfOne, full }: HashQueueRefusals,
): <T>(work: () => Promise<T>, turn: HashTurn | undefined) => Promise<T> {
  const places = new Map<string, number>();
  const waiting: Waiting[] = [];
  let running = 0;

  return async (work, turn) => {
    const holders = turn ? holdersOf(turn, limits) : [];
    if (holders.some(({ name, most }) => (places.get(name) ?? 0) >= most)) tooManyOfOne();
    for (const { name } of holders) places.set(name, (places.get(name) ?? 0) + 1);
    try {
      if (running < limits.atOnce) running += 1;
      else await place(turn);
      return await run(work);
    } finally {
      for (const { name } of holders) leave(places, name);
    }
  };

  function place(turn: HashTurn | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const urgency = turn ? URGENCY.indexOf(turn.purpose) : -1;
    const network = turn?.network ?? '';
    const round = waiting.filter((each) => each.urgency === urgency && each.network === network).length;
    const before = waiting.findIndex(
      (each) => each.urgency > urgency || (each.urgency === urgency && each.round > round),
    );
    if (waiting.length >= limits.waiting && before < 0) full();
    waiting.splice(before < 0 ? waiting.length : before, 0, { urgency, network, round, begin: resolve, end: reject });
    if (waiting.length > limits.waiting) refuse(waiting.pop());
    return promise;
  }

  function refuse(last: Waiting | undefined): void {
    try {
      full();
    } catch (refusal) {
      last?.end(refusal);
    }
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next.begin();
      else running -= 1;
    }
  }
}

interface Waiting {
  readonly urgency: number;
  readonly network: string;
  /** How many of the same network and urgency waited when it came. */
  readonly round: number;
  readonly begin: () => void;
  readonly end: (refusal: unknown) => void;
}

function holdersOf({ purpose, network, owner_id }: HashTurn, { ofOwner, ofNetwork }: HashQueueLimits) {
  const client = { name: `${purpose} ${network}`, most: ofNetwork };
  return owner_id === undefined ? [client] : [client, { name: `owner ${owner_id}`, most: ofOwner }];
}

function leave(places: Map<string, number>, name: string): void {
  const left = (places.get(name) ?? 0) - 1;
  if (left > 0) places.set(name, left);
  else places.delete(name);
}
