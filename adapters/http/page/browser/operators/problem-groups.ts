import type { Schemas } from '../kit/schemas.ts';

type Problem = Schemas['ServiceStatus']['problems'][number];

/** Problems of one part with one thing to do. */
export interface ProblemGroup {
  readonly part: Problem['part'];
  /** Whether the service does not do its work, or may lose something, meanwhile. */
  readonly isUrgent: boolean;
  readonly texts: readonly string[];
  readonly action: string;
  /** The keys of those that are to be verified again. */
  readonly instruments: readonly string[];
}

const URGENT: readonly Problem['part'][] = ['disk', 'processes', 'jobs', 'records', 'database', 'log'];

/** Urgent ones first, else in their order; equal ones as one. */
export function problemGroups(problems: readonly Problem[]): readonly ProblemGroup[] {
  const alike = [...Map.groupBy(problems, ({ part, action }) => `${part} ${action}`).values()];
  const groups = alike.flatMap((those) => {
    const [first] = those;
    if (first === undefined) return [];
    const { part, action } = first;
    const texts = those.map(({ problem }) => problem);
    const instruments = those.flatMap(({ instrument }) => instrument ?? []);
    return [{ part, isUrgent: URGENT.includes(part), texts, action, instruments }];
  });
  return groups.toSorted((a, b) => Number(b.isUrgent) - Number(a.isUrgent));
}
