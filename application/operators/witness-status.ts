import type { LogPolicy } from '../../domain/log/notes/policy.ts';
import type { Storage } from '../ports.ts';

/** What a witness of the operator's policy last said of the newest log. */
export interface PolicyWitness {
  /** As the policy names it. */
  readonly witness: string;
  /** null: it has cosigned nothing. */
  readonly cosigned_at: Date | null;
  /** The leaves that it cosigned last. */
  readonly size: number;
  /** Whether it has said since that it knows another tree than ours, or a larger one. */
  readonly refused: boolean;
}

/** Every witness of the policy; none without a policy. */
export async function witnessStatus(
  { log, signatures }: Pick<Storage, 'log' | 'signatures'>,
  policy: LogPolicy | null,
): Promise<readonly PolicyWitness[]> {
  if (policy === null) return [];
  const newest = await log.newest();
  const reports = newest === null ? [] : await signatures.reports(newest.log);
  return policy.witnesses.map(({ name, key }) => {
    const report = reports.find((each) => each.name === key.name && each.id === key.id);
    const { cosigned_at = null, size = 0, refused = false } = report ?? {};
    return { witness: name, cosigned_at, size, refused };
  });
}
