/** A question that was asked of the data, and the p of its answer. */
export interface AskedQuestion {
  /** Whatever names it, such as its query: the same text is the same question. */
  readonly question: string;
  /** From 0 to 1. */
  readonly p: number;
}

export interface JudgedQuestion extends AskedQuestion {
  /** The smallest rate at which it would be found. */
  readonly adjusted: number;
  /** Whether `adjusted` is at most the rate. */
  readonly found: boolean;
}

/**
 * Which of several questions have an answer that is more than chance, if at most a part `rate` of those found may be
 * false on average: Y. Benjamini, Y. Hochberg, "Controlling the False Discovery Rate" (1995). Give every question that was
 * asked, also those whose answer was disappointing. One that was asked several times counts once, with its largest p: to
 * ask again until the answer is better finds nothing. In the order in which each was given first.
 * @param rate more than 0, less than 1
 * @throws RangeError
 */
export function benjaminiHochberg(questions: readonly AskedQuestion[], rate = 0.05): readonly JudgedQuestion[] {
  if (!(rate > 0 && rate < 1)) throw new RangeError('rate must be between 0 and 1.');
  const largest = new Map<string, number>();
  for (const { question, p } of questions) {
    if (!(p >= 0 && p <= 1)) throw new RangeError(`${p} is no p of a question: it must be from 0 to 1.`);
    largest.set(question, Math.max(p, largest.get(question) ?? 0));
  }
  const adjusted = new Map<string, number>();
  let least = 1;
  const descending = [...largest].toSorted(([, a], [, b]) => b - a);
  for (const [i, [question, p]] of descending.entries()) {
    least = Math.min(least, (p * largest.size) / (largest.size - i));
    adjusted.set(question, least);
  }
  return [...largest].map(([question, p]) => {
    const value = adjusted.get(question) ?? 1;
    return { question, p, adjusted: value, found: value <= rate };
  });
}
