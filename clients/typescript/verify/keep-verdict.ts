/** A reader such as `head` may close its end early: the exit code is the verdict all the same. */
export function keepVerdict(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
