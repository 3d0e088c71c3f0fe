/**
 * Makes Ctrl-C and SIGTERM close what a campaign has opened and then end the campaign with exit code 130.
 *
 * @returns what undoes it
 */
export function closeOnSignal(close: () => Promise<unknown>): () => void {
  const stop = () => {
    console.error('Interrupted: cleaning up...');
    void close().finally(() => process.exit(130));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return () => void process.off('SIGINT', stop).off('SIGTERM', stop);
}
