import { z } from 'zod';
import { addRowNote } from '../../../application/backtests/add-row-note.ts';
import { exportSet, listSets, readSet, removeSet } from '../../../application/backtests/read-sets.ts';
import { receiveRows } from '../../../application/backtests/receive-rows.ts';
import { StreamedReply } from '../../../application/json-text.ts';
import type { Ports } from '../../../application/ports.ts';
import type { Caller } from '../../../domain/caller.ts';
import { BACKTEST, EXPORT, NOTE } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import { TABLE_TYPES } from '../../../domain/table.ts';
import { type Endpoint, endpoint } from '../kit/endpoint.ts';
import {
  backtestBatch,
  backtestBody,
  backtestBodyExample,
  batchReply,
  batchReplyExample,
  ownerSetPath,
  rowNoteExample,
  rowNoteRequest,
  sentRowsOf,
  setList,
  setListExample,
  setPath,
  setQuery,
  setReply,
  setReplyExample,
  writtenRowNote,
  writtenRowNoteExample,
} from '../shapes/decisions/backtests.ts';

const tag = 'Back-tests';
const ANY = ['api_key', 'owner_bearer', 'legacy_session'] as const;
const OWNERS = ['owner_bearer', 'legacy_session'] as const;

export function backtestEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    sendRowsEndpoint(ports),
    readSetEndpoint(ports),
    addRowNoteEndpoint(ports),
    listSetsEndpoint(ports),
    exportSetEndpoint(ports),
    removeSetEndpoint(ports),
  ];
}

function sendRowsEndpoint(ports: Ports) {
  return endpoint({
    id: 'sendBacktestRows',
    method: 'POST',
    path: '/api/v1/agent/backtests/{set}',
    isAddition: true,
    summary: 'Send rows of a back-test',
    description:
      'Adds calls about the past to a set of the agent, which its first row makes. They are graded like decisions, and ' +
      'apart from all of them. Each row is accepted, repeated or refused for itself; beyond a limit, such as ' +
      `${BACKTEST.instruments} instruments, nothing is stored. To resume, send the same rows again.`,
    tag,
    grows: true,
    auth: ANY,
    permission: 'submit',
    params: setPath,
    query: setQuery,
    body: {
      schema: backtestBody,
      example: backtestBodyExample,
      limit: BACKTEST.bodyBytes,
      longList: { member: 'rows', shown: backtestBatch },
    },
    valueStatus: 422,
    replies: { 200: { description: 'What became of the rows.', schema: batchReply, example: batchReplyExample } },
    problems: ['DAILY_QUOTA_EXCEEDED', 'TIER_LIMIT_REACHED', 'NOT_FOUND', 'AGENT_ARCHIVED', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params, query, body: { about, rows }, network }) {
      const set = { owner_id: caller.owner_id, agent_id: agentOf(caller, query.agent_id), name: params.set };
      const reply = await receiveRows(ports, { ...set, about, rows: sentRowsOf(rows), network });
      const refused = reply.refused.map(({ details, ...row }) => ({
        ...row,
        details: details.map(({ path, message, received }) => ({ path, message, received })),
      }));
      return { status: 200, body: { ...reply, refused } };
    },
  });
}

/** The agent of a key, or the one that an owner names. */
function agentOf(caller: Caller, named: string | undefined): string {
  if (caller.credential !== 'api_key') {
    if (named !== undefined) return named;
    const details = [{ path: 'agent_id', message: 'is required with the credential of an owner' }];
    throw new Problem('VALIDATION_ERROR', 'Send agent_id: which agent the set is of.', { details });
  }
  if (caller.agent_id === null) throw new Problem('KEY_UNBOUND', 'This API key is not bound to an agent.');
  if (named === undefined || named === caller.agent_id) return caller.agent_id;
  const suggestion = 'Leave agent_id out: the key has its own agent.';
  throw new Problem('NOT_FOUND', `This API key is not of the agent ${named}.`, { suggestion });
}

function readSetEndpoint(ports: Ports) {
  return endpoint({
    id: 'readBacktest',
    method: 'GET',
    path: '/api/v1/agent/backtests/{set}',
    isAddition: true,
    summary: 'Read the counts of a back-test',
    description:
      'Raw counts of the rows of a set, in the words of a track record: no rate, score or ranking. `had_said` shows what ' +
      'each direction would have got in the same windows, `windows` how many do not overlap. It takes no unit of a pool.',
    tag,
    auth: ANY,
    params: setPath,
    query: setQuery,
    replies: { 200: { description: 'The counts.', schema: setReply, example: setReplyExample } },
    problems: ['KEY_UNBOUND', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params, query }) {
      const set = { owner_id: caller.owner_id, agent_id: agentOf(caller, query.agent_id), name: params.set };
      return { status: 200, body: await readSet(ports, set) };
    },
  });
}

function addRowNoteEndpoint(ports: Ports) {
  return endpoint({
    id: 'addBacktestNote',
    method: 'POST',
    path: '/api/v1/agent/backtests/{set}/notes',
    isAddition: true,
    summary: 'Write a note on a graded row',
    description:
      'Keeps what the agent learned from the outcome of a row, as of a time of the back-test: from its `known_at` until ' +
      'now, else it is 409 or 422. Recall with `set` shows it from then on. What the newest note of that time says is that ' +
      `note. A row holds ${NOTE.perRecord}; \`LIMIT_NOTES_PER_DAY\` counts them with those on records.`,
    tag,
    grows: true,
    auth: ANY,
    permission: 'submit',
    params: setPath,
    query: setQuery,
    body: { schema: rowNoteRequest, example: rowNoteExample },
    valueStatus: 422,
    replies: {
      201: { description: 'Written.', schema: writtenRowNote, example: writtenRowNoteExample },
      200: {
        description: 'The newest note of that time has this text.',
        schema: writtenRowNote,
        example: writtenRowNoteExample,
      },
    },
    problems: [
      ...(['NOT_FOUND', 'RECORD_OPEN', 'TIER_LIMIT_REACHED', 'DAILY_QUOTA_EXCEEDED', 'SERVICE_UNAVAILABLE'] as const),
    ],
    async handle({ caller, params, query, body, network }) {
      const set = { owner_id: caller.owner_id, agent_id: agentOf(caller, query.agent_id), name: params.set };
      const { note, existed } = await addRowNote(ports, { ...set, ...body, network });
      const reply = { as_of: note.as_of, written_at: note.written_at };
      return existed ? { status: 200, body: reply } : { status: 201, body: reply };
    },
  });
}

function listSetsEndpoint(ports: Pick<Ports, 'backtests'>) {
  return endpoint({
    id: 'listBacktests',
    method: 'GET',
    path: '/api/v1/owner/backtests',
    isAddition: true,
    summary: 'List your sets of back-tests',
    description: `All sets of your agents, by agent and name: at most ${BACKTEST.sets}.`,
    tag,
    auth: OWNERS,
    replies: { 200: { description: 'The sets.', schema: setList, example: setListExample } },
    problems: [],
    async handle({ caller }) {
      return { status: 200, body: { items: await listSets(ports, caller.owner_id) } };
    },
  });
}

function exportSetEndpoint(ports: Pick<Ports, 'backtests'>) {
  return endpoint({
    id: 'exportBacktest',
    method: 'GET',
    path: '/api/v1/owner/agents/{agent_id}/backtests/{set}/export',
    isAddition: true,
    summary: 'Get a copy of a back-test',
    description:
      'Each row as it was sent, with its outcome and since when it was known. The reply is a stream of JSON lines, whole ' +
      'when the last one has the type `complete`.',
    tag,
    auth: OWNERS,
    params: ownerSetPath,
    replies: {
      200: {
        description: 'The copy. If the connection ends before it is whole, request it again.',
        contentType: TABLE_TYPES.jsonl,
        schema: z.string(),
        example:
          '{"type":"set","set":"spring",...}\n{"type":"row","external_id":"trade-17",...}\n{"type":"complete","rows":1}\n',
        headers: { 'content-disposition': 'Names the file.' },
      },
    },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    handle({ caller, params: { agent_id, set: name } }) {
      const pieces = exportSet(ports, { owner_id: caller.owner_id, agent_id, name });
      const headers = { 'content-disposition': `attachment; filename="${name}.jsonl"` };
      return { status: 200, headers, body: new StreamedReply(pieces, EXPORT) };
    },
  });
}

function removeSetEndpoint(ports: Pick<Ports, 'backtests' | 'wake'>) {
  return endpoint({
    id: 'removeBacktest',
    method: 'DELETE',
    path: '/api/v1/owner/agents/{agent_id}/backtests/{set}',
    isAddition: true,
    summary: 'Delete a back-test',
    description: 'Deletes a set with all of its rows and outcomes, for good. Its name is free again.',
    tag,
    auth: OWNERS,
    params: ownerSetPath,
    replies: { 204: { description: 'It is deleted.' } },
    problems: ['NOT_FOUND'],
    async handle({ caller, params: { agent_id, set: name } }) {
      await removeSet(ports, { owner_id: caller.owner_id, agent_id, name });
      return { status: 204 };
    },
  });
}
