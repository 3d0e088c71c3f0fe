/** Runs up to `atOnce` pieces of work at a time, the others in their order; `refuse` throws to those beyond `waiting`. */
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
      const heir = queue.shift();
      if (heir) heir();
      else running -= 1;
    }
  };
}
