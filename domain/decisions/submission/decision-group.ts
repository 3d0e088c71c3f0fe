import type { ProblemDetail } from '../../problem.ts';
import type { Submission } from './submission.ts';

/** The members of a submission that each horizon of a decision group has for itself. */
const OF_HORIZON = ['horizon_kind', 'horizon_value', 'price_targets', 'invalidation', 'confidence'] as const;

export type GroupHorizon = Pick<Submission, (typeof OF_HORIZON)[number]>;

/**
 * The body of a decision group (securities.md 5): a decision without its horizon and what belongs to one, and several
 * horizons. It has one instrument, one direction and one anchor.
 */
export interface GroupSubmission extends Omit<Submission, (typeof OF_HORIZON)[number]> {
  readonly horizons: readonly GroupHorizon[];
}

/** The decisions that a group stands for, in the order of its horizons, each as the body of a submission of its own. */
export function memberSubmissions({ horizons, ...shared }: GroupSubmission): Submission[] {
  return horizons.map((horizon) => ({ ...shared, ...horizon }));
}

/** Horizons that a group has twice. */
export function repeatedHorizons({ horizons }: GroupSubmission): ProblemDetail[] {
  const message = 'Send each horizon once: another one has the same kind and value.';
  const names = new Set<string>();
  return horizons.flatMap(({ horizon_kind, horizon_value }, index) => {
    const known = names.size;
    names.add(`${horizon_kind} ${horizon_value}`);
    if (names.size > known) return [];
    return [{ path: memberPath('horizon_value', index), message, received: horizon_value }];
  });
}

/** Where the body of a group has the member of one of its decisions: `horizons[2].horizon_value`, or `symbol`. */
export function memberPath(path: string, index: number): string {
  return isOfHorizon(path) ? `horizons[${index}].${path}` : path;
}

/** The faults of the body of a group that concern one of its decisions, with the paths that its own body would have. */
export function memberFaults(faults: readonly ProblemDetail[], index: number): ProblemDetail[] {
  return faults.flatMap((fault) => {
    const [, place, rest] = /^horizons\[(\d+)\]\.(.+)$/.exec(fault.path) ?? [];
    if (place === undefined || rest === undefined) return [fault];
    return Number(place) === index ? [{ ...fault, path: rest }] : [];
  });
}

/** The path of a fault as the body of a group writes it, from one with dots alone. */
export function groupPath(path: string): string {
  return path.replace(/^horizons\.(\d+)(?=\.|$)/, 'horizons[$1]');
}

function isOfHorizon(path: string): boolean {
  return OF_HORIZON.some((member) => path === member || path.startsWith(`${member}.`));
}
