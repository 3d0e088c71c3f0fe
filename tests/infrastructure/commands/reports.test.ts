import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operatorName } from '../../../infrastructure/operator-name.ts';
import { type GradedDatabase, gradedDatabase } from './evidence/graded-database.ts';

let database: GradedDatabase;
beforeAll(async () => {
  database = await gradedDatabase(['BTC']);
});
afterAll(() => database.close());

/** The one JSON object that a report prints. */
async function report(...args: readonly string[]) {
  const { code, output } = await database.admin(...args, '--json');
  return { code, json: JSON.parse(output) };
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('--json prints one object and nothing else', () => {
  test('check-evidence', async () => {
    const audit = { audit_entries: 0, audit_head: null, logs: [] };
    const counts = { records: 1, outcomes: 1, bars: expect.any(Number), snapshots: 0, ...audit };
    expect(await report('check-evidence')).toEqual({ code: 0, json: { ...counts, faults: [], differences: [] } });
    const { json } = await report('check-evidence', '--without-cohorts');
    expect(json).toEqual({ ...counts, faults: [], differences: null });
  });

  test('check-cohorts, with the counts that differ', async () => {
    expect(await report('check-cohorts')).toEqual({ code: 0, json: { differences: [] } });
    expect(await report('check-cohorts', '--rebuild')).toEqual({ code: 0, json: { differences: [] } });
  });

  test('recompute', async () => {
    const [record_id = ''] = database.ids;
    const same = { record_id, kind: 'same', digest: expect.any(String), result_bucket: expect.any(String) };
    const none = { same: 0, different: 0, damaged: 0, impossible: 0 };
    expect(await report('recompute', record_id)).toEqual({ code: 0, json: { ...none, same: 1, outcomes: [same] } });
    expect(await report('recompute', '--all')).toEqual({ code: 0, json: { ...none, same: 1, outcomes: [] } });
    const missing = { record_id: 'dec_20260101_00000000', kind: 'impossible', reason: 'There is no such record.' };
    expect(await report('recompute', missing.record_id)).toEqual({
      code: 1,
      json: { ...none, impossible: 1, outcomes: [missing] },
    });
  });

  test('calendars, with a line for each that ends within 60 days of the clock of the database', async () => {
    const { code, json } = await report('calendars');
    expect(code).toBe(0);
    const { output } = await database.admin('calendars');
    const known: readonly { venues: string[]; until: string; days_left: number }[] = json.calendars;
    expect(known.map(({ venues }) => venues)).toContainEqual(['HKEX']);
    for (const { venues, until, days_left } of known) {
      const line = new RegExp(`The calendar of ${venues.join(', ')} end(s|ed) on ${until}: `);
      expect([venues, line.test(output)]).toEqual([venues, days_left <= 60]);
    }
  });

  test('list-owners, without password hashes', async () => {
    const { code, json } = await report('list-owners');
    expect(code).toBe(0);
    for (const owner of json.owners) {
      expect(Object.keys(owner)).toEqual(['owner_id', 'email', 'role', 'tier', 'created_at', 'suspended_at']);
    }
    expect(json.owners.length).toBeGreaterThan(0);
  });

  test('audit, security-events and delete-owner', async () => {
    const { json } = await report('list-owners');
    const [{ owner_id, email }] = json.owners;
    await database.admin('set-tier', owner_id, 'pro');
    const detail = { tier: 'pro', changed: true };
    const entry = { at: TIME, actor: operatorName(), action: 'set_tier', subject: owner_id, detail };
    expect(await report('audit', '--subject', owner_id)).toEqual({ code: 0, json: { entries: [entry] } });
    const event = { kind: 'tier_changed', result: 'success', owner_id, actor: operatorName(), subject: 'pro' };
    const source = { at: TIME, last_at: TIME, count: 1, request_id: null, network: null, client: 'command_line' };
    expect(await report('security-events', '--owner', owner_id, '--kind', 'tier_changed')).toEqual({
      code: 0,
      json: { events: [{ ...event, ...source }] },
    });
    const plan = {
      owner_id,
      email,
      deleted: false,
      removed: expect.any(Object),
      decisions_kept: 1,
      decisions_erased: 0,
    };
    expect(await report('delete-owner', owner_id)).toEqual({ code: 2, json: plan });
  });

  test('circuits, those never observed as stale', async () => {
    const never = { state: 'normal', since: null, snapshot_id: null, reason: null, peg: null, recovery: null };
    const circuits = ['USDT', 'USDC'].map((coin) => ({ coin, ...never, stale: true }));
    expect(await report('circuits')).toEqual({ code: 1, json: { circuits, monitored: true, auto_trip: true } });
  });

  test('sources', async () => {
    const { code, json } = await report('sources');
    expect([code, json]).toEqual([
      0,
      { bar_files: 0, sources: [], not_reported: expect.any(Array), symbol_files: [], network: true },
    ]);
    expect(json.not_reported).toContainEqual({ source: 'kraken', serves: expect.stringContaining('KRAKEN') });
  });
});

test('a reader that closes early ends the output, not the command: no stack, the same exit code', async () => {
  const { json } = await report('list-owners');
  const [{ owner_id }] = json.owners;
  const program = `"${process.execPath}" --disable-warning=ExperimentalWarning infrastructure/cli.ts`;
  const command = `(${program} export-owner ${owner_id}; echo "code $?" >&2) | true`;
  const child = spawn('/bin/bash', ['-c', command], {
    cwd: join(import.meta.dirname, '..', '..', '..'),
    env: { ...process.env, ...database.environment },
  });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => {
    errors += text;
  });
  await once(child, 'close');
  expect(errors).toBe('code 0\n');
});
