/** Runs up to `atOnce` tasks at a time and queues the next `waiting` in order; `refuse` throws for any more. */
export function concurrencyLimit(
  atOnce: number,
  waiting: number,
  refuse: () => never,
): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) running += 1;
    else if (queue.length >= waiting) refuse();
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
