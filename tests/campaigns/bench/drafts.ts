import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { submissionRow } from '../../../adapters/postgres/decisions/decision-intake.ts';
import { sha256Hex } from '../../../application/sha256.ts';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import type { Caller } from '../stage/callers.ts';
import { submissionOf } from '../stage/submission.ts';
import { admittedDraft } from './admitted-draft.ts';
import { CALL_SQL } from './calls.ts';

/** Placeholders for what differs between the drafts of two calls. Each occurs only where it is to be replaced. */
const MARKS = {
  owner_id: '00000000-0000-0000-0000-000000000000',
  agent_id: 'agt_@',
  key_prefix: 'sbk_@',
  symbol: 'MARKED',
  direction: 'bullish',
  idempotency_key: 'key-@',
} as const;

/**
 * `bench.draft(number, suffix)` returns the batch of `app.submit_batch` that the service would send for a call, so that
 * pgbench runs the same statement with the same variety. Filling in the text takes microseconds, the statement hundreds.
 */
export function draftFunction(agents: readonly Caller[], at: Date, submitsPerHour: number): string {
  const of = (field: 'owner_id' | 'agent_id' | 'key_prefix') =>
    `(array['${agents.map((agent) => agent[field]).join("','")}'])[${CALL_SQL.agent} + 1]`;
  const values = [
    of('owner_id'),
    of('agent_id'),
    of('key_prefix'),
    CALL_SQL.symbol,
    `lower(${CALL_SQL.symbol})`,
    CALL_SQL.direction,
    `case when number % 2 = 0 then '"bench-' || number || '"' else 'null' end`,
    'suffix',
    '(select coalesce(max(n.id), 0) from app.names n)',
  ];
  return `create function bench.draft(number bigint, suffix text) returns jsonb language sql
    as $draft$ select format($text$${draftText(at, submitsPerHour)}$text$, ${values.join(', ')})::jsonb $draft$`;
}

function draftText(at: Date, submitsPerHour: number): string {
  const { suffix, ...row } = submissionRow(markedDraft(at, submitsPerHour), 0);
  return JSON.stringify([{ ...row, suffix: 'SUFFIX' }])
    .replaceAll('%', '%%')
    .replaceAll(MARKS.owner_id, '%1$s')
    .replaceAll(MARKS.agent_id, '%2$s')
    .replaceAll(MARKS.key_prefix, '%3$s')
    .replaceAll(MARKS.symbol, '%4$s')
    .replaceAll(MARKS.symbol.toLowerCase(), '%5$s')
    .replaceAll(MARKS.direction, '%6$s')
    .replaceAll(`"${MARKS.idempotency_key}"`, '%7$s')
    .replaceAll('SUFFIX', '%8$s')
    .replace('"names":0', '"names":%9$s');
}

function markedDraft(at: Date, submitsPerHour: number) {
  const { symbol, direction, idempotency_key: key, ...agent } = MARKS;
  const { meta, ...rest } = submissionOf({ symbol, direction }, at);
  const submission = { ...rest, meta: JSON.stringify(meta) };
  const canonical = canonicalJson(submission);
  const request = { submission, canonical, idempotency: { key, fingerprint: sha256Hex(canonical) }, network: '' };
  return admittedDraft(agent, request, { ...CONTRACT_LIMITS, submitsPerHour }, at);
}
