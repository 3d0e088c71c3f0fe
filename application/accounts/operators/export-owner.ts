import type { AccountData } from '../../../domain/accounts/owner-data.ts';
import { countedReading, type Decision, receivedReading } from '../../../domain/decisions/decision.ts';
import { readable } from '../../../domain/decisions/views/record-fault.ts';
import { JsonText } from '../../json-text.ts';
import type { Ports } from '../../ports.ts';
import { ownerNamed } from './list-accounts.ts';

export interface OwnerExport extends AccountData {
  readonly owner_id: string;
  readonly exported_at: Date;
}

const PAGE = 100;

/**
 * Everything that is stored about an owner except their records, for a data request (settled.md section 8).
 * @param named an owner_id, or the email of a password account
 * @throws Problem NOT_FOUND
 */
export async function exportOwner(
  { owners, ownerData, clock }: Pick<Ports, 'owners' | 'ownerData' | 'clock'>,
  named: string,
): Promise<OwnerExport> {
  const { owner_id } = await ownerNamed({ owners }, named);
  const account = await ownerData.account(owner_id);
  return { owner_id, exported_at: await clock.now(), ...(account ?? { rows: {}, records: 0 }) };
}

/** The owner's records with everything that is known of each, a page at a time, in the order of submission. */
export function exportRecords(
  { decisions, ownerData }: Pick<Ports, 'decisions' | 'ownerData'>,
  owner_id: string,
): AsyncGenerator<readonly Decision[]> {
  return recordPages(ownerData, owner_id, (ids) => decisions.find(ids, owner_id));
}

/** The same as `find` reads them. */
export async function* recordPages<Found extends Pick<Decision, 'record_id'>>(
  ownerData: Ports['ownerData'],
  owner_id: string,
  find: (record_ids: readonly string[]) => Promise<readonly Found[]>,
): AsyncGenerator<readonly Found[]> {
  for (let after: string | null = null; ; ) {
    const ids = await ownerData.recordIds(owner_id, after, PAGE);
    const last = ids.at(-1);
    if (last === undefined) return;
    const found = await find(ids);
    const records = new Map(found.map((record) => [record.record_id, record]));
    yield ids.flatMap((id) => records.get(id) ?? []);
    after = last;
  }
}

/** What can be read of the record, for `jsonOf`: as it was received, with `meta` as the text that was sent. */
export function exportedRecord(stored: Decision): object {
  const record = asReceived(readable(stored, 'owner'));
  const { meta, ...submission } = record.submission;
  return meta === undefined ? record : { ...record, submission: { ...submission, meta: new JsonText(meta) } };
}

/** With what the receipt says, and apart from that what the record counts as since. */
function asReceived(record: ReturnType<typeof readable>) {
  const { received_symbol, received_cohort_key, counted_since, wrong_security, ...others } = record;
  const wrong = wrong_security ? { wrong_security } : {};
  return { ...others, ...receivedReading(record), ...countedReading(record), ...wrong };
}
