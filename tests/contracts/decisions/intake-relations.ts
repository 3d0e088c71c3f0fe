import { expect, test } from '@jest/globals';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { RefusedRelation } from '../../../domain/decisions/submission/decision-intake.ts';
import { refusedRelations } from '../../../domain/decisions/submission/relations.ts';
import type { RelatedRecord } from '../../../domain/decisions/submission/submission.ts';
import { isPublicTarget } from '../../../domain/decisions/visibility.ts';
import { MINUTE } from '../../../domain/time.ts';
import { type AgentCaller, NO_LIMITS } from '../../builders/decisions.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { evaluateAll } from './evaluated.ts';
import { found } from './intake-acceptance.ts';

export const intakeRelationsContract: DecisionContract = {
  name: 'related records',
  promises(bench) {
    test('records of one’s own are linked, in any number of ways, and shown with whether they are public', async () => {
      const agent = await bench.agent();
      const first = await bench.accepted(agent);
      await evaluateAll(bench);
      await bench.arrange().advance(1);
      const second = await bench.accepted(agent);
      const related_records = [
        { record_id: second.record_id, relation: 'refines' },
        { record_id: first.record_id, relation: 'supersedes' },
        { record_id: first.record_id, relation: 'extends' },
      ] as const;
      const { record_id } = await bench.accepted(agent, { related_records });
      const links = [
        { record_id: first.record_id, relation: 'extends', public: true },
        { record_id: first.record_id, relation: 'supersedes', public: true },
        { record_id: second.record_id, relation: 'refines', public: false },
      ];
      const inOrder = links.toSorted((a, b) => (a.record_id + a.relation < b.record_id + b.relation ? -1 : 1));
      expect((await found(bench, record_id)).related).toEqual(inOrder);
    });

    test('a record that was not public yet when it was pointed to is never shown as public there', async () => {
      const agent = await bench.agent();
      const first = await bench.accepted(agent);
      const related_records = [{ record_id: first.record_id, relation: 'extends' }] as const;
      const early = await bench.accepted(agent, { related_records });
      await evaluateAll(bench);
      await bench.arrange().advance(1);
      const late = await bench.accepted(agent, { related_records });
      const shown = async (record_id: string) => (await found(bench, record_id)).related.map((link) => link.public);
      expect(await shown(early.record_id)).toEqual([false]);
      expect(await shown(late.record_id)).toEqual([true]);
    });

    test('a record of somebody else is seen once it is evaluated, and no more when it is quarantined', async () => {
      const [agent, stranger] = [await bench.agent(), await bench.agent()];
      const { record_id } = await bench.accepted(stranger);
      const link = [{ record_id, relation: 'contradicts' }] as const;
      expect(await refusedBy(bench, agent, link)).toEqual([{ index: 0, reason: 'unseen' }]);
      await evaluateAll(bench);
      expect(await refusedBy(bench, agent, link)).toEqual([]);
      await bench.arrange().mark(record_id, { quarantine_reason: 'made up' });
      expect(await refusedBy(bench, agent, link)).toEqual([{ index: 0, reason: 'unseen' }]);
    });

    test('a record of one’s own is seen in any state, archived too', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      await bench.arrange().mark(record_id, { archived_at: await bench.now(), quarantine_reason: 'made up' });
      expect(await refusedBy(bench, agent, [{ record_id, relation: 'references' }])).toEqual([]);
    });

    test('every refused relation is returned with its position, and an unknown record counts as unseen', async () => {
      const agent = await bench.agent();
      const colleague = await bench.agent(agent);
      const mine = await bench.accepted(agent);
      const theirs = await bench.accepted(colleague);
      await bench.arrange().advance(MINUTE);
      const newer = await bench.accepted(agent);
      const sameCutoff = { data_cutoff: mine.submission_time };
      const links: readonly RelatedRecord[] = [
        { record_id: 'dec_20260101_00000000', relation: 'extends' },
        { record_id: mine.record_id, relation: 'supersedes' },
        { record_id: newer.record_id, relation: 'extends' },
        { record_id: theirs.record_id, relation: 'supersedes' },
        { record_id: theirs.record_id, relation: 'supports' },
        { record_id: newer.record_id, relation: 'supersedes' },
      ];
      expect(await refusedBy(bench, agent, links, sameCutoff)).toEqual([
        { index: 0, reason: 'unseen' },
        { index: 2, reason: 'later' },
        { index: 3, reason: 'other_agent' },
        { index: 5, reason: 'later' },
      ]);
    });

    test('what may be pointed to, and who sees it, is as the domain judges for every kind of target', async () => {
      const agent = await bench.agent();
      const targets = await targetsOf(bench, agent);
      const ids = targets.map(({ record_id }) => record_id);
      for (const [millis, data_cutoff] of [[0], [1], [MINUTE], [0, targets[0]?.data_cutoff.toISOString()]] as const) {
        await bench.arrange().advance(millis);
        for (const relation of ['extends', 'supersedes'] as const) {
          const links = ids.map((record_id) => ({ record_id, relation }));
          const sent = { ...agent, data_cutoff: data_cutoff ? new Date(data_cutoff) : await bench.now() };
          const judged = refusedRelations({ ...sent, related: links }, targets);
          expect(await refusedBy(bench, agent, links, data_cutoff && { data_cutoff })).toEqual(judged);
          const allowed = links.filter((_, index) => judged.every((refused) => refused.index !== index));
          const { record_id } = await bench.accepted(agent, {
            related_records: allowed,
            ...(data_cutoff && { data_cutoff }),
          });
          const source = await found(bench, record_id);
          const shown = allowed.map((link) => {
            const target = targets.find((each) => each.record_id === link.record_id);
            return { ...link, public: target !== undefined && isPublicTarget(target, source) };
          });
          expect(source.related).toEqual(shown.toSorted((a, b) => (a.record_id < b.record_id ? -1 : 1)));
        }
      }
    });
  },
};

/** A record of each kind that the rule distinguishes: by owner and agent, by state, and by the time of its outcome. */
async function targetsOf(bench: Bench, agent: AgentCaller): Promise<readonly Decision[]> {
  const producers = [agent, await bench.agent(agent), await bench.agent()];
  const records = [];
  for (const producer of producers) {
    const quarantined = await bench.accepted(producer);
    const outOfSight = await bench.accepted(producer);
    await bench.arrange().mark(outOfSight.record_id, { quarantine_reason: 'made up' });
    records.push(quarantined, outOfSight, await bench.accepted(producer));
    await bench.arrange().advance(1);
  }
  await evaluateAll(bench);
  for (const each of records.filter((_, index) => index % 3 === 0)) {
    await bench.arrange().mark(each.record_id, { quarantine_reason: 'made up' });
  }
  for (const producer of producers) records.push(await bench.accepted(producer));
  return Promise.all(records.map(({ record_id }) => found(bench, record_id)));
}

/** What the preview and the submit refuse, which is the same. */
async function refusedBy(
  bench: Bench,
  agent: AgentCaller,
  related_records: readonly RelatedRecord[],
  changes = {},
): Promise<readonly RefusedRelation[]> {
  const { intake } = bench.storage();
  const draft = await bench.draft(agent, { ...changes, related_records }, { limits: NO_LIMITS });
  const { refused } = await intake.preview(draft);
  const verdict = await intake.submit(draft);
  if (refused.length === 0) expect(verdict.verdict).toBe('accepted');
  else expect(verdict).toEqual({ verdict: 'related_refused', refused });
  return refused;
}
