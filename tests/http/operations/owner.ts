import { randomUUID } from 'node:crypto';
import { acceptLegal } from '../../../application/accounts/own-account.ts';
import { readDigest } from '../../../application/events/read-digest.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import { A_SOURCE } from '../../builders/accounts.ts';
import { aReadyDraft } from '../../builders/workflows.ts';
import {
  agent,
  delivery,
  events,
  ofEach,
  ownBacktest,
  record,
  snapshot,
  spareAgent,
  textOf,
  VERSIONS,
  WEBHOOK_URL,
  webhook,
  workflow,
  writtenNote,
  yamlOf,
} from '../authorisation/requests.ts';
import { addition, type Operation, operation } from './operation.ts';

const OF_SNAPSHOTS = { shown: 'everyone, identified', hidden: 'the owner, identified' };

/** Of owners and of their workflows, and the snapshots of workflows. */
export const OWNER: readonly Operation[] = [
  operation('GET /owner/agents', 200, 'an account reads'),
  operation('GET /owner/agents/{agent_id}/track-record', 200, { agent: 'the account reads' }, agent),
  // Agents that are archived and removed (docs/contract.md).
  addition('POST /owner/agents/{agent_id}/archive', 200, { 'spare-agent': 'the account changes' }, spareAgent),
  addition('POST /owner/agents/{agent_id}/restore', 200, { 'away-agent': 'the account changes' }, spareAgent),
  addition('DELETE /owner/agents/{agent_id}', 204, { 'spare-agent': 'the account changes' }, spareAgent),
  // Sets of back-tests (docs/backtests.md).
  addition('GET /owner/backtests', 200, 'an account reads', async (cast) => {
    await ownBacktest(cast);
    return { isOwn: (body) => textOf(body).includes('"owned"') };
  }),
  addition('GET /owner/agents/{agent_id}/backtests/{set}/export', 200, 'the account reads', (cast) =>
    ownBacktest(cast, '/export'),
  ),
  addition('DELETE /owner/agents/{agent_id}/backtests/{set}', 204, 'the account changes', (cast) => ownBacktest(cast)),
  operation('GET /owner/dashboard', 200, 'an account reads', () => ({
    isOwn: (body) => /"quarantined":[1-9]/.test(textOf(body)),
  })),
  addition('GET /owner/outcomes', 200, 'an account reads', () => ({
    isOwn: (body) => /"(strong|weak)_(in)?correct":[1-9]/.test(textOf(body)),
  })),
  // The security events of an owner (docs/contract.md).
  addition(
    'GET /owner/security-events',
    200,
    'an account reads',
    async ({ service: { ports }, owner: { owner_id } }) => {
      const event = eventOf('reauthentication', 'failure', owner_id, A_SOURCE);
      await ports.securityEvents.append({ ...event, subject: owner_id });
      return {
        path: '/api/v1/owner/security-events?kind=reauthentication',
        isOwn: (body) => textOf(body).includes(owner_id),
      };
    },
  ),
  // An owner's copy of their data (docs/contract.md).
  addition('GET /owner/record-proof', 200, { agent: 'the account reads' }, (cast) => ({
    ...agent(cast),
    query: `?agent_id=${cast.owner.agent_id}`,
  })),
  addition('GET /owner/export', 200, 'an account reads', ({ owner: { owner_id } }) => ({
    isOwn: (body) => textOf(body).includes(owner_id),
  })),
  // The erasure of an account (docs/contract.md).
  addition('GET /owner/erasure', 200, 'an account reads', ({ service: { ports }, owner: { owner_id } }) => ({
    arrange: async () => void (await ports.erasures.schedule(owner_id)),
    tidy: async () => void (await ports.erasures.takeBack(owner_id)),
    isOwn: (body) => textOf(body).includes('"requested_at":"'),
  })),
  addition('POST /owner/erasure', 202, 'an account changes', (cast) => ({
    tidy: () => ofEach(cast, ({ owner_id }) => cast.service.ports.erasures.takeBack(owner_id)),
  })),
  addition('DELETE /owner/erasure', 200, 'an account changes', (cast) => ({
    arrange: () => ofEach(cast, ({ owner_id }) => cast.service.ports.erasures.schedule(owner_id)),
    tidy: () => ofEach(cast, ({ owner_id }) => cast.service.ports.erasures.takeBack(owner_id)),
  })),
  // What happened to decisions (docs/events.md).
  addition('GET /owner/events', 200, 'an account reads', events),
  addition('GET /owner/events/digest', 200, 'an account reads', async (cast) => ({
    isOwn: (await events(cast)).isOwn ?? (() => false),
  })),
  addition('PUT /owner/events/read-mark', 204, 'an account changes', async ({ service: { ports }, owner }) => ({
    body: { read_mark: (await readDigest(ports, owner.owner_id)).read_mark },
  })),
  // Events that are sent (docs/webhooks.md).
  addition('GET /owner/webhooks', 200, 'an account reads', async (cast) => {
    const { names } = await webhook(cast);
    return { isOwn: (body) => textOf(body).includes(names.id) };
  }),
  addition('POST /owner/webhooks', 201, 'an account changes', async (cast) => {
    await webhook(cast);
    return { body: { url: WEBHOOK_URL } };
  }),
  addition('GET /owner/webhooks/{webhook_id}', 200, { webhook: 'the account reads' }, webhook),
  addition('PATCH /owner/webhooks/{webhook_id}', 200, { webhook: 'the account changes' }, async (cast) => ({
    ...(await webhook(cast)),
    body: { description: randomUUID() },
  })),
  addition('DELETE /owner/webhooks/{webhook_id}', 204, { webhook: 'the account changes' }, webhook),
  addition('POST /owner/webhooks/{webhook_id}/rotate-secret', 200, { webhook: 'the account changes' }, webhook),
  addition('POST /owner/webhooks/{webhook_id}/test', 202, { webhook: 'the account changes' }, webhook),
  addition(
    'POST /owner/webhooks/{webhook_id}/resend-failed',
    202,
    { webhook: 'the account changes' },
    async (cast) => ({
      ...(await webhook(cast)),
      body: { since: '2000-01-01T00:00:00Z' },
    }),
  ),
  addition('GET /owner/webhooks/{webhook_id}/deliveries', 200, { webhook: 'the account reads' }, webhook),
  addition(
    'POST /owner/webhooks/{webhook_id}/deliveries/{delivery_id}/resend',
    202,
    { delivery: 'the account changes' },
    async (cast) => {
      const { names, path } = await delivery(cast);
      return { names, path };
    },
  ),
  operation('GET /owner/decisions', 200, 'an account reads'),
  operation(
    'GET /owner/decisions/{record_id}',
    200,
    {
      open: 'the account reads',
      public: 'the account reads',
      archived: 'no account reads',
      quarantined: 'the account reads',
    },
    record,
  ),
  operation('POST /owner/decisions/{record_id}/revoke', 204, { fresh: 'the account changes' }, async (cast, of) => ({
    ...(await record(cast, of)),
    body: {},
  })),
  // What an agent learned from an outcome (docs/records.md).
  addition(
    'DELETE /owner/decisions/{record_id}/notes/{number}',
    204,
    { public: 'the account changes', archived: 'the account changes', quarantined: 'the account changes' },
    writtenNote,
  ),
  operation(
    'GET /owner/decisions/{record_id}/state',
    200,
    { open: 'the account reads', public: 'the account reads', archived: 'the account reads' },
    record,
  ),
  operation('POST /owner/legal-acceptance', 200, 'an account changes', () => ({
    body: { ...VERSIONS, source: 'any caller' },
  })),
  operation('GET /owner/legal-status', 200, 'an account reads', async ({ service: { ports }, owner }) => {
    const source = randomUUID();
    await acceptLegal(ports, { owner_id: owner.owner_id, network: 'a network' }, { ...VERSIONS, source });
    return { isOwn: (body) => textOf(body).includes(source) };
  }),
  operation('PUT /owner/preferences', 200, 'an account changes', () => ({ body: { display_name: randomUUID() } })),
  operation('GET /owner/workflows', 200, 'an account reads'),
  operation('POST /owner/workflows', 201, 'an account changes', () => ({ body: aReadyDraft({ name: randomUUID() }) })),
  operation('POST /owner/workflows/import', 201, 'an account changes', async (cast) => ({
    headers: { 'content-type': 'application/yaml' },
    body: await yamlOf(cast),
  })),
  operation('GET /owner/workflows/{id}', 200, { draft: 'the designer reads', shown: 'the designer reads' }, workflow),
  operation(
    'PUT /owner/workflows/{id}',
    200,
    { fresh: 'the designer changes', shown: 'the designer changes' },
    async (cast, of) => {
      const named = await workflow(cast, of);
      const { version } = (await cast.service.ports.workflows.find(named.names?.id ?? '')) ?? {};
      return { ...named, body: { expected_version: version, tags: [randomUUID()] } };
    },
  ),
  operation('DELETE /owner/workflows/{id}', 204, { fresh: 'the designer changes' }, workflow),
  operation(
    'POST /owner/workflows/{id}/fork',
    201,
    {
      draft: 'the designer changes',
      promised: 'the designer changes',
      hidden: 'the designer changes',
      shown: 'an account changes',
    },
    workflow,
  ),
  operation('GET /owner/workflows/{id}/snapshots', 200, { shown: 'the designer reads' }, workflow),
  operation('POST /owner/workflows/{id}/snapshots', 200, { fresh: 'the designer changes' }, workflow),
  operation('GET /owner/workflows/{id}/usage', 200, { shown: 'the designer reads' }, workflow),
  operation('GET /owner/workflows/{id}/yaml', 200, { shown: 'the designer reads' }, workflow),
  operation('GET /public/workflows', 200, 'any credential'),
  operation('GET /public/workflows/snapshots/{hash}', 200, OF_SNAPSHOTS, snapshot),
  operation('GET /public/workflows/snapshots/{hash}/export', 200, OF_SNAPSHOTS, snapshot),
  operation('GET /public/workflows/snapshots/{hash}/yaml', 200, OF_SNAPSHOTS, snapshot),
];
