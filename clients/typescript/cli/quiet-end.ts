/** A reader such as `head` may close its end early: nothing is left to do then, and nothing to complain about. */
export function endQuietly(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
