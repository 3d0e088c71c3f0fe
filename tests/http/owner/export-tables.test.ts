import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { ownExports } from '../../../application/accounts/export-own-data.ts';
import { COMMAND_LINE } from '../../../domain/accounts/security-event.ts';
import { OWN_DECISION_COLUMNS } from '../../../domain/decisions/own/own-columns.ts';
import type { ColumnKind } from '../../../domain/table.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import { csvOf, type DuckRow, duckRows, quoted } from '../../harness/duckdb.ts';
import { logAll } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn } from '../../harness/sessions.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';

const PATH = '/api/v1/owner/export';
const TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'VARCHAR',
  json: 'VARCHAR',
  integer: 'INTEGER',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  time: 'TIMESTAMPTZ',
};
const COLUMNS = Object.fromEntries(OWN_DECISION_COLUMNS.map(({ name, kind }) => [name, TYPES[kind]]));

// biome-ignore lint/suspicious/noExplicitAny: a decision as the JSON lines have it.
type Json = any;

/** Where the JSON lines have what a column has, for those that are not a member of the same name. */
const ELSEWHERE: Readonly<Record<string, (decision: Json) => unknown>> = {
  created_regime: ({ created_regime: regime }) => regime?.label,
  created_regime_vol: ({ created_regime: regime }) => regime?.vol,
  created_regime_trend: ({ created_regime: regime }) => regime?.trend,
  workflow_ref: () => null,
  log_index: ({ log }) => log?.index,
  log_outcome_index: ({ log }) => log?.outcome_index,
  model_id: ({ submission }) => submission.model?.id,
  model_knowledge_cutoff: ({ submission }) => submission.model?.knowledge_cutoff,
  entry_time: ({ facts }) => facts?.entry.time,
  entry_price: ({ facts }) => facts?.entry.price,
  exit_time: ({ facts }) => facts?.exit.time,
  exit_price: ({ facts }) => facts?.exit.price,
  mfe: ({ facts }) => facts?.mfe?.value,
  mae: ({ facts }) => facts?.mae.value,
  // By the price: the direction of a bearish decision turns it.
  move_z: ({ direction, facts }) => facts && (direction === 'bearish' ? -facts.z : facts.z),
};

function cellOf({ name, kind }: { readonly name: string; readonly kind: ColumnKind }, decision: Json): unknown {
  const { submission, facts } = decision;
  const value = (ELSEWHERE[name]?.(decision) ?? decision[name] ?? submission[name] ?? facts?.[name]) as unknown;
  if (value === undefined || value === null) return null;
  if (kind === 'time') return new Date(String(value));
  return kind === 'json' ? JSON.stringify(value) : value;
}

describe.each(STORAGES)("an owner's export as a table on %s", (storage) => {
  const folder = makeThrowawayFolder('export-tables');
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
  });
  afterAll(async () => {
    removeThrowawayFolder(folder);
    await service.close();
  });

  const get = (cookie: string, format: string) =>
    request(service.app).get(`${PATH}?format=${format}`).set({ cookie }).responseType('arraybuffer');

  async function decisionsOf(cookie: string): Promise<readonly Json[]> {
    const lines = (await get(cookie, 'jsonl')).body.toString().trimEnd().split('\n');
    return lines
      .map((line: string) => JSON.parse(line))
      .flatMap((line: Json) => (line.type === 'decision' ? [line.decision] : []));
  }

  async function saved(cookie: string, format: 'csv' | 'parquet', type: string): Promise<string> {
    const { status, headers, body } = await get(cookie, format);
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(headers['content-disposition']).toBe(`attachment; filename="stancebook-export.${format}"`);
    const path = join(folder, `export.${format}`);
    writeFileSync(path, body);
    return path;
  }

  const unmarked = (row: DuckRow) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [
        name,
        typeof cell === 'string' && cell.startsWith("'") ? cell.slice(1) : cell,
      ]),
    );

  test('has the rows of the JSON lines in their order, as CSV and as Parquet, and nothing of others', async () => {
    const owner = await anOwnerLoggedIn(service);
    const [agent, other] = [await anAgentAt(service, { mate: owner }), await anAgentAt(service)];
    const rich = {
      confidence: 0.7,
      tags: ['a', 'b'],
      inputs: [{ kind: 'code', name: 'agent.py', sha256: '5c'.repeat(32) }],
      model: { id: 'model-1', knowledge_cutoff: '2016-01-01' },
      key_factors: ['one', { factor: 'two', weight: 0.5 }],
      price_targets: { entry: 100, targets: [{ price: 5_000 }], stop_loss: { price: 10, kind: 'hard' } },
      reference_price: 1_700,
    };
    await agent.submit({ ...aPastCall(9), summary: '=HYPERLINK("x"),\r\nnot a formula', meta: { n: 1.5 }, ...rich });
    await agent.submit({ ...aPastCall(8), direction: 'bearish', summary: "'quoted" });
    await other.submit(aPastCall(7));
    await service.settle();
    await logAll(service);
    await service.arrange.advance(1_000);
    await agent.submit(aPastCall(6));
    await service.arrange.advance(1_000);
    const decisions = await decisionsOf(owner.cookie);
    expect(decisions.map(({ lifecycle_state }) => lifecycle_state).slice(0, 2)).toEqual(['evaluated', 'evaluated']);
    expect(decisions).toHaveLength(3);
    const rows = decisions.map((decision) =>
      Object.fromEntries(OWN_DECISION_COLUMNS.map((column) => [column.name, cellOf(column, decision)])),
    );
    const parquet = await saved(owner.cookie, 'parquet', 'application/vnd.apache.parquet');
    expect(await duckRows(`select * from read_parquet(${quoted(parquet)})`)).toEqual(rows);
    const csv = await saved(owner.cookie, 'csv', 'text/csv; charset=utf-8; header=present');
    expect((await duckRows(`select * from ${csvOf(csv, COLUMNS)}`)).map(unmarked)).toEqual(rows);
    // No column is empty by mistake: only these are, for these decisions.
    const empty = OWN_DECISION_COLUMNS.filter(({ name }) => rows.every((row) => row[name] === null));
    expect(empty.map(({ name }) => name)).toEqual([
      ...['group_id', 'group_place', 'group_of'],
      ...['perspective_type', 'last_error', 'archived_at', 'archive_reason', 'quarantine_reason', 'workflow_ref'],
      ...['isolation_snapshot_id', 'invalidation', 'execution_info', 'service_interaction', 'related_records'],
      ...['night_leap', 'market_move', 'fault'],
      ...['counted_symbol', 'counted_cohort_key', 'counted_since', 'wrong_security'],
    ]);
  });

  test('is cut off without its end when the account is removed meanwhile', async () => {
    const owner = await anOwnerLoggedIn(service);
    await (await anAgentAt(service, { mate: owner })).submit(aPastCall(9));
    await service.arrange.advance(1_000);
    for (const format of ['csv', 'parquet'] as const) {
      const pieces = ownExports(service.ports)({
        owner_id: owner.owner_id,
        format,
        source: COMMAND_LINE,
        network: '192.0.2.1',
      });
      if (format === 'csv') await pieces.next();
      await service.operators.ownerAdministration.remove(owner.owner_id);
      await expect(pieces.next()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});
