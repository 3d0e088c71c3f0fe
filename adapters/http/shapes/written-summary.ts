import type { SummaryWriter } from '../../../application/decisions/list-own-records.ts';
import { jsonOf } from '../../../application/json-text.ts';
import { ownSummary } from '../../../domain/decisions/own-summary.ts';
import type { ListedDecision } from '../../../domain/decisions/owner-records.ts';
import { checkedBy } from '../kit/reply/checked-value.ts';
import { agentSummary } from './own-records.ts';

const checked = checkedBy(agentSummary, 'A record in a list');

/** The texts of records that are still in use. */
const written = new WeakMap<ListedDecision, { readonly gap: string | null; readonly text: string }>();

/** Writes pages of an agent's own records. */
export const SUMMARY_WRITER: SummaryWriter = {
  write(record, gap) {
    const before = written.get(record);
    if (before?.gap === gap) return before.text;
    const text = jsonOf(checked(ownSummary(record, gap)));
    written.set(record, { gap, text });
    return text;
  },
  writePage: (items, next_cursor) => `{"items":[${items.join(',')}],"next_cursor":${jsonOf(next_cursor)}}`,
};
