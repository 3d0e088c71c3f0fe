import { anOpenCall } from '../authorisation/owned-records.ts';
import { events, GHOST_RECORD, leaf, newPlan, plan, record, textOf } from '../authorisation/requests.ts';
import { addition, type Operation, operation } from './operation.ts';

const OF_DECISIONS = {
  open: 'the owner',
  public: 'any credential, own view',
  archived: 'any credential, own view',
  quarantined: 'the owner',
};
const OF_RECEIPTS = { open: 'the owner', public: 'the owner', archived: 'the owner', quarantined: 'the owner' };
const OF_PUBLIC_DECISIONS = { open: 'nobody', public: 'everyone', archived: 'everyone', quarantined: 'nobody' };

/** Of agents, and what everybody may read of decisions. */
export const DECISIONS: readonly Operation[] = [
  operation(
    'POST /agent/decisions',
    201,
    { '.': 'a writing key', 'on-open': "the owner's writing key" },
    ({ records }, of) => ({
      body: anOpenCall(of === 'on-open' ? { related_records: [{ record_id: records.open, relation: 'extends' }] } : {}),
      ...(of === 'on-open' && { names: { id: records.open, ghost: GHOST_RECORD } }),
    }),
  ),
  // settled.md 5
  addition('GET /agent/decisions', 200, 'a bound key'),
  operation('POST /agent/decisions/batch', 200, { open: 'any credential, by POST' }, ({ records }) => ({
    body: { record_ids: [records.open] },
    names: { id: records.open, ghost: GHOST_RECORD },
    isOwn: (body) => textOf(body).includes('not_public'),
  })),
  operation('GET /agent/decisions/{record_id}', 200, OF_DECISIONS, record),
  operation('GET /agent/decisions/{record_id}/graph', 200, OF_DECISIONS, record),
  // The evidence log (docs/log.md).
  addition('GET /agent/decisions/{record_id}/receipt', 200, OF_RECEIPTS, async (cast, of) => ({
    ...(await record(cast, of)),
    query: '?opening=full',
  })),
  operation('GET /agent/decisions/{record_id}/state', 200, OF_DECISIONS, record),
  operation('GET /agent/wisdom', 200, 'any credential', () => ({ query: '?market=crypto' })),
  addition('GET /agent/instruments', 200, 'any credential', () => ({ query: '?query=BTC' })),
  // Questions that are stated before they are asked (docs/cohorts.md).
  addition('POST /agent/plans', 201, 'a writing key', newPlan),
  addition('GET /agent/plans', 200, { plan: 'any credential, own view' }, async (cast) => {
    const { id } = await plan(cast);
    return { isOwn: (body) => textOf(body).includes(id) };
  }),
  addition('GET /agent/plans/{plan_id}', 200, { plan: 'the owner' }, async (cast) => ({ names: await plan(cast) })),
  addition('GET /agent/plans/{plan_id}/receipt', 200, { plan: 'the owner' }, async (cast) => ({
    names: await plan(cast),
    query: '?opening=full',
  })),
  // What happened to decisions (docs/events.md).
  addition('GET /agent/events', 200, 'a bound key', events),
  operation('GET /nodes', 200, 'everyone'),
  operation('GET /nodes/{id}', 200, 'everyone', () => ({ path: '/api/v1/nodes/decision.submit' })),
  operation('GET /public/atlas/network', 200, 'everyone'),
  operation('GET /public/atlas/seeds', 200, 'everyone'),
  // Counts of cohorts for everybody (docs/cohorts.md).
  addition('GET /public/cohorts', 200, 'everyone', () => ({ query: '?market=crypto' })),
  operation('GET /public/decisions/{record_id}', 200, OF_PUBLIC_DECISIONS, record),
  operation('GET /public/decisions/{record_id}/graph', 200, OF_PUBLIC_DECISIONS, record),
  // The evidence log (docs/log.md).
  addition('GET /public/decisions/{record_id}/proof', 200, OF_PUBLIC_DECISIONS, record),
  operation('GET /public/decisions/{record_id}/state', 200, OF_PUBLIC_DECISIONS, record),
  // For the page at /, while the atlas is empty (docs/contract.md).
  addition('GET /public/decisions', 200, 'everyone'),
  // The evidence log (docs/log.md).
  addition('GET /public/log/{index}', 200, OF_PUBLIC_DECISIONS, leaf),
  // For the page at /: what isolates calls is a public fact (docs/circuits.md).
  addition('GET /public/stablecoin', 200, 'everyone'),
];
