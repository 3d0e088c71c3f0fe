import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson } from '../../../../adapters/formats/canonical-json.ts';
import { checkEvidence } from '../../../../application/grading/check-evidence.ts';
import { keepLog, type NextLog, startNextLog } from '../../../../application/log/keep-log.ts';
import { logKeyOf } from '../../../../application/log/read-log.ts';
import { recordProofs } from '../../../../application/log/record-proof.ts';
import { sha256 } from '../../../../application/sha256.ts';
import type { WholeLookup } from '../../../../clients/typescript/verify/all-decisions.ts';
import { auditLog } from '../../../../clients/typescript/verify/audit.ts';
import { type Finding, findingOf } from '../../../../clients/typescript/verify/decisions-line.ts';
import type { ReadServed } from '../../../../clients/typescript/verify/read-log.ts';
import { NOTHING_SAVED, type SavedReading } from '../../../../clients/typescript/verify/saved-reading.ts';
import { treeOfLog } from '../../../../clients/typescript/verify/tree-of-log.ts';
import { textOf } from '../../../../clients/typescript/verify/verdict.ts';
import { verifyFile } from '../../../../clients/typescript/verify/verify-file.ts';
import { hexOf, textOfUtf8, utf8 } from '../../../../domain/log/encoding.ts';
import { addCheckpointOf, checkpointOf } from '../../../../domain/log/notes/checkpoint.ts';
import type { SeenTree } from '../../../../domain/log/notes/last-seen.ts';
import type { LogWriter } from '../../../../domain/log/notes/log-key.ts';
import { COSIGNATURE, cosign, noteOf, noteText, signatureLine, vkeyText } from '../../../../domain/log/notes/note.ts';
import { policyOf } from '../../../../domain/log/notes/policy.ts';
import { proofOf } from '../../../../domain/log/tree/proof.ts';
import { tilePath, tilesOf } from '../../../../domain/log/tree/tile.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { A_SOURCE } from '../../../builders/accounts.ts';
import { aSigner } from '../../../builders/log.ts';
import { write } from '../../../campaigns/log/folder.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { anAgentAt, type TestAgent } from '../../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls } from '../../../harness/cohorts.ts';
import { seenInMemory } from '../../../harness/kept-logs.ts';
import { openService, type TestService } from '../../../harness/service.ts';

/** A service with graded decisions in its log, and the three who look at it. */
export interface LoggedService {
  readonly opened: OpenedDatabase;
  readonly service: TestService;
  /** That of the newest log. */
  readonly writer: LogWriter;
  readonly agent: TestAgent;
  /** Of the decisions, all graded and logged. */
  readonly ids: readonly string[];
  /** One of the decisions, the index of its leaf, and its receipts from before anything was changed. */
  held(at: number): HeldReceipts;
  /** Moves the clock, and runs the sequencer. */
  tick(millis?: number): Promise<void>;
  /** What `check-evidence` reports. */
  inside(): Promise<readonly string[]>;
  /** The lines of an audit by the verifier on a copy of the served files, with every graded decision looked up; what it kept, null when it failed. */
  outside(options?: AuditOptions): Promise<{ readonly lines: readonly string[]; readonly kept: SavedReading | null }>;
  /** What the verifier finds when it looks up the graded decision whose leaf has this index. */
  finding(index: number): Promise<Finding>;
  /** The proof file that the owner gets now; null where it is refused. */
  receipt(record_id: string, leaf: 'decision' | 'outcome'): Promise<string | null>;
  /** The lines of the verifier about a proof file, together with others. */
  verify(proof: string, others?: readonly string[], policy?: string): Promise<readonly string[]>;
  /** The keys of the logs. */
  readonly policy: string;
  /** Reads a file that the newest log serves now. */
  readonly served: ReadServed;
  /** Starts the next log with a key of its own, as `log-new` does. @param seen what the machine noted; what it has by default */
  startNext(seen?: SeenTree | null): Promise<NextLog>;
  /** What the witness serves of a log: the last checkpoint that it cosigned. */
  readonly ask: (url: string) => Promise<Uint8Array | null>;
  close(): Promise<void>;
}

export interface HeldReceipts {
  readonly id: string;
  readonly index: number;
  readonly decision: string;
  readonly outcome: string;
}

export interface AuditOptions {
  readonly since?: SavedReading;
  /** How many graded decisions are looked up; all by default, and none with 0. */
  readonly sample?: number;
  /** Asks witnesses; none by default. */
  readonly ask?: LoggedService['ask'] | null;
  /** Opens every decision by the openings that are served now, instead of a sample. */
  readonly all?: WholeLookup;
  /** Changes the openings on their way to the verifier, as somebody who runs the service can. */
  readonly openings?: (text: string) => string;
}

/** A witness that cosigns whatever it is asked to, at the time of the service: who has all keys can make any log. */
const WITNESS = aSigner('witness.example', COSIGNATURE, 7);

const WITNESS_URL = 'http://witness.example';

function witnessed(
  writer: LogWriter,
  log: number,
  { now, seen }: { readonly now: () => Promise<Date>; readonly seen: Map<string, Uint8Array> },
): LogWriter {
  const key = logKeyOf(writer.logKey, `${writer.logKey.host}/log/${log}`);
  const witness = `witness W ${vkeyText(WITNESS.key)} ${WITNESS_URL}`;
  const policy = policyOf(`log ${vkeyText(key)}\n${witness}\nquorum W\n`, sha256);
  const addCheckpoint = async (_: string, body: string) => {
    const time = Math.floor((await now()).getTime() / 1_000);
    const { note, checkpoint } = addCheckpointOf(body);
    const cosignature = await cosign(note.text, time, WITNESS);
    const cosigned = noteText({ text: note.text, signatures: [...note.signatures, cosignature] });
    seen.set(`${WITNESS_URL}/${hexOf(sha256(checkpoint.origin))}/checkpoint`, utf8(cosigned));
    return { status: 200, type: 'text/plain', body: signatureLine(cosignature) };
  };
  return { ...writer, witnesses: { policy, client: { addCheckpoint } } };
}

/** @param count of decisions @param isWitnessed whether a witness cosigns each checkpoint at once @param settings of its operator */
export async function loggedService(
  count: number,
  isWitnessed = false,
  settings: NodeJS.ProcessEnv = {},
): Promise<LoggedService> {
  const opened = await onPostgres(4);
  const env = {
    LIMIT_COOLDOWN_SECONDS: '0',
    LIMIT_RETROACTIVE_PER_DAY: '1000',
    LOG_OPENINGS_PER_MINUTE: '1000',
    ...settings,
  };
  const service = await openService('postgres', { at: COHORTS_AT, env, opened });
  const { ports, app } = service;
  if (!ports.logWriter) throw new Error('The service writes no log.');
  const witness = { now: ports.clock.now, seen: new Map<string, Uint8Array>() };
  let writer = isWitnessed ? witnessed(ports.logWriter, 1, witness) : ports.logWriter;
  let newest = 1;
  const tick = async (millis = 2 * MINUTE) => {
    await service.arrange.advance(millis);
    await keepLog({ ...ports, ...writer }, writer);
  };
  await tick(0);
  const agent = await anAgentAt(service);
  const ids = await gradedCalls(
    service,
    [agent],
    Array.from({ length: count }, (_, i) => aPastCall(20 + i)),
  );
  await tick();
  await tick();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const found = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${url}${path}`, { headers });
    if (reply.status !== 200 && reply.status !== 404) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply.status === 200 ? new Uint8Array(await reply.arrayBuffer()) : null;
  };
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-served-'));
  const served = async (path: string) => {
    const file = await found(`/log/${newest}/${path}`);
    if (!file) throw new Error(`${path} is not served.`);
    return file;
  };
  const { origin } = checkpointOf(noteOf(textOfUtf8(await served('checkpoint'))).text);
  const quorum = isWitnessed ? `witness W ${vkeyText(WITNESS.key)} ${WITNESS_URL}\nquorum W` : 'quorum none';
  let policy = `log ${vkeyText(logKeyOf(writer.logKey, origin))}\n${quorum}\n`;
  const receipt: LoggedService['receipt'] = async (record_id, leaf) => {
    const path = `/api/v1/agent/decisions/${record_id}/receipt?leaf=${leaf}&opening=full`;
    const file = await found(path, { 'x-api-key': agent.api_key });
    return file && textOfUtf8(file);
  };
  const held: HeldReceipts[] = [];
  for (const id of ids) {
    const [decision, outcome] = [await receipt(id, 'decision'), await receipt(id, 'outcome')];
    if (!decision || !outcome) throw new Error(`There are no receipts of ${id}.`);
    held.push({ id, index: proofOf(decision).index, decision, outcome });
  }
  return {
    ...{ opened, service, agent, ids, tick, served },
    get writer() {
      return writer;
    },
    get policy() {
      return policy;
    },
    ask: async (url) => witness.seen.get(url) ?? null,
    async startNext(seen) {
      const { key, sign } = aSigner('next', undefined, 100 + newest);
      const logKey = { publicKey: key.publicKey, sign, host: writer.logKey.host };
      const lastSeen = seen === undefined ? writer.lastSeen : seenInMemory(seen);
      const next = await startNextLog({ ...ports, ...writer, canonicalJson, logKey, lastSeen });
      if (!next) throw new Error('There is no log to go on with.');
      newest = next.log;
      const own = { ...writer, logKey, lastSeen: seenInMemory(await lastSeen.read()) };
      writer = isWitnessed ? witnessed(own, next.log, witness) : own;
      policy = `log ${vkeyText(logKeyOf(logKey, next.origin))}\n${policy}`;
      return next;
    },
    held(n) {
      const found = held.at(n);
      if (!found) throw new Error(`There is no decision ${n}.`);
      return found;
    },
    async inside() {
      const faults: string[] = [];
      await checkEvidence(ports, (fault) => faults.push(fault), { logGuard: writer });
      return faults;
    },
    async outside({ since = NOTHING_SAVED, sample = 1_000, all, openings = (text: string) => text, ask = null } = {}) {
      const now = Math.floor((await ports.clock.now()).getTime() / 1_000);
      const lookup = { read: (path: string) => found(`/api/v1/public/${path}`), draw: () => 0, sample };
      await copyServed(served, folder);
      const copied = async (path: string) =>
        path.startsWith('openings/')
          ? utf8(openings(textOfUtf8(await served(path))))
          : readFileSync(join(folder, path));
      const means = { now, live: true, lookup: sample > 0 ? lookup : null, ...(all && { all }), ask };
      const { lines, kept } = await auditLog(copied, policy, since, means);
      return { lines: lines.map(textOf), kept };
    },
    async finding(index) {
      const checkpoint = checkpointOf(noteOf(textOfUtf8(await served('checkpoint'))).text);
      return findingOf((path) => found(`/api/v1/public/${path}`), treeOfLog(served, checkpoint), index);
    },
    receipt,
    verify: async (proof, others = [], keys = policy) => (await verifyFile(proof, keys, others)).map(textOf),
    async close() {
      rmSync(folder, { recursive: true });
      server.closeAllConnections();
      server.close();
      await service.close();
    },
  };
}

/** The file of the whole record of the agent that its owner gets now. */
export async function recordFile({ service, agent }: LoggedService): Promise<string> {
  const { owner_id, agent_id } = agent;
  const pieces = recordProofs(service.ports)({ owner_id, agent_id, source: A_SOURCE, network: '192.0.2.1' });
  let file = '';
  for await (const piece of pieces) file += piece;
  // The limit of exports an hour is another test's.
  await service.arrange.advance(61 * MINUTE);
  return file;
}

/** Copies the files that a log serves at its present size. */
async function copyServed(served: ReadServed, folder: string): Promise<void> {
  const checkpoint = await served('checkpoint');
  write(folder, 'checkpoint', checkpoint);
  for (const tile of tilesOf(checkpointOf(noteOf(textOfUtf8(checkpoint)).text).size)) {
    write(folder, tilePath(tile), await served(tilePath(tile)));
    if (tile.level > 0) continue;
    const entries = tilePath({ ...tile, level: 'entries' });
    write(folder, entries, await served(entries));
  }
}
