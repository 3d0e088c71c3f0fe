import { EVAL_1 } from './eval-1.ts';
import { EVAL_2 } from './eval-2.ts';
import type { EvaluationMethod } from './evaluation.ts';
import type { MethodName } from './method-facts.ts';

/** The newest method. Records are graded by `eval/1` until the method is stored at their receipt. */
export const METHOD_OF_NEW_RECORDS: MethodName = EVAL_2.name;

/**
 * The method of a record, by its name; undefined for one that this version does not know: such a record is left to a
 * version that does.
 */
export function methodNamed(name: string): EvaluationMethod | undefined {
  return METHODS.get(name);
}

const METHODS: ReadonlyMap<string, EvaluationMethod> = new Map([EVAL_1, EVAL_2].map((method) => [method.name, method]));
