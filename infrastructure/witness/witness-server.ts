import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ClientGone, readBody } from '../../adapters/http/kit/input/read-body.ts';
import { type WitnessAnswer, type Witnessing, witnessCheckpoint } from '../../application/log/witness-checkpoint.ts';
import { Malformed } from '../../domain/log/encoding.ts';
import { addCheckpointOf } from '../../domain/log/notes/checkpoint.ts';
import { signatureLine } from '../../domain/log/notes/note.ts';
import { Problem } from '../../domain/problem.ts';
import type { Logger } from '../logging/logger.ts';
import type { WitnessState } from './witness-state.ts';

export interface WitnessServer {
  readonly url: string;
  /** Accepts no more connections; resolves when the last one is closed, after 1 s at most. */
  stop(): Promise<void>;
}

export interface WitnessServing extends Witnessing {
  readonly checkpoints: WitnessState;
  /** Shows the operator the proof of a fork, which the log could cut off. */
  printProof(text: string): void;
  readonly log: Pick<Logger, 'error'>;
}

/** Longer bodies are refused; 63 hashes and a checkpoint with 16 signatures of ML-DSA-44 need less. */
const MOST_BODY_BYTES = 64 * 1024;
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 8_192,
} as const;
const MOST_CONNECTIONS = 1_000;
const REQUESTS_END = 1_000;

/**
 * The two endpoints of tlog-witness on bare `node:http`: their bodies are lines of text with statuses of their own, and
 * they have no credentials, so of the service's kit (JSON, envelopes, rate windows in the database) they need only the reader of bodies.
 */
export async function startWitnessServer(host: string, port: number, serving: WitnessServing): Promise<WitnessServer> {
  const server = createServer(LIMITS, (request, response) => {
    void answer(request, serving).then(
      (reply) => send(response, reply),
      (error) => {
        if (error instanceof ClientGone) return;
        serving.log.error('A request failed and is answered with 500', { error });
        send(response, plain(500, 'The witness failed. Nothing was cosigned.'));
      },
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve());
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    setTimeout(() => server.closeAllConnections(), REQUESTS_END).unref();
    await closed;
  };
  return { url, stop };
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function answer(request: IncomingMessage, serving: WitnessServing): Promise<Reply> {
  const path = request.url ?? '';
  if (path === '/add-checkpoint') {
    return request.method === 'POST' ? addCheckpoint(request, serving) : notAllowed('POST');
  }
  const [, originHash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path) ?? [];
  if (originHash === undefined) return plain(404, 'Only /add-checkpoint and /<origin hash>/checkpoint are served.');
  if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed('GET, HEAD');
  const note = serving.checkpoints.latestOfHash(originHash);
  if (note === null) return plain(404, 'The witness never cosigned a checkpoint of this log.');
  return { status: 200, body: note, headers: { 'cache-control': 'max-age=5' } };
}

async function addCheckpoint(request: IncomingMessage, serving: WitnessServing): Promise<Reply> {
  const sent = await requestIn(request);
  if ('status' in sent) return sent;
  const answered = await witnessCheckpoint(sent, serving);
  if (answered.status === 422 && answered.fork !== null) {
    serving.log.error('A log signed two roots for one size; the checkpoint that proves it is printed');
    serving.printProof(`A log signed two roots for one size. Keep this checkpoint as the proof:\n${answered.fork}`);
  }
  return replyOf(answered);
}

/** What the body asks for, or the refusal of a body that is no request. @throws ClientGone */
async function requestIn(request: IncomingMessage): Promise<ReturnType<typeof addCheckpointOf> | Reply> {
  try {
    return addCheckpointOf(await readBody(request, MOST_BODY_BYTES));
  } catch (error) {
    if (error instanceof Malformed) return plain(400, error.message);
    if (error instanceof Problem) return plain(error.status, error.message);
    throw error;
  }
}

const REFUSALS = {
  400: 'The old size is greater than the size of the checkpoint.',
  403: 'No key of the log made a valid signature, or a signature by one of its keys is invalid.',
  404: 'This witness does not know a log of this origin.',
  422: 'The checkpoint does not follow the one that this witness cosigned last, by this proof.',
} as const;

function replyOf(answered: WitnessAnswer): Reply {
  if (answered.status === 200) return { status: 200, body: signatureLine(answered.cosignature) };
  if (answered.status !== 409) return plain(answered.status, REFUSALS[answered.status]);
  return { status: 409, body: `${answered.size}\n`, headers: { 'content-type': 'text/x.tlog.size' } };
}

function notAllowed(allow: string): Reply {
  return { ...plain(405, `Only ${allow} is served here.`), headers: { allow } };
}

function plain(status: number, message: string): Reply {
  return { status, body: `${message}\n` };
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}
