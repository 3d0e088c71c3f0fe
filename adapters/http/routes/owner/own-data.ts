import { z } from 'zod';
import {
  readErasure,
  type ScheduledErasure,
  scheduleErasure,
  takeBackErasure,
} from '../../../../application/accounts/erasure/manage-erasure.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type OwnExportPorts,
  ownExports,
} from '../../../../application/accounts/export-own-data.ts';
import { exportPlaces, type PlaceLimits } from '../../../../application/accounts/export-places.ts';
import { recentLoginBy } from '../../../../application/accounts/sign-in/recent-login.ts';
import { StreamedReply, type StreamLimits } from '../../../../application/json-text.ts';
import { type RecordProofPorts, recordProofs } from '../../../../application/log/record-proof.ts';
import type { Ports } from '../../../../application/ports.ts';
import { ERASURE, EXPORT } from '../../../../domain/limits.ts';
import { TABLE_TYPES } from '../../../../domain/table.ts';
import { DAY } from '../../../../domain/time.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import {
  EXPORT_PATH,
  scheduledErasure,
  scheduledErasureExample,
  takenBack,
} from '../../shapes/accounts/owner-settings.ts';
import { agentIdText } from '../../shapes/decisions/own-records.ts';
import { ZIP } from '../../shapes/files.ts';

export function ownDataEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    exportEndpoint(ports),
    recordProofEndpoint(ports),
    scheduleErasureEndpoint(ports),
    readErasureEndpoint(ports),
    takeBackErasureEndpoint(ports),
  ];
}

const exportQuery = z.strictObject({
  format: z
    .enum(EXPORT_FORMATS)
    .default('jsonl')
    .describe(
      '`jsonl`: one JSON object a line, each with a `type`; `zip`: an archive of files, with a README; `csv` and ' +
        '`parquet`: your decisions alone, as a table.',
    ),
});

/** The content type of a format; null: that of the reply. */
const TYPES: Readonly<Record<ExportFormat, string | null>> = { ...TABLE_TYPES, jsonl: null, zip: ZIP };

const tag = 'Accounts';
const auth = ['owner_bearer', 'legacy_session'] as const;
const path = '/api/v1/owner/erasure';
const DAYS = `${ERASURE.grace / DAY} days`;

function scheduleErasureEndpoint(ports: Pick<Ports, 'transaction' | 'identityProvider' | 'clock' | 'settings'>) {
  return endpoint({
    id: 'scheduleErasure',
    method: 'POST',
    path,
    isAddition: true,
    summary: 'Erase your account',
    description:
      `After ${DAYS}, in which you can take it back, the account and what you wrote are erased for good. Your API keys stop ` +
      `at once; you can still log in. Export your data first: GET ${EXPORT_PATH}. Public parts of decisions and their proofs ` +
      'stay. It needs a recent login: otherwise the reply is REAUTHENTICATION_REQUIRED. A second request changes nothing.',
    tag,
    auth,
    replies: {
      202: { description: 'It is scheduled.', schema: scheduledErasure, example: scheduledErasureExample },
    },
    problems: ['REAUTHENTICATION_REQUIRED'],
    async handle({ caller, credential, source }) {
      const confirmLogin = await recentLoginBy(ports, credential);
      return { status: 202, body: shown(await scheduleErasure(ports, caller.owner_id, confirmLogin, source)) };
    },
  });
}

function readErasureEndpoint(ports: Pick<Ports, 'owners'>) {
  return endpoint({
    id: 'readErasure',
    method: 'GET',
    path,
    isAddition: true,
    summary: 'Read when your account will be erased',
    description: 'The times are `null` while nothing is scheduled.',
    tag,
    auth,
    replies: {
      200: { description: 'What is scheduled.', schema: scheduledErasure, example: scheduledErasureExample },
    },
    problems: [],
    async handle({ caller }) {
      return { status: 200, body: shown(await readErasure(ports, caller.owner_id)) };
    },
  });
}

function takeBackErasureEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'takeBackErasure',
    method: 'DELETE',
    path,
    isAddition: true,
    summary: 'Keep your account',
    description:
      'Takes the erasure back. The keys that it stopped work again, unless the operator has suspended the account.',
    tag,
    auth,
    replies: {
      200: { description: 'The account stays.', schema: takenBack, example: { keys_restored: ['sbk_3kTzP9q1'] } },
    },
    problems: ['NOT_FOUND'],
    async handle({ caller, source }) {
      return { status: 200, body: { keys_restored: await takeBackErasure(ports, caller.owner_id, source) } };
    },
  });
}

function shown(scheduled: ScheduledErasure) {
  return { ...scheduled, export_path: EXPORT_PATH };
}

/** @param limits of the readers and their places */
export function exportEndpoint(
  ports: OwnExportPorts & Pick<Ports, 'identityProvider' | 'settings' | 'sessions'>,
  limits: StreamLimits & PlaceLimits = EXPORT,
) {
  const exportOf = ownExports(ports, exportPlaces(limits));
  return endpoint({
    id: 'exportOwnData',
    method: 'GET',
    path: '/api/v1/owner/export',
    isAddition: true,
    summary: 'Get a copy of all your data',
    description:
      'Your account, agents, keys without secrets, workflows, security events, and every decision with its outcome, bars ' +
      'and receipts. The reply is a stream: JSON lines are whole when the last one has the type `complete`, an archive when ' +
      'it opens, a Parquet file when it ends with its footer. The tables have a row for each decision, in the same ' +
      'order, without bars and receipts. It needs a recent login: otherwise the reply is REAUTHENTICATION_REQUIRED. HEAD says ' +
      'whether the login is recent enough, and is not counted as an export.',
    tag: 'Accounts',
    auth: ['owner_bearer', 'legacy_session'],
    query: exportQuery,
    replies: {
      200: {
        description: 'The copy. If the connection ends before it is whole, request it again.',
        contentType: TABLE_TYPES.jsonl,
        otherTypes: [ZIP, TABLE_TYPES.csv, TABLE_TYPES.parquet],
        schema: z.string(),
        example:
          '{"type":"export","version":1,...}\n{"type":"owner","row":{...}}\n...{"type":"complete","counts":{...}}\n',
        headers: { 'content-disposition': 'Names the file.' },
      },
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller: { owner_id }, credential, query: { format }, source, network, isHead }) {
      const confirmLogin = await recentLoginBy(ports, credential);
      await confirmLogin(ports);
      const wanted = { owner_id, format, source, network };
      return {
        status: 200,
        headers: { 'content-disposition': `attachment; filename="stancebook-export.${format}"` },
        body: new StreamedReply(isHead ? nothing() : exportOf(wanted), limits, TYPES[format]),
      };
    },
  });
}

/** @param limits of the readers and their places */
function recordProofEndpoint(
  ports: RecordProofPorts & Pick<Ports, 'identityProvider' | 'settings' | 'sessions'>,
  limits: StreamLimits & PlaceLimits = EXPORT,
) {
  const proofOf = recordProofs(ports, exportPlaces(limits));
  return endpoint({
    id: 'readRecordProof',
    method: 'GET',
    path: '/api/v1/owner/record-proof',
    isAddition: true,
    summary: 'Prove the whole record of an agent',
    description:
      'A file for readers who do not trust this service: every numbered decision of the agent, so that none can be left ' +
      'out, with what others see of each. What they do not see stays a digest. Readers check it with ' +
      '`verify --record FILE --log PLACE`; they will recognise the next decision of the agent in the log. The reply is a ' +
      'stream of JSON lines, whole when the last one has the type `complete`. It needs a recent login: ' +
      'otherwise the reply is REAUTHENTICATION_REQUIRED.',
    tag: 'Accounts',
    auth: ['owner_bearer', 'legacy_session'],
    query: z.strictObject({ agent_id: agentIdText().describe('An agent of yours.') }),
    replies: {
      200: {
        description: 'The file. If the connection ends before it is whole, request it again.',
        contentType: TABLE_TYPES.jsonl,
        schema: z.string(),
        example: '{"type":"record","v":1,...}\n{"type":"decision","index":8123,...}\n...{"type":"complete",...}\n',
        headers: { 'content-disposition': 'Names the file.' },
      },
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller: { owner_id }, credential, query: { agent_id }, source, network, isHead }) {
      const confirmLogin = await recentLoginBy(ports, credential);
      await confirmLogin(ports);
      const wanted = { owner_id, agent_id, source, network };
      return {
        status: 200,
        headers: { 'content-disposition': `attachment; filename="${agent_id}.record.jsonl"` },
        body: new StreamedReply(isHead ? nothing() : proofOf(wanted), limits, null),
      };
    },
  });
}

async function* nothing(): AsyncGenerator<string> {}
