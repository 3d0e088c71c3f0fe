import { createHmac } from 'node:crypto';
import type { CohortFilter } from '../../domain/cohorts/cohort-filter.ts';
import type { CohortReader } from '../../domain/cohorts/cohort-reader.ts';
import { type OwnerShare, ownerShare, shareSize } from '../../domain/cohorts/owner-share.ts';
import { derivedKey, type SecretValues } from '../derived-key.ts';
import type { Settings } from '../ports.ts';

/**
 * The share of the largest owner of a cohort that may be shown (settled.md section 14); null where none is shown, and
 * when so many records have ceased to be public since they were counted that the sample is not full.
 */
export async function readOwnerShare(
  cohorts: Pick<CohortReader, 'largestOwner'>,
  filter: CohortFilter,
  { samples, moment }: { readonly samples: number; readonly moment: string },
  { wisdom, sessionSecret }: Pick<Settings, 'wisdom' | 'sessionSecret'>,
): Promise<OwnerShare | null> {
  const size = shareSize(filter, samples, wisdom.minSamples);
  if (size === null) return null;
  const largest = await cohorts.largestOwner(filter, moment, size);
  if (largest === null) return null;
  // One owner is enough to show a cohort: nothing is protected.
  const lean = wisdom.minProducers > 1 ? leanOf(largest.sample, sessionSecret) : 0;
  return ownerShare(largest.records, size, lean);
}

/** Evenly spread from -1 to 1, and the same for the same records, so that repeated queries show no more. */
export function leanOf(sample: string, secret: SecretValues): number {
  const mac = createHmac('sha256', derivedKey(secret, 'largest owner share')).update(sample).digest();
  return mac.readUInt32BE() / 2 ** 31 - 1;
}
