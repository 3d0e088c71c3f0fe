import { request } from 'node:http';
import { type Received, receive } from '../../stage/receive.ts';
import { breach, type Journal, now } from '../journal.ts';
import { faultsOfReply } from './documented.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The key and owner whose limits it counts in. */
  readonly key_prefix?: string;
  readonly owner_id?: string;
  readonly record_id?: string;
  /** Replies that it may get, apart from those that every request may get: `201`, `422 IDEMPOTENCY_KEY_REUSED`. */
  readonly right: readonly string[] | (() => readonly string[]);
}

export interface Reply {
  readonly started: number;
  readonly ended: number;
  readonly node: number;
  /** 0 without a reply. */
  readonly status: number;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the shape of its reply.
  readonly body: any;
}

/** Milliseconds, longer than any timeout of the service. */
const TIMEOUT = 45_000;

/** Sends a call to a node and records the result in the journal. */
export async function send(journal: Journal, urls: readonly string[], node: number, call: Call): Promise<Reply> {
  const started = now();
  try {
    const { status, headers, body } = await exchange(`${urls[node]}${call.path}`, call);
    const text = body.toString();
    const reply = { started, ended: now(), node, status, headers, text, ...parsed(status, text) };
    record(journal, call, reply);
    return reply;
  } catch (error) {
    const ended = now();
    const words = `${call.method} ${shape(call.path)}: ${(error as Error).message}`;
    journal.unanswered.push({ node, started, ended, words });
    count(journal, 'unanswered');
    return { started, ended, node, status: 0, code: null, headers: {}, text: '', body: null };
  }
}

/** Whether the reply leaves open if the request was carried out. */
export function isUnknown({ status }: Reply): boolean {
  return status === 0 || status >= 500;
}

function parsed(status: number, text: string) {
  if (text === '') return { body: null, code: null };
  try {
    const body = JSON.parse(text);
    return { body, code: status >= 400 ? String(body?.error?.code) : null };
  } catch {
    return { body: null, code: 'not JSON' };
  }
}

function record(journal: Journal, call: Call, reply: Reply): void {
  const { status, code, headers, started, ended } = reply;
  const name = code === null ? String(status) : `${status} ${code}`;
  count(journal, name);
  for (const fault of faultsOfReply(typeof call.right === 'function' ? call.right() : call.right, name, reply)) {
    breach(journal, 'replies', `${call.method} ${shape(call.path)}: ${fault} (${reply.text.slice(0, 300)})`);
  }
  journal.counted.push({
    key_prefix: call.key_prefix ?? null,
    owner_id: call.owner_id ?? null,
    record_id: call.record_id ?? null,
    status,
    code,
    started,
    ended,
    rateLimit: Number(headers['x-ratelimit-limit']),
    rateReset: Number(headers['x-ratelimit-reset']),
    pool: headers['x-quota-resource'] ?? '',
    quotaReset: Number(headers['x-quota-reset']),
  });
}

function count({ statuses }: Journal, name: string): void {
  statuses.set(name, (statuses.get(name) ?? 0) + 1);
}

/** The path without ids and query. */
function shape(path: string): string {
  return path.replace(/dec_\w+|sbk_\w+|[0-9a-f-]{36}/g, '*').replace(/\?.*/, '');
}

/** Uses a new connection for each request: the other side could close an idle one at the same moment. */
function exchange(url: string, { method, headers, body }: Call): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...headers, ...length }, agent: false, timeout: TIMEOUT };
    const sent = request(url, options, (response) => void receive(response).then(resolve, reject));
    sent.on('timeout', () => sent.destroy(new Error(`no reply within ${TIMEOUT / 1_000} s`)));
    sent.on('error', reject);
    sent.end(body);
  });
}
