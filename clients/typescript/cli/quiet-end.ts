import { keepVerdict } from '../verify/keep-verdict.ts';

/**
 * A reader such as `head` may close its end early: nothing is left to do then, and nothing to complain about. The verifier
 * still has its verdict to come to.
 */
export function endQuietly(verb = ''): void {
  if (verb === 'verify') keepVerdict();
  else
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(0);
    });
}
