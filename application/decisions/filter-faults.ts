import { type InstrumentQuery, type MarketSymbol, symbolsMeant } from '../../domain/decisions/own/record-filter.ts';
import { Problem, type ProblemDetail } from '../../domain/problem.ts';

/**
 * The symbols that match a filter; null when it names none.
 * @throws Problem VALIDATION_ERROR for an impossible symbol
 */
export function symbolsOf(query: InstrumentQuery): readonly MarketSymbol[] | null {
  const meant = symbolsMeant(query);
  if (meant !== null && 'path' in meant) throw filterProblem(meant);
  return meant;
}

/**
 * @param end the parameter that ends the range
 * @throws Problem VALIDATION_ERROR when nothing can be in the range
 */
export function refuseEmptyRange(isEmpty: boolean, end: string, message: string): void {
  if (isEmpty) throw filterProblem({ path: end, message });
}

/** 400; queries of cohorts return 422. */
export function filterProblem(fault: ProblemDetail): Problem {
  return new Problem('VALIDATION_ERROR', `${fault.path} ${fault.message}.`, { details: [fault] });
}
