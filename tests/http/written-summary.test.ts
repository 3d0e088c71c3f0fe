import { expect, test } from '@jest/globals';
import { SUMMARY_WRITER } from '../../adapters/http/routes/agent/read-decisions.ts';
import { agentRecordPage } from '../../adapters/http/shapes/decisions/own-records.ts';
import { listed } from '../../adapters/memory/decisions/owner-records.ts';
import { replyJson } from '../../application/json-text.ts';
import { type ListedDecision, ownSummary } from '../../domain/decisions/own/owner-records.ts';
import { aDecision } from '../builders/decision-records.ts';

const RECORDS: readonly ListedDecision[] = [
  {},
  { lifecycle_state: 'verified', evaluated_at: null, result_bucket: null, facts: null } as const,
  { archived_at: new Date('2026-03-03T00:00:00Z'), archive_reason: 'Half a line \u2028, "more" and ä' },
].map((changes) => listed({ ...aDecision(changes), receipt: {}, grid: null, eval_token: null } as never));

const written = (gaps: readonly (string | null)[], next_cursor: string | null) =>
  Buffer.from(
    SUMMARY_WRITER.writePage(
      RECORDS.map((record, n) => SUMMARY_WRITER.write(record, gaps[n] ?? null)),
      next_cursor,
    ),
  ).toString();

test('a page is written as its schema writes it, also again and with another gap', () => {
  for (const gap of [null, null, 'NO_PRICE_SOURCE: none', 'NO_PRICE_SOURCE: "another"', null]) {
    const items = RECORDS.map((record) => ownSummary(record, gap));
    for (const next_cursor of [null, 'a cursor']) {
      const gaps = RECORDS.map(() => gap);
      expect(written(gaps, next_cursor)).toBe(replyJson(agentRecordPage.parse({ items, next_cursor })));
    }
  }
});

test('a record that has not the form of the reply is not written', () => {
  const [record] = RECORDS;
  expect(() => SUMMARY_WRITER.write({ ...record, archive_reason: 5 } as never, null)).toThrow('against its schema');
});
