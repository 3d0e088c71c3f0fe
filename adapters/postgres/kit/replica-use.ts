/**
 * Why the primary answered a read that a replica might have: this process does not know a position of the
 * primary's log yet, the replica is not used for a while after trouble, it did not get there in time, it follows another
 * primary (or none), or it failed.
 */
const DETOURS = ['unheard', 'paused', 'behind', 'other_timeline', 'failed'] as const;
export type Detour = (typeof DETOURS)[number];

/** What became of the reads of this process that may go to a replica. */
export interface ReplicaUse {
  /** By who answered and, where it was the primary, why; those that were ended because they took too long are left out. */
  reads(): readonly ReadsCounted[];
  /** Bytes of the primary's log that the replica has not replayed; null where that cannot be found out within a second. */
  lag(): Promise<number | null>;
}

export interface ReadsCounted {
  readonly answered_by: 'replica' | 'primary';
  readonly reason: Detour | 'up_to_date';
  readonly count: number;
}

export function replicaTally() {
  let byReplica = 0;
  const byPrimary = new Map<Detour, number>(DETOURS.map((reason) => [reason, 0]));
  return {
    replica(): void {
      byReplica += 1;
    },
    primary(reason: Detour): void {
      byPrimary.set(reason, (byPrimary.get(reason) ?? 0) + 1);
    },
    reads: (): readonly ReadsCounted[] => [
      { answered_by: 'replica', reason: 'up_to_date', count: byReplica },
      ...[...byPrimary].map(([reason, count]) => ({ answered_by: 'primary' as const, reason, count })),
    ],
  };
}
