/** Works the items off, at most `atOnce` at a time, in order. The first error stops it, once what is under way has ended. */
export async function eachOf<T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    for (let next = rest.next(); !next.done && !failed; next = rest.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
