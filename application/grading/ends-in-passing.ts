import type { EvaluationEnd } from '../../domain/decisions/evaluation-store.ts';
import type { Ports } from '../ports.ts';

/** Writes the ends of evaluations while others continue. */
export interface EndsInPassing {
  /** Never waits, and never throws: false after a fault, which `finish` throws. Then nothing more is written. */
  add(ends: readonly EvaluationEnd[]): boolean;
  /** How many ended, once all of them have been tried. */
  finish(): Promise<number>;
}

/**
 * Ends are written at once when no write is under way, and otherwise together with all that arrive meanwhile: no end
 * waits for a slow source, and a busy sweep pays for few transactions.
 */
export function endsInPassing({ evaluations, clock }: Pick<Ports, 'evaluations' | 'clock'>): EndsInPassing {
  let waiting: EvaluationEnd[] = [];
  let ended = 0;
  let writing: Promise<void> | null = null;
  let fault: { readonly error: unknown } | null = null;

  // Returns in the very moment in which it finds nothing left, so that a later addition starts it anew.
  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const together = waiting;
        waiting = [];
        ended += (await evaluations.endEvaluations(together, await clock.now())).length;
      }
    } catch (error) {
      fault = { error };
    } finally {
      writing = null;
    }
  }

  return {
    add(ends) {
      if (fault !== null) return false;
      waiting.push(...ends);
      if (ends.length > 0) writing ??= write();
      return true;
    },
    async finish() {
      while (writing !== null) await writing;
      if (fault !== null) throw fault.error;
      return ended;
    },
  };
}
