import type { SummaryWriter } from '../../../../application/decisions/list-own-records.ts';
import { replyJson } from '../../../../application/json-text.ts';
import { ownSummary } from '../../../../domain/decisions/own/own-summary.ts';
import type { ListedDecision } from '../../../../domain/decisions/own/owner-records.ts';
import { checkedBy } from '../../kit/reply/checked-value.ts';
import { agentSummary } from './own-records.ts';

const checked = checkedBy(agentSummary, 'A record in a list');

/** The texts of records that are still in use, in UTF-8: a page of strings takes twice as long to send. */
const written = new WeakMap<ListedDecision, { readonly gap: string | null; readonly text: Buffer }>();

/** Writes pages of an agent's own records. */
export const SUMMARY_WRITER: SummaryWriter = {
  write(record, gap) {
    const before = written.get(record);
    if (before?.gap === gap) return before.text;
    const text = Buffer.from(replyJson(checked(ownSummary(record, gap))));
    written.set(record, { gap, text });
    return text;
  },
  writePage(items, next_cursor) {
    const separated = items.flatMap((item, n) => (n === 0 ? [item] : [COMMA, item]));
    return Buffer.concat([BEGIN, ...separated, Buffer.from(`],"next_cursor":${replyJson(next_cursor)}}`)]);
  },
};

const BEGIN = Buffer.from('{"items":[');
const COMMA = Buffer.from(',');
