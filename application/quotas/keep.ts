import { Problem } from '../../domain/problem.ts';
import { type KeptKind, type KeptRefusal, mostOfNetwork, mostOfOwner } from '../../domain/quotas/pools.ts';
import { nextUtcDay, rfc3339, SECOND } from '../../domain/time.ts';
import type { Settings, Stores } from '../ports.ts';
import { networkHash, type SecretValues } from '../sealed-secret.ts';
import { sha256 } from '../sha256.ts';

/** Who keeps something. */
export interface Keeper {
  readonly owner_id: string;
  /** As addresses are counted; stored as a keyed hash. */
  readonly network: string;
}

export type KeptSettings = Pick<Settings, 'limits' | 'sessionSecret'>;

/**
 * Counts something that the transaction keeps for ever against the day of the owner and of the network. The transaction must
 * end with the refusal.
 * @throws Problem DAILY_QUOTA_EXCEEDED
 */
export async function keep(
  { kept }: Pick<Stores, 'kept'>,
  { limits, sessionSecret }: KeptSettings,
  { owner_id, network }: Keeper,
  kind: KeptKind,
  { rows = 1, bytes = 0 }: { readonly rows?: number; readonly bytes?: number } = {},
): Promise<void> {
  const subjects = [
    { hash: sha256('kept by an owner', owner_id), most: mostOfOwner(kind, limits) },
    { hash: keptNetwork(sessionSecret, network), most: mostOfNetwork(kind, limits) },
  ];
  const refusal = await kept.keep({ kind, rows, bytes, subjects });
  if (refusal) throw refused(kind, refusal, refusal.subject === subjects[0], { rows, bytes });
}

/** The subject of what a network keeps: the same hash for each of its submissions, so the last ones are remembered. */
export function keptNetwork(secret: SecretValues, network: string): Uint8Array {
  const named = `${typeof secret === 'string' ? secret : secret[0]} ${network}`;
  const known = hashes.get(named);
  if (known) return known;
  const hash = sha256('kept by a network', networkHash(secret, network));
  if (hashes.size >= REMEMBERED) hashes.clear();
  hashes.set(named, hash);
  return hash;
}

const hashes = new Map<string, Uint8Array>();
const REMEMBERED = 1_000;

const NAMES: Readonly<Record<KeptKind, string>> = {
  publication: 'publications of workflows',
  acceptance: 'acceptances of the terms',
  account_change: 'changes of keys, agents and webhooks',
  note: 'notes',
  plan: 'plans',
  backtest_row: 'rows of back-tests',
};

function refused(
  kind: KeptKind,
  { subject: { most }, used, at }: KeptRefusal,
  isOwner: boolean,
  more: { readonly rows: number; readonly bytes: number },
): Problem {
  const midnight = nextUtcDay(at.getTime());
  const inBytes = used.rows + more.rows <= most.rows;
  const limit = inBytes ? `${most.bytes} bytes of` : `${most.rows}`;
  const today = inBytes
    ? `${used.bytes} bytes are kept today, and this one has ${more.bytes}`
    : `${used.rows} were kept today`;
  const whose = isOwner ? 'An account' : 'A network';
  const message = `${whose} may keep ${limit} ${NAMES[kind]} in a UTC day; ${today}.`;
  return new Problem('DAILY_QUOTA_EXCEEDED', message, {
    retry_after_seconds: (midnight - at.getTime()) / SECOND,
    suggestion: `Wait until ${rfc3339(midnight)}, or ask the operator for a larger limit.`,
  });
}
