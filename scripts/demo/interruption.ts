/** npm passes Ctrl-C on to a process that has had it already: within this many milliseconds it is one and the same. */
const ONE_SIGNAL = 1_000;

/** The second Ctrl-C ends the demo at once, and its end the service. */
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
