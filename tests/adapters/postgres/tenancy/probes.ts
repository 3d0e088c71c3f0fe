import { randomBytes } from 'node:crypto';
import { OWN_TABLES } from '../../../../domain/accounts/owner-data.ts';
import { GRAPH_DIRECTIONS } from '../../../../domain/decisions/graph/graph.ts';
import type { RecordFilter, TrackRecordFilter } from '../../../../domain/decisions/own/owner-records.ts';
import type { RelatedRecord, Submission } from '../../../../domain/decisions/submission/submission.ts';
import { CONTRACT_LIMITS } from '../../../../domain/limits.ts';
import { DAY, MINUTE } from '../../../../domain/time.ts';
import { MARKETPLACE_SORTS } from '../../../../domain/workflows/workflow-reader.ts';
import { aKeyOf, anAgentOf, anIdentityOf, anOwner, aSessionOf } from '../../../builders/accounts.ts';
import { ABOUT } from '../../../builders/backtests.ts';
import { aDraft, aSubmission, hindsight, NO_LIMITS } from '../../../builders/decisions.ts';
import { aLink } from '../../../builders/mail.ts';
import { aPlan, aQuestion } from '../../../builders/plans.ts';
import { aWorkflowOf, someSnapshot } from '../../../builders/stored-workflows.ts';
import { aWebhook } from '../../../builders/webhooks.ts';
import { anAcceptance } from '../../../contracts/accounts/profile-store.ts';
import { aLoginOf } from '../../../contracts/accounts/security-event-store.ts';
import { CHECKED, NETWORK, recoveryCodeOf, totpOf, type World } from './world.ts';

/** A question that nobody of the world asked. */
const OTHER_QUESTION = 'ab'.repeat(32);

/** Something that the first owner does: what it returns shows whether the other owner is in it. */
export type Probe = (world: World) => Promise<unknown>;

/** Those that change rows end with what both owners have then. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'keys are listed': ({ storage, me }) => storage.apiKeys.list(me.owner.owner_id),
  'a key is found': ({ storage, me, other }) =>
    all([me, other], ({ key }) => storage.apiKeys.find(me.owner.owner_id, key.key_prefix)),
  'a key of the other is revoked': changing(({ storage, me, other }) =>
    storage.apiKeys.revoke(me.owner.owner_id, other.key.key_prefix),
  ),
  'all keys are revoked': changing(({ storage, me }) => storage.apiKeys.revokeAll(me.owner.owner_id)),
  'the mode of a key of the other is changed': changing(({ storage, me, other }) =>
    storage.apiKeys.change(me.owner.owner_id, other.key.key_prefix, { permission_mode: 'read_only' }),
  ),
  'a key of the other is rotated': changing(({ storage, me, other, now }) => {
    const successor = { key_prefix: 'sbk_rotated0', key_hash: Buffer.alloc(32, 7), created_at: now, expires_at: null };
    return storage.apiKeys.rotate(me.owner.owner_id, other.key.key_prefix, successor);
  }),
  'the own key is rotated': changing(({ storage, me, now }) => {
    const successor = { key_prefix: 'sbk_rotated0', key_hash: Buffer.alloc(32, 7), created_at: now, expires_at: null };
    return storage.apiKeys.rotate(me.owner.owner_id, me.key.key_prefix, successor);
  }),
  'a key is added within the limit': ({ storage, me }) => storage.apiKeys.add(aKeyOf(me.owner), 2),
  'an agent is added within the limit': ({ storage, me }) => storage.owners.addAgent(anAgentOf(me.owner), 2),
  'an agent is added for nobody': ({ storage }) => storage.owners.addAgent(anAgentOf(anOwner()), 2),
  'an agent is found': ({ storage, me, other }) =>
    all([me, other], ({ agent }) => storage.owners.findAgent(me.owner.owner_id, agent.agent_id)),
  'an agent of the other is archived': changing(({ storage, me, other }) =>
    refused(storage.agents.archive(me.owner.owner_id, other.agent.agent_id)),
  ),
  'an agent of the other is restored': changing(({ storage, me, other }) =>
    storage.agents.restore(me.owner.owner_id, other.archivedAgent, 100),
  ),
  'an agent is restored within the limit': changing(({ storage, me }) =>
    storage.agents.restore(me.owner.owner_id, me.archivedAgent, 2),
  ),
  'an agent of the other is removed': changing(({ storage, me, other }) =>
    storage.agents.remove(me.owner.owner_id, other.archivedAgent),
  ),
  'an agent is removed': changing(({ storage, me }) => storage.agents.remove(me.owner.owner_id, me.archivedAgent)),
  'an owner is suspended': changing(({ storage, me }) => storage.ownerAdministration.suspend(me.owner.owner_id)),
  'an owner is suspended and resumed': changing(async ({ storage, me, other }) => {
    for (const { owner } of [me, other]) await storage.ownerAdministration.suspend(owner.owner_id);
    return storage.ownerAdministration.resume(me.owner.owner_id);
  }),
  'an account is suspended by an admin': changing(async ({ storage, me }) =>
    storage.accountControl.suspend(me.owner.owner_id, await anAdmin(storage)),
  ),
  'an account is suspended and resumed by an admin': changing(async ({ storage, me, other }) => {
    const admin = await anAdmin(storage);
    for (const { owner } of [me, other]) await storage.accountControl.suspend(owner.owner_id, admin);
    return storage.accountControl.resume(me.owner.owner_id, admin);
  }),
  'an account gets a tier from an admin': changing(async ({ storage, me }) =>
    storage.accountControl.setTier(me.owner.owner_id, 'pro', await anAdmin(storage)),
  ),
  'accounts are listed': ({ storage, me, other }) =>
    all([me, other], ({ owner }) => storage.accounts.list({ find: owner.owner_id }, null, 10)),
  'records of the owner under quarantine are listed': ({ storage, me }) =>
    storage.quarantined.list({ owner_id: me.owner.owner_id }, null, 10),
  'an owner is found': ({ storage, me, other }) => all([me, other], ({ owner }) => storage.owners.find(owner.owner_id)),
  'the role is set': changing(({ storage, me }) => storage.ownerAdministration.setRole(me.owner.owner_id, 'admin')),
  'the tier is set': changing(({ storage, me }) => storage.ownerAdministration.setTier(me.owner.owner_id, 'pro')),
  'an owner is removed': changing(({ storage, me }) => storage.ownerAdministration.remove(me.owner.owner_id)),
  'nobody is removed': changing(({ storage }) => storage.ownerAdministration.remove(anOwner().owner_id)),
  'an erasure is scheduled': changing(({ storage, me }) => storage.erasures.schedule(me.owner.owner_id)),
  'an erasure that is scheduled is asked for again': changing(({ storage, me, other }) =>
    all([other, me, me], ({ owner }) => storage.erasures.schedule(owner.owner_id)),
  ),
  'an erasure is taken back': changing(async ({ storage, me, other }) => {
    for (const { owner } of [me, other]) await storage.erasures.schedule(owner.owner_id);
    return storage.erasures.takeBack(me.owner.owner_id);
  }),
  'a removed owner is erased': changing(async ({ storage, me, other }) => {
    for (const { owner } of [me, other]) await storage.ownerAdministration.remove(owner.owner_id);
    const { erasures, decisions } = storage;
    const traces = await all([1, 2, 3], () => erasures.eraseTraces(me.owner.owner_id, 1_000));
    const steps = await all([1, 2, 3, 4], () => erasures.eraseRecords(me.owner.owner_id, 3));
    const found = await decisions.find([me.records.open, other.records.open, other.records.graded], null);
    return [traces, steps, found.map(({ statement }) => statement), await erasures.overview()];
  }),
  'leaves to come of an erased owner keep their marks': changing(async ({ storage, me, now }) => {
    await storage.ownerAdministration.remove(me.owner.owner_id);
    const pending = await storage.log.pending(1, new Date(now.getTime() + DAY), 1_000);
    const marks = pending.map((event) => [event.record_id, event.event === 'decision' && event.kept]);
    return marks.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  }),
  'traces of an owner who is still there are not erased': changing(async ({ storage, me, other }) => {
    await storage.ownerAdministration.remove(me.owner.owner_id);
    return all([1, 2, 3, 4], () => storage.erasures.eraseTraces(other.owner.owner_id, 1_000));
  }),
  'content that the other published too stays published': changing(async ({ storage, me, other }) => {
    const both = someSnapshot({ name: 'Of both' });
    for (const [i, { owner }] of [me, other].entries()) {
      const published = { id: `019c0f4f-0000-7000-8000-00000000000${i}`, owner_id: owner.owner_id } as const;
      await storage.workflowSnapshots.publish({ ...published, visibility: 'private' }, both);
    }
    await storage.ownerAdministration.remove(me.owner.owner_id);
    const traces = await all([1, 2, 3, 4], () => storage.erasures.eraseTraces(me.owner.owner_id, 1_000));
    return [traces, await storage.workflowSnapshots.find(both.hash, other.owner.owner_id)];
  }),
  'an account that is not due is not removed': changing(async ({ storage, me }) => [
    await storage.erasures.clear(me.owner.owner_id, 100),
    await storage.erasures.remove(me.owner.owner_id),
  ]),
  'sessions are listed': ({ storage, me }) => storage.sessions.list(me.owner.owner_id),
  'sessions are ended': changing(({ storage, me }) => storage.sessions.destroyOf(me.owner.owner_id, null)),
  'sessions but one are ended': changing(({ storage, me }) =>
    storage.sessions.destroyOf(me.owner.owner_id, me.session.session_hash),
  ),
  'sessions are ended by the provider': changing(({ storage, me, now }) =>
    storage.sessions.destroyByProvider({ owner_id: me.owner.owner_id, provider_session: null }, now),
  ),
  'a session is added': async ({ storage, me, now }) => {
    await storage.sessions.add(aSessionOf(me.owner, { created_at: now }));
    const { rows } = await stateOf(storage, me.owner.owner_id);
    return rows?.sessions?.length;
  },
  'a session of the other stays when one is added': async ({ storage, me, other, now }) => {
    await storage.sessions.add(aSessionOf(me.owner, { created_at: now }));
    return (await storage.sessions.list(other.owner.owner_id)).length;
  },
  'a session is added for nobody': ({ storage, now }) =>
    storage.sessions.add(aSessionOf(anOwner(), { created_at: now })),
  'factors are read': ({ storage, me, other }) => all([me, other], ({ owner }) => storage.factors.of(owner.owner_id)),
  'an app is begun': changing(({ storage, me }) => storage.factors.beginTotp(me.owner.owner_id, Buffer.alloc(8, 7))),
  'an app of the other is confirmed': changing(async ({ storage, me, other }) => {
    for (const { owner } of [me, other]) await storage.factors.beginTotp(owner.owner_id, totpOf(other.owner.owner_id));
    return storage.factors.confirmTotp(me.owner.owner_id, totpOf(other.owner.owner_id), 9, MINUTE);
  }),
  'a code of the other is used': changing(({ storage, me, other }) =>
    all([me, other], ({ owner }) => storage.factors.useTotp(me.owner.owner_id, totpOf(owner.owner_id), 9)),
  ),
  'a code is used with one secret': changing(async ({ storage, me, other }) => {
    for (const { owner } of [me, other]) {
      await storage.factors.beginTotp(owner.owner_id, totpOf('both'));
      await storage.factors.confirmTotp(owner.owner_id, totpOf('both'), 1, MINUTE);
    }
    return storage.factors.useTotp(me.owner.owner_id, totpOf('both'), 9);
  }),
  'an app is removed': changing(({ storage, me }) => storage.factors.removeTotp(me.owner.owner_id)),
  'an app is removed, and one that the other began stays': changing(async ({ storage, me, other }) => {
    await storage.factors.removeTotp(other.owner.owner_id);
    await storage.factors.beginTotp(other.owner.owner_id, Buffer.alloc(8, 7));
    return storage.factors.removeTotp(me.owner.owner_id);
  }),
  'recovery codes are counted': ({ storage, me }) => storage.factors.recoveryCodes(me.owner.owner_id),
  'recovery codes are replaced': changing(({ storage, me }) =>
    storage.factors.setRecoveryCodes(me.owner.owner_id, [Buffer.alloc(32, 7), Buffer.alloc(32, 8)]),
  ),
  'a recovery code of the other is used': changing(({ storage, me, other }) =>
    all([me, other], ({ owner }) => storage.factors.useRecoveryCode(me.owner.owner_id, recoveryCodeOf(owner.owner_id))),
  ),
  'a recovery code of both is used': changing(async ({ storage, me, other }) => {
    for (const { owner } of [me, other])
      await storage.factors.setRecoveryCodes(owner.owner_id, [recoveryCodeOf('both')]);
    return storage.factors.useRecoveryCode(me.owner.owner_id, recoveryCodeOf('both'));
  }),
  'passkeys are listed': ({ storage, me }) => storage.passkeys.list(me.owner.owner_id),
  'a passkey of the other is renamed': changing(({ storage, me, other }) =>
    storage.passkeys.rename(me.owner.owner_id, other.passkey, 'Mine'),
  ),
  'the own passkey is renamed': changing(({ storage, me }) =>
    storage.passkeys.rename(me.owner.owner_id, me.passkey, 'Mine'),
  ),
  'a passkey of the other is removed': changing(({ storage, me, other }) =>
    storage.passkeys.remove(me.owner.owner_id, other.passkey),
  ),
  'a reset of factors is requested': changing(({ storage, me }) => requestReset(storage, me.owner.owner_id)),
  'a requested reset is found': async ({ storage, me, other }) => {
    for (const { owner } of [me, other]) await requestReset(storage, owner.owner_id);
    return all([me, other], ({ owner }) => storage.factors.requestedReset(owner.owner_id));
  },
  'a requested reset is taken back': changing(async ({ storage, me, other }) => {
    for (const { owner } of [me, other]) await requestReset(storage, owner.owner_id);
    return storage.factors.cancelReset(me.owner.owner_id);
  }),
  'a due reset is taken': changing(async ({ storage, me, other }) => {
    for (const { owner } of [me, other]) await requestReset(storage, owner.owner_id, 0);
    return [await storage.factors.dueResets(1), await storage.factors.takeDueReset(me.owner.owner_id)];
  }),
  'factors are reset': changing(({ storage, me }) => storage.factors.reset(me.owner.owner_id)),
  'terms are accepted': changing(({ storage, me }) => storage.profiles.accept(me.owner.owner_id, anAcceptance())),
  'terms are accepted by nobody': ({ storage }) => storage.profiles.accept(anOwner().owner_id, anAcceptance()),
  'the last acceptance is read': ({ storage, me, other }) =>
    all([me, other], ({ owner }) => storage.profiles.lastAcceptance(owner.owner_id)),
  'preferences are read': ({ storage, me, other }) =>
    all([me, other], ({ owner }) => storage.transaction(({ profiles }) => profiles.lockPreferences(owner.owner_id))),
  'preferences are set': changing(({ storage, me }) =>
    storage.profiles.setPreferences(me.owner.owner_id, { locale: 'de' }),
  ),
  'a password hash is confirmed': ({ storage, me, other }) =>
    all([me, other], ({ owner }) => storage.logins.confirm(me.owner.owner_id, owner.password_hash ?? '')),
  'a password is changed': changing(({ storage, me, other }) =>
    all([me, other], ({ owner }) => storage.logins.change(me.owner.owner_id, owner.password_hash ?? '', 'changed')),
  ),
  'the owner of an identity is found': ({ storage, me, other }) =>
    all([me, other], ({ owner }) => storage.identities.find(anIdentityOf(owner))),
  'agents are listed': ({ storage, me }) => storage.ownerOverview.agents(me.owner.owner_id, 0, PAGE),
  'agents are listed with stored counts': ({ storage, me }) =>
    storage.ownerOverview.agents(me.owner.owner_id, DAY, PAGE),
  'the dashboard is counted': ({ storage, me }) => storage.ownerOverview.counts(me.owner.owner_id),
  'the account is read': ({ storage, me }) => storage.ownerData.account(me.owner.owner_id),
  'pages of the account are read': async ({ storage, me }) => {
    const pages = [];
    for (const table of OWN_TABLES) {
      const first = await storage.ownerData.rows(me.owner.owner_id, table, null, 1);
      pages.push(first, first.next && (await storage.ownerData.rows(me.owner.owner_id, table, first.next, 100)));
    }
    return pages;
  },
  'pages of record ids are read': async ({ storage, me }) => {
    const [first = ''] = await storage.ownerData.recordIds(me.owner.owner_id, null, 1);
    const next = await storage.ownerData.recordIds(me.owner.owner_id, first, 100);
    return [await storage.ownerData.recordIds(me.owner.owner_id, null, 100), next];
  },
  'security events are listed': ({ storage, me }) =>
    storage.securityEvents.list({ owner_id: me.owner.owner_id }, null, 1_000),
  'a known network is one of the owner': ({ storage, me }) =>
    storage.securityEvents.hasLoggedIn(me.owner.owner_id, NETWORK),
  'a familiar network is one of the owner': ({ storage, me }) =>
    storage.securityEvents.isFamiliar(me.owner.owner_id, NETWORK),
  'an event is added': async ({ storage, me }) => {
    await storage.securityEvents.append(aLoginOf(me.owner.owner_id, { subject: 'added' }));
    return storage.securityEvents.list({ owner_id: me.owner.owner_id }, null, 1_000);
  },
  'the feed of events is read': async ({ storage, me }) => {
    const { owner_id } = me.owner;
    const scopes = [{ owner_id }, { owner_id, hasSubmissions: true }];
    return all(scopes, async (scope) =>
      (await storage.events.page(scope, null, 1_000)).events.map(({ event }) => event),
    );
  },
  'events are counted by day and kind': async ({ storage, me }) =>
    (await storage.events.digest(me.owner.owner_id, null, { since: new Date(0), atMost: 1_000 })).lines,
  'a read mark is read': ({ storage, me, other }) =>
    all([me, other], ({ owner }) => storage.events.readMark(owner.owner_id)),
  'a read mark is set': changing(({ storage, me }) =>
    storage.events.setReadMark(me.owner.owner_id, { place: 'set', at: new Date(1) }),
  ),
  'the news of events are read': async ({ storage, me }) => {
    const { next } = await storage.events.page({ owner_id: me.owner.owner_id }, null, 0);
    const [history] = next.split(' ');
    const { owner_id } = me.owner;
    // What else a place has says when it was read.
    return all([[], [owner_id]], async (submitters) =>
      (await storage.events.news([owner_id], `${history} 0 0`, 1_000, submitters))?.events.map((event) => ({
        ...event,
        place: event.place.split(' ').slice(0, 3),
      })),
    );
  },
  'records are listed': ({ storage, me, other }) =>
    all(FILTERS(me.agent.agent_id, other.agent.agent_id), (filter) =>
      storage.ownerRecords.list(me.owner.owner_id, { ...NO_FILTER, ...filter }, null, 100),
    ),
  'a record of the other is archived': changing(({ storage, me, other }) =>
    storage.ownerRecords.archive(me.owner.owner_id, other.records.graded, 'not mine'),
  ),
  'an archived record of the other is archived': ({ storage, me, other }) =>
    storage.ownerRecords.archive(me.owner.owner_id, other.records.archived, 'not mine'),
  'the record of an agent is counted': ({ storage, me, other }) =>
    all([me, other], ({ agent }) => storage.ownerRecords.tally(me.owner.owner_id, agent.agent_id, ANY)),
  'the record of an agent is counted with a filter': ({ storage, me, other }) =>
    all([me, other], ({ agent }) =>
      storage.ownerRecords.tally(me.owner.owner_id, agent.agent_id, { ...ANY, since: new Date(0) }),
    ),
  'outcomes are counted by time': ({ storage, me, other }) =>
    all([null, me.agent.agent_id, other.agent.agent_id], (agent_id) =>
      storage.ownerRecords.countOutcomes(me.owner.owner_id, { agent_id, since: null }, 'week', 100),
    ),
  'records are read': ({ storage, me, other }) =>
    all([me.owner.owner_id, null], (viewer) => storage.decisions.find(recordsOf(me, other), viewer)),
  'the state of records is read': ({ storage, me, other }) =>
    all([me.owner.owner_id, null], (viewer) => storage.decisions.findStatus(recordsOf(me, other), viewer)),
  'records are read for a table': ({ storage, me, other }) =>
    storage.decisions.findTabled(recordsOf(me, other), me.owner.owner_id),
  'links are read': ({ storage, me, other }) =>
    all(GRAPH_DIRECTIONS, (direction) =>
      all([me.owner.owner_id, null], (viewer) =>
        storage.graph.links(recordsOf(me, other), { viewer, direction, most: 100 }),
      ),
    ),
  'records of a graph are read': ({ storage, me, other }) =>
    all([me.owner.owner_id, null], async (viewer) => {
      const found = await storage.graph.find(recordsOf(me, other), viewer);
      // The database may return them in any order.
      return found.toSorted((a, b) => (a.record_id < b.record_id ? -1 : 1));
    }),
  'a stored reply is read': async ({ storage, me, other }) => {
    const found = await storage.replies.find(other.records.graded, other.owner.owner_id, 'probe');
    if (found?.reply === null && found.basis) await storage.replies.keep(found.basis, 'for its owner alone');
    return all([other, me], async ({ owner }) => {
      const read = await storage.replies.find(other.records.graded, owner.owner_id, 'probe');
      return read?.reply ? Buffer.from(read.reply).toString() : read;
    });
  },
  'a record names one that is hidden': submitting(({ other }) =>
    related([{ record_id: other.records.open, relation: 'references' }]),
  ),
  'a record names a public one': submitting(({ other }) =>
    related([{ record_id: other.records.graded, relation: 'references' }]),
  ),
  'a record supersedes one of the other': submitting(({ other }) =>
    related([{ record_id: other.records.graded, relation: 'supersedes' }]),
  ),
  'a record uses a private workflow of the other': submitting(({ other }) => ({ workflow_ref: `wf:${other.hash}` })),
  'a retroactive record is previewed': ({ storage, me, other, now }) =>
    all([me, other], ({ agent }) =>
      storage.intake.preview(aDraft(agent, now, hindsight(now), { limits: { ...NO_LIMITS, retroactivePerDay: 5 } })),
    ),
  'a retroactive record is within the limit of the day': async ({ storage, me, now }) => {
    const submission = hindsight(now, { symbol: 'ADA' });
    const limits = { ...NO_LIMITS, retroactivePerDay: 5 };
    return (await storage.intake.submit(aDraft(me.agent, now, submission, { limits }))).verdict;
  },
  'a retroactive record is over the limit of the day': async ({ storage, me, now }) => {
    const submission = hindsight(now, { symbol: 'ADA' });
    const limits = { ...NO_LIMITS, retroactivePerDay: 4 };
    return (await storage.intake.submit(aDraft(me.agent, now, submission, { limits }))).verdict;
  },
  'a retroactive group is over the limit of the day': async ({ storage, me, now }) => {
    const limits = { ...NO_LIMITS, retroactivePerDay: 5 };
    const draft = aDraft(me.agent, now, hindsight(now, { symbol: 'ADA' }), { limits });
    const member = (place: number) => ({ ...draft, group: { id: `grp_${'0'.repeat(24)}`, of: 2, place } });
    return storage.intake.submit(member(1), [member(2)]);
  },
  'a workflow is added within the limit': ({ storage, me }) => storage.workflows.add(aWorkflowOf(me.owner), 2),
  'workflows are listed': ({ storage, me }) =>
    all([{ search: 'of' }, {}], (filter) =>
      storage.workflows.list(me.owner.owner_id, { visibility: null, tag: null, search: null, ...filter }, 'name_asc', {
        page: 1,
        per_page: 100,
      }),
    ),
  'a workflow of the other is changed': changing(({ storage, me, other }) =>
    storage.workflows.update(other.workflow, me.owner.owner_id, 1, { name: 'not mine' }),
  ),
  'a workflow of the other is removed': changing(({ storage, me, other }) =>
    storage.workflows.remove(other.workflow, me.owner.owner_id),
  ),
  'an address is confirmed': changing(({ storage, me }) => storage.owners.confirmEmail(me.owner.owner_id)),
  'a link is made': changing(async ({ storage, me }) => {
    await storage.links.put(aLink({ owner_id: me.owner.owner_id, token_hash: Buffer.alloc(32, 7) }), DAY);
  }),
  'an agent recalls': ({ storage, me, other, now }) =>
    all([me, other], async ({ agent: { agent_id } }) => {
      const subject = { owner_id: me.owner.owner_id, agent_id, market: 'crypto' } as const;
      return [
        await storage.recall.newest({ ...subject, symbol: 'BTC' }, now, false, 100),
        await storage.recall.newest({ ...subject, symbol: 'BTC' }, now, true, 100),
        await storage.recall.notedElsewhere({ ...subject, symbol: 'NONE' }, now, 100),
      ];
    }),
  'a note is added': changing(({ storage, me, other }) =>
    all([me, other], async ({ records: { graded: record_id } }) => {
      const by = { owner_id: me.owner.owner_id, agent_id: me.agent.agent_id };
      const verdict = await storage.notes.add({ ...by, record_id, text: 'of a probe' }, 20);
      return [verdict, [...(await storage.notes.notesOf([record_id]))]];
    }),
  ),
  'a note is added for an agent of the other': changing(({ storage, me, other }) =>
    storage.notes.add(
      { owner_id: me.owner.owner_id, agent_id: other.agent.agent_id, record_id: other.records.graded, text: 'mine' },
      20,
    ),
  ),
  'a note is emptied': changing(({ storage, me, other }) =>
    all([me, other], async ({ records: { graded } }) => [
      await storage.notes.empty(me.owner.owner_id, graded, 1),
      [...(await storage.notes.notesOf([graded]))],
    ]),
  ),
  'a removed owner leaves the notes of the other': changing(async ({ storage, me, other }) => {
    await storage.ownerAdministration.remove(me.owner.owner_id);
    await all([1, 2, 3, 4], () => storage.erasures.eraseTraces(me.owner.owner_id, 1_000));
    return [...(await storage.notes.notesOf([me.records.graded, other.records.graded]))];
  }),
  'a plan is found': ({ storage, me, other }) =>
    all([me, other], ({ plan }) => storage.plans.find(me.owner.owner_id, plan.plan_id)),
  'plans are listed': ({ storage, me, other }) =>
    all([null, me.agent.agent_id, other.agent.agent_id], (agent_id) =>
      storage.plans.list(me.owner.owner_id, agent_id, null, 100),
    ),
  'a plan of the other is stated again': ({ storage, me, other, now }) =>
    storage.transaction(({ plans }) => {
      const { agent_id, opened } = other.plan;
      return plans.ground({ owner_id: me.owner.owner_id, agent_id, ...opened }, new Date(now.getTime() - 400 * DAY));
    }),
  'a question that the other asked is stated': async ({ storage, me, other, now }) => {
    await storage.plans.ask(other.owner.owner_id, OTHER_QUESTION);
    const content = other.plan.opened.content;
    return storage.transaction(({ plans }) => plans.ground({ ...me.agent, question: OTHER_QUESTION, content }, now));
  },
  'a question is asked': ({ storage, me, other }) =>
    all([OTHER_QUESTION, other.plan.opened.question], (question) => storage.plans.ask(me.owner.owner_id, question)),
  'a question that the other stated is asked': async ({ storage, me, other, now }) => {
    const { owner_id, agent_id } = other.agent;
    const plan = aPlan({ owner_id, agent_id, stated_at: now, query: aQuestion('ONLY') });
    await storage.transaction(({ plans }) => plans.add(plan));
    await storage.plans.ask(owner_id, plan.opened.question);
    return storage.plans.ask(me.owner.owner_id, plan.opened.question);
  },
  'a back-test is found': ({ storage, me, other }) =>
    all([me, other], ({ set }) => storage.backtests.find({ ...set, owner_id: me.owner.owner_id })),
  'back-tests are listed': ({ storage, me }) => storage.backtests.list(me.owner.owner_id),
  'a back-test of the other is removed': changing(({ storage, me, other }) =>
    storage.backtests.remove({ ...other.set, owner_id: me.owner.owner_id }),
  ),
  'rows are sent to an agent of the other': changing(({ storage, me, other, now }) =>
    storage
      .transaction(({ backtests }) =>
        backtests.receive({ ...other.set, owner_id: me.owner.owner_id, about: ABOUT, rows: [] }, now),
      )
      .catch(({ code }) => code),
  ),
  'notes are added to rows': changing(({ storage, me, other, now }) =>
    all([me, other], async ({ set }) => {
      const found = await storage.backtests.find(set);
      const row = { set_id: found?.set_id ?? 0, external_id: 'a' };
      return storage.backtests.addNote({ ...row, owner_id: me.owner.owner_id, text: 'of a probe', as_of: now }, 20);
    }),
  ),
  'webhooks are listed': ({ storage, me }) => storage.webhooks.list(me.owner.owner_id),
  'a webhook is found': ({ storage, me, other }) =>
    all([me, other], ({ webhook }) => storage.webhooks.find(me.owner.owner_id, webhook)),
  'a webhook is added within the limit': ({ storage, me: { owner } }) =>
    storage.webhooks.add(aWebhook({ owner_id: owner.owner_id, webhook_id: NEW_WEBHOOK }), 2),
  'a webhook of the other is changed': changing(({ storage, me, other }) =>
    storage.webhooks.change(me.owner.owner_id, other.webhook, { description: 'not mine' }),
  ),
  'the secret of a webhook of the other is replaced': changing(({ storage, me, other }) =>
    storage.webhooks.replaceSecret(me.owner.owner_id, other.webhook, new Uint8Array([9]), DAY),
  ),
  'a webhook of the other is removed': changing(({ storage, me, other }) =>
    storage.webhooks.remove(me.owner.owner_id, other.webhook),
  ),
  'deliveries are listed': ({ storage, me, other }) =>
    all([me, other], ({ webhook }) => storage.deliveries.list(me.owner.owner_id, webhook, {}, null, 100)),
  'a webhook of the other is tested': changing(({ storage, me, other }) =>
    storage.deliveries.addTest(me.owner.owner_id, other.webhook, NEW_WEBHOOK),
  ),
  'a delivery of the other is sent again': changing(({ storage, me, other }) =>
    storage.deliveries.resend(me.owner.owner_id, other.webhook, other.delivery),
  ),
  'failed deliveries are sent again': ({ storage, me, other, now }) =>
    all([me, other], ({ webhook }) => storage.deliveries.resendFailed(me.owner.owner_id, webhook, now)),
  'events become deliveries': async ({ storage, me, other }) => {
    // One event at a time: behind the last one of an owner are those of the other.
    const moved = await all(Array.from({ length: 40 }), () => storage.deliveries.fanOut(1));
    const events = await all([me, other], async ({ owner: { owner_id }, webhook }) =>
      (await storage.deliveries.list(owner_id, webhook, {}, null, 100))?.map(({ event }) => event),
    );
    return [moved, events];
  },
  'a snapshot is read': ({ storage, me, other }) =>
    all([me.owner.owner_id, null], (viewer) =>
      all([me, other], ({ hash }) => storage.workflowSnapshots.find(hash, viewer)),
    ),
  'the use of a workflow is counted': ({ storage, me, other }) =>
    all([me, other], ({ workflow }) =>
      all(['none', 'verified'] as const, (proof) =>
        storage.workflowReader.usage({ id: workflow, owner_id: me.owner.owner_id }, 2, proof),
      ),
    ),
  'the marketplace is read': ({ storage }) =>
    all(MARKETPLACE_SORTS, (sort) =>
      all(['none', 'verified'] as const, (ownerProof) => {
        const thresholds = { minSamples: 2, minProducers: 2, ownerProof };
        return storage.workflowReader.marketplace({
          page: 1,
          per_page: 100,
          tag: null,
          search: null,
          sort,
          thresholds,
        });
      }),
    ),
  'pools are read': ({ storage, me, other }) =>
    all([me, other], ({ owner }) => storage.quotas.usage(owner.owner_id, CONTRACT_LIMITS)),
  'a key is admitted': admitting(({ key }) => ({ credential: 'api_key', key_hash: key.key_hash })),
  'a session is admitted': admitting(({ session: { session_hash } }) => ({
    credential: 'legacy_session',
    session_hash,
  })),
  'a bearer is admitted': admitting(({ owner }) => ({ credential: 'owner_bearer', identity: anIdentityOf(owner) })),
  'units are given back': changing(({ storage, me, other, now }) =>
    all([me, other], ({ owner: { owner_id } }) =>
      all(['read', 'check'] as const, (pool) => {
        const record_id = pool === 'check' ? CHECKED : null;
        return storage.admission.giveBack({ owner_id, pool, record_id, day: now.toISOString().slice(0, 10) });
      }),
    ),
  ),
  'a check is given back': changing(({ storage, me: { owner }, now }) => {
    const day = now.toISOString().slice(0, 10);
    return storage.admission.giveBack({ owner_id: owner.owner_id, pool: 'check', record_id: CHECKED, day });
  }),
};

const NEW_WEBHOOK = '00000000-0000-4000-8000-000000000000';
const PAGE = { archived: false, after: null, limit: 100 } as const;

const NO_FILTER: RecordFilter = {
  ...{ agent_id: null, market: null, symbols: null, venue: null, asset_class: null, quote_currency: null },
  ...{ direction: null, lifecycle_state: null, result_bucket: null, submitted_since: null, submitted_until: null },
  ...{ evaluated_since: null, group_id: null, include_archived: true },
  ...{ submission_origin: null, ended_since: null, ended_until: null },
};

const FILTERS = (mine: string, others: string): readonly Partial<RecordFilter>[] => [
  {},
  { agent_id: mine },
  { agent_id: others },
  { agent_id: others, market: 'crypto' },
  { market: 'crypto' },
];

const ANY: TrackRecordFilter = {
  ...{ symbols: null, direction: null, perspective_type: null, holding_seconds_min: null, holding_seconds_max: null },
  ...{ result_bucket: null, has_outcome: null, since: null, until: null },
};

const recordsOf = (...parties: readonly World['me'][]) => parties.flatMap(({ records }) => Object.values(records));

const related = (related_records: readonly RelatedRecord[]) => ({ related_records });

async function all<Each, Result>(each: readonly Each[], work: (each: Each) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const one of each) results.push(await work(one));
  return results;
}

/** The refusal, as what a probe sees: it ends no transaction of the server. */
function refused(work: Promise<unknown>): Promise<unknown> {
  return work.catch((fault: unknown) => String(fault));
}

async function stateOf({ ownerData }: World['storage'], owner_id: string) {
  return (await ownerData.account(owner_id)) ?? { rows: null };
}

/** The owner_id of an admin who is neither of the two. */
async function anAdmin({ owners, ownerAdministration }: World['storage']): Promise<string> {
  const owner = anOwner();
  await owners.add(owner);
  await ownerAdministration.setRole(owner.owner_id, 'admin');
  return owner.owner_id;
}

function requestReset({ factors }: World['storage'], owner_id: string, wait = DAY) {
  return factors.requestReset({ owner_id, evidence: 'known_number', actor: 'a test' }, wait);
}

function changing(change: Probe): Probe {
  return async (world) => {
    const { storage, me, other } = world;
    const result = await change(world);
    const states = await all([me, other], ({ owner }) => stateOf(storage, owner.owner_id));
    return [result, states, await storage.decisions.findStatus([other.records.graded], other.owner.owner_id)];
  };
}

function submitting(changes: (world: World) => Partial<Submission>): Probe {
  return async (world) => {
    const { storage, me, now } = world;
    const submission = aSubmission(now, { symbol: 'ADA', ...changes(world) });
    const draft = aDraft(me.agent, now, submission, { limits: NO_LIMITS });
    const preview = await storage.intake.preview(draft);
    const verdict = await storage.intake.submit(draft);
    return [preview, 'receipt' in verdict ? verdict.receipt.warnings : verdict];
  };
}

type Credential = NonNullable<Parameters<World['storage']['admission']['admit']>[0]['proof']>;

/** Of both owners: where a slip finds the rows of both, and the first is taken, one of them gets the wrong one. */
function admitting(proof: (party: World['me']) => Credential): Probe {
  return ({ storage, me, other }) =>
    all([me, other], (party) =>
      all([null, 'query', 'read'] as const, async (pool) => {
        const { verdict, ...rest } = await storage.admission.admit({
          proof: proof(party),
          callerLimits: { per_second: 100, per_minute: 100 },
          address: `address ${randomBytes(8).toString('hex')}`,
          addressPerMinute: 100,
          from: null,
          spend: pool && { pool, record_id: null, base: 10, units: pool === 'query' ? 0 : 1 },
        });
        return 'caller' in rest ? { verdict, caller: rest.caller, quota: rest.quota } : { verdict };
      }),
    );
}
