import { EVAL_1 } from './eval-1.ts';
import { EVAL_2 } from './eval-2.ts';
import type { EvaluationMethod } from './evaluation.ts';

/** The method of decisions that are received now. */
export const METHOD_OF_NEW_RECORDS: EvaluationMethod = EVAL_2;

/**
 * The method of a record, by its name; undefined for one that this version does not know: such a record is left to a
 * version that does.
 */
export function methodNamed(name: string): EvaluationMethod | undefined {
  return METHODS.get(name);
}

const METHODS: ReadonlyMap<string, EvaluationMethod> = new Map([EVAL_1, EVAL_2].map((method) => [method.name, method]));

/** The methods that this version grades by. It does not claim a record of another method. */
export const KNOWN_METHODS: readonly string[] = [...METHODS.keys()];
