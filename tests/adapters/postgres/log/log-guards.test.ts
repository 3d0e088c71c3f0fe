import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { MINUTE } from '../../../../domain/time.ts';
import { aDraft, anAgent, aSubmission, NO_LIMITS, receiptOf } from '../../../builders/decisions.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { keptLog, sequence } from '../../../harness/kept-logs.ts';

let opened: OpenedDatabase;
beforeAll(async () => {
  opened = await onPostgres(4);
});
afterAll(() => opened.close());

async function submit(): Promise<string> {
  const { storage } = opened;
  const now = await storage.clock.now();
  const draft = aDraft(await anAgent(storage), now, aSubmission(now), { limits: NO_LIMITS });
  return receiptOf(await storage.intake.submit(draft)).record_id;
}

async function tick(): Promise<number> {
  await opened.arrange.advance(2 * MINUTE);
  return sequence(opened.storage);
}

test('what another session has not committed when the log starts is not lost, and in its order', async () => {
  const record_id = await submit();
  const other = new pg.Client(opened.url);
  await other.connect();
  await other.query('begin');
  await other.query(`update app.decisions set lifecycle_state = 'rejected', due_at = null where record_id = $1`, [
    record_id,
  ]);
  await tick();
  await other.query('commit');
  await other.end();
  await opened.arrange.advance(24 * 60 * MINUTE);
  await tick();
  const { leaves } = await keptLog(opened.storage);
  expect(leaves.map(({ t }) => t)).toEqual(['log', 'imported', 'closed']);
});

test('a statement by hand is logged as those of the service are', async () => {
  const record_id = await submit();
  await tick();
  const { index } = (await opened.storage.log.leavesOf(1, record_id)) ?? {};
  await opened.owner.query(
    `update app.decisions set lifecycle_state = 'rejected', due_at = null where record_id = $1`,
    [record_id],
  );
  await opened.arrange.advance(24 * 60 * MINUTE);
  expect(await tick()).toBe(1);
  expect((await keptLog(opened.storage)).leaves.at(-1)).toEqual({ t: 'closed', of: index, reason: 'rejected', v: 1 });
});

test('a statement that is no JSON any more stops neither its leaf nor others', async () => {
  const [damaged, other] = [await submit(), await submit()];
  const { owner, storage } = opened;
  await owner.query('alter table app.decision_documents disable trigger user');
  await owner.query(
    `update app.decision_documents set statement = '{', commitment = encode(sha256(salt || '{'), 'hex')
     where record_id = $1`,
    [damaged],
  );
  await tick();
  expect(await storage.log.leavesOf(1, damaged)).not.toBeNull();
  expect(await storage.log.leavesOf(1, other)).not.toBeNull();
});

test.each([
  [`update app.log_tiles set hashes = overlay(hashes placing '\\x00' from 1)`, 'a tile only grows'],
  ['update app.log_bundles set leaves = substr(leaves, 2)', 'a bundle only grows'],
  [`update app.log_checkpoints set root = sha256('')`, 'a checkpoint stays'],
  [`update app.log_checkpoints set signature = sha256('')`, 'a checkpoint stays'],
  ['update app.log_checkpoints set served_from = null', 'a checkpoint stays'],
  ['delete from app.log_checkpoints', 'a log is never cut'],
  [`update app.log_keys set key_id = 'x'`, 'evidence'],
  ['truncate app.log_tiles', 'a log is never cut'],
  ['update app.log_decisions set index = index + 1', 'evidence'],
])('the owner of the schema is refused: %s', async (statement, reason) => {
  await expect(opened.owner.query(statement)).rejects.toThrow(reason);
});

test('a tree that was rewritten with the triggers off gets no further leaf and no signature', async () => {
  await opened.owner.query('alter table app.log_tiles disable trigger user');
  await opened.owner.query(`update app.log_tiles set hashes = overlay(hashes placing '\\x00' from 1) where level = 0`);
  await opened.owner.query(`alter table app.log_tiles enable always trigger tile_grows`);
  const before = await keptLog(opened.storage);
  await submit();
  await expect(tick()).rejects.toThrow('nothing is signed');
  expect(await keptLog(opened.storage)).toEqual(before);
});
