import { ask } from '../kit/ask.ts';
import { h } from '../kit/elements.ts';
import type { WireIdentity } from '../kit/wire.ts';
import { recordLink } from '../records/related-records.ts';

/** The most that the service lists. */
const MOST = 50;

/** The newest public records, with or without retroactive decisions. @throws RefusedRequest */
export async function newestRecords(limit: number, includesRetroactive: boolean): Promise<readonly WireIdentity[]> {
  const { items } = await ask<{ readonly items: readonly WireIdentity[] }>(`/api/v1/public/decisions?limit=${MOST}`);
  const records = items.filter(({ submission_origin }) => includesRetroactive || submission_origin === 'realtime');
  return records.slice(0, limit);
}

export function newestItem(record: WireIdentity): HTMLElement {
  const when = record.submission_origin === 'realtime' ? 'before' : 'after';
  return h('li', {}, recordLink(record), h('span', { class: 'about' }, `stated ${when} the prices were known`));
}
