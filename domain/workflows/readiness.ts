import { MOST_DETAILS } from '../problem.ts';
import { edgeFailures } from './edge-checks.ts';
import { flowFailures } from './flow-checks.ts';
import { nodeFailures, wholeFailures } from './node-checks.ts';
import type { ConfigFaults } from './node-template.ts';
import type { ReadinessFailure } from './readiness-failure.ts';
import type { Draft } from './workflow.ts';

export interface Readiness {
  readonly ready: boolean;
  readonly failures: readonly ReadinessFailure[];
}

/**
 * Whether the draft can be published and, if not, everything that prevents it (settled.md section 11). The draft has a
 * valid shape and size: 100 nodes and 300 edges cost some milliseconds, however they are connected.
 */
export function readiness(draft: Draft, configFaults: ConfigFaults): Readiness {
  const failures = [
    ...wholeFailures(draft),
    ...nodeFailures(draft.nodes, configFaults),
    ...edgeFailures(draft),
    ...flowFailures(draft),
  ];
  return { ready: failures.length === 0, failures: failures.slice(0, MOST_DETAILS) };
}
