import type { Submission } from '../../decisions/submission/submission.ts';
import { statedFactors } from './public-statement.ts';

/**
 * What remains of the statement of a decision whose owner was erased: what its leaf is verified with besides the record,
 * and nothing that only the owner saw. There is no salt any more.
 */
export interface ErasedStatement {
  readonly body: {
    /** As others see them. */
    readonly key_factors: ReturnType<typeof statedFactors>;
  };
  readonly erased: true;
  /** `producerDigest`, hex. */
  readonly producer: string;
}

/** @param producer the digest that the decision has, hex */
export function erasedStatement({ key_factors }: Pick<Submission, 'key_factors'>, producer: string): ErasedStatement {
  return { body: { key_factors: statedFactors(key_factors) }, erased: true, producer };
}

/** The producer of an erased statement; null for any other text. */
export function erasedProducer(statement: string): string | null {
  return /"producer": ?"([0-9a-f]{64})"/.exec(statement)?.[1] ?? null;
}
