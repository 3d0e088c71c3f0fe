/** npm sends Ctrl-C again to a process that has received it: two in this many milliseconds are the same one. */
const ONE_SIGNAL = 1_000;

/** Resolves at the first Ctrl-C. The second one ends the demo, and thereby the service, at once. */
export function whenInterrupted(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    let since: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (since !== undefined && Date.now() - since > ONE_SIGNAL) process.exit(130);
        since ??= Date.now();
        resolve('interrupted');
      });
    }
  });
}
