import { ABOUT } from '../../builders/backtests.ts';
import { aPastCall } from '../../harness/cohorts.ts';
import { anOpenCall } from '../authorisation/owned-records.ts';
import {
  agent,
  backtest,
  backtestNote,
  events,
  GHOST_RECORD,
  leaf,
  newNote,
  newPlan,
  plan,
  record,
  textOf,
} from '../authorisation/requests.ts';
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
  // securities.md 5
  addition(
    'POST /agent/decision-groups',
    201,
    { '.': 'a writing key', 'on-open': "the owner's writing key" },
    (cast, of) => {
      const { horizon_kind, horizon_value, ...shared } = anOpenCall({
        direction: 'neutral',
        ...(of === 'on-open' && { related_records: [{ record_id: cast.records.open, relation: 'extends' }] }),
      });
      const horizons = [
        { horizon_kind, horizon_value },
        { horizon_kind, horizon_value: 5 },
      ];
      return {
        body: { ...shared, horizons },
        ...(of === 'on-open' && { names: { id: cast.records.open, ghost: GHOST_RECORD } }),
      };
    },
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
  // What an agent learned from an outcome (docs/records.md).
  addition(
    'POST /agent/decisions/{record_id}/notes',
    201,
    { public: "the agent's writing key", archived: "the agent's writing key" },
    newNote,
  ),
  operation('GET /agent/wisdom', 200, 'any credential', () => ({ query: '?market=crypto' })),
  // What an agent had decided (docs/recall.md).
  addition(
    'GET /agent/recall',
    200,
    { '.': 'a bound key, no agent', agent: 'the account of the agent' },
    (cast, of) => ({
      ...(of === 'agent' && agent(cast)),
      query: `?market=crypto&symbol=BTC${of === 'agent' ? `&agent_id=${cast.owner.agent_id}` : ''}`,
      isOwn: (body) => Object.values(cast.records).some((id) => textOf(body).includes(id)),
    }),
  ),
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
  // Calls about the past (docs/backtests.md).
  addition('POST /agent/backtests/{set}', 200, 'the owner or a writing key of the agent', (cast) => ({
    ...backtest(cast),
    body: { about: ABOUT, rows: [{ external_id: 'a', ...aPastCall(30) }] },
  })),
  addition('POST /agent/backtests/{set}/notes', 201, 'the owner or a writing key of the agent', (cast) =>
    backtestNote(cast),
  ),
  addition('GET /agent/backtests/{set}', 200, 'the owner or a key of the agent', (cast) => backtest(cast)),
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
  // What names of securities mean (docs/securities.md).
  addition('GET /public/securities/{market}/{symbol}', 200, 'everyone', () => ({
    path: '/api/v1/public/securities/stock/META',
  })),
  addition('GET /public/securities/names', 200, 'everyone'),
  // For the page at /: what isolates calls is a public fact (docs/circuits.md).
  addition('GET /public/stablecoin', 200, 'everyone'),
];
