import { describe, expect, test } from '@jest/globals';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { StoredReplies } from '../../../domain/decisions/views/decision-reader.ts';
import { ownerDetail, publicDetail } from '../../../domain/decisions/views/views.ts';
import { workflowRef } from '../../../domain/identifiers.ts';
import { DAY } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { type AgentCaller, NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { someSnapshot } from '../../builders/stored-workflows.ts';
import { sequence, startNext } from '../../harness/kept-logs.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { evaluateAll, FAR } from './evaluated.ts';
import { found } from './intake-acceptance.ts';

export const EDITION = 'of a test';

/** An evaluated record with a related one and a workflow, and who reads it: its owner, another owner, and nobody. */
export interface ReadRecord {
  readonly agent: AgentCaller;
  readonly record_id: string;
  readonly related_id: string;
  readonly workflow: { readonly hash: string; readonly content: string };
  readonly viewers: readonly (string | null)[];
}

/** Changes of what a detail shows, by what changes. */
export const CHANGES: Readonly<Record<string, (bench: Bench, record: ReadRecord) => Promise<unknown>>> = {
  'its quarantine': (bench, { record_id }) => quarantine(bench, record_id),
  'the quarantine of a related record': (bench, { related_id }) => quarantine(bench, related_id),
  'its quarantine and release': async (bench, { record_id }) => {
    await quarantine(bench, record_id);
    await auditedModeration(bench.storage()).release(record_id);
  },
  'its archiving': (bench, { record_id, agent }) =>
    bench.storage().ownerRecords.archive(agent.owner_id, record_id, 'a mistake'),
  'a note': note,
  'a note that is emptied': async (bench, record) => {
    await note(bench, record);
    for (const viewer of record.viewers) await read(bench, record.record_id, viewer);
    await bench.storage().notes.empty(record.agent.owner_id, record.record_id, 1);
  },
  'the publication of its workflow': (bench, { workflow, agent: { owner_id } }) =>
    bench
      .storage()
      .transaction(({ workflowSnapshots }) =>
        workflowSnapshots.publish({ id: WORKFLOW, owner_id, visibility: 'public' }, workflow),
      ),
  'its leaves in the log': logEverything,
  'another log': (bench) => startNext(bench.storage()),
  'the removal of its owner': (bench, { agent }) => bench.operators().ownerAdministration.remove(agent.owner_id),
};

const WORKFLOW = '0190a3c4-0000-7000-8000-000000000001';

export const storedRepliesContract: DecisionContract = {
  name: 'stored replies',
  promises(bench) {
    describe.each(Object.keys(CHANGES))('%s', (name) => {
      test('changes each reply that was made before it', async () => {
        const record = await aReadRecord(bench);
        for (const viewer of record.viewers) await readTwice(bench, record.record_id, viewer);
        await CHANGES[name]?.(bench, record);
        for (const viewer of record.viewers) await readTwice(bench, record.record_id, viewer);
      });

      test('leaves no earlier reply while 20 read the record', async () => {
        const record = await aReadRecord(bench);
        const { record_id, viewers } = record;
        let isOver = false;
        const readers = race(20, async (worker) => {
          while (!isOver) await read(bench, record_id, viewers[worker % viewers.length] ?? null);
        });
        await CHANGES[name]?.(bench, record);
        for (const viewer of viewers) await readTwice(bench, record_id, viewer);
        isOver = true;
        await readers;
        for (const viewer of viewers) await readTwice(bench, record_id, viewer);
      });
    });

    test('a record that is not evaluated, and one that does not exist, have no stored reply', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      const { replies } = bench.storage();
      for (const viewer of [agent.owner_id, null])
        expect(await replies.find(record_id, viewer, EDITION)).toMatchObject({ reply: null, basis: null });
      expect(await replies.find('dec_20260101_00000000', null, EDITION)).toBeNull();
    });
  },
};

export async function aReadRecord(bench: Bench): Promise<ReadRecord> {
  const [agent, other] = [await bench.agent(), await bench.agent()];
  const { record_id: related_id } = await bench.accepted(agent);
  await evaluateAll(bench);
  await bench.arrange().advance(60_000);
  const workflow = someSnapshot();
  const { workflowSnapshots, intake, log } = bench.storage();
  await workflowSnapshots.publish({ id: WORKFLOW, owner_id: agent.owner_id, visibility: 'private' }, workflow);
  const said = {
    related_records: [{ record_id: related_id, relation: 'extends' }],
    workflow_ref: workflowRef(workflow.hash),
  } as const;
  const draft = await bench.draft(agent, said, { limits: NO_LIMITS });
  const { record_id } = receiptOf(await intake.submit(draft));
  if (!(await log.newest())) await sequence(bench.storage());
  await evaluateAll(bench);
  return { agent, record_id, related_id, workflow, viewers: [agent.owner_id, other.owner_id, null] };
}

/** The reply as it is sent: the stored one, or the one that is made and stored now; null for a record that is not visible. */
export async function read(bench: Bench, record_id: string, viewer: string | null): Promise<string | null> {
  const { replies } = bench.storage();
  const source = await replies.find(record_id, viewer, EDITION);
  if (source?.reply) return Buffer.from(source.reply).toString();
  const text = source && replyAbout(source.decision, viewer);
  if (text && source.basis) await replies.keep(source.basis, text);
  return text;
}

/** Reads twice, and expects what would be made now. */
export async function readTwice(bench: Bench, record_id: string, viewer: string | null): Promise<void> {
  const now = replyAbout(await found(bench, record_id, viewer), viewer);
  expect(await read(bench, record_id, viewer)).toBe(now);
  expect(await read(bench, record_id, viewer)).toBe(now);
}

function replyAbout(decision: Decision, viewer: string | null): string | null {
  const detail = decision.owner_id === viewer ? ownerDetail(decision) : publicDetail(decision);
  return detail && JSON.stringify(detail);
}

function note(bench: Bench, { agent: { owner_id, agent_id }, record_id }: ReadRecord): Promise<unknown> {
  return bench.storage().notes.add({ owner_id, agent_id, record_id, text: 'Ignored the CPI date' }, 20);
}

function quarantine(bench: Bench, record_id: string): Promise<unknown> {
  return auditedModeration(bench.storage()).quarantine(record_id, 'a test', FAR);
}

async function logEverything(bench: Bench): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    await bench.arrange().advance(DAY);
    await sequence(bench.storage());
  }
}

/** Whether a reply about the record is stored for that viewer. */
export async function isStored(replies: StoredReplies, record_id: string, viewer: string | null): Promise<boolean> {
  return Boolean((await replies.find(record_id, viewer, EDITION))?.reply);
}
