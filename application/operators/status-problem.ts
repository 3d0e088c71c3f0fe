import { rfc3339 } from '../../domain/time.ts';

export const STATUS_PARTS = [
  'disk',
  'processes',
  'jobs',
  'evaluations',
  'names',
  'records',
  'sources',
  'database',
  'log',
  'circuits',
  'webhooks',
  'mails',
  'backups',
  'calendars',
] as const;

/** Something that somebody must act on. */
export interface StatusProblem {
  readonly part: (typeof STATUS_PARTS)[number];
  /** What is wrong, with its figures. */
  readonly problem: string;
  /** What the operator can do. */
  readonly action: string;
  /** The key of the instrument that waits for it, where it is one. */
  readonly instrument?: string;
}

export function problem(part: StatusProblem['part'], text: string, action: string): StatusProblem {
  return { part, problem: text, action };
}

/** A time in the text of a problem, to the second. */
export function second(at: Date | null): string {
  return at === null ? 'an unknown time' : `${rfc3339(at).slice(0, 19)}Z`;
}

/** Such as `a, b and c`. */
export function listed(all: readonly string[]): string {
  const [last = '', ...others] = all.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
}
