export type { ProblemDetail as Fault } from './problem.ts';
