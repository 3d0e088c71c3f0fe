import { randomBytes } from 'node:crypto';
import { LOG } from '../../domain/limits.ts';
import { equalBytes, utf8 } from '../../domain/log/encoding.ts';
import type { StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import { checkpointText } from '../../domain/log/notes/checkpoint.ts';
import {
  authorityName,
  checkToken,
  type LogTimestamps,
  timestampKeyId,
  timestampRequest,
  tokenOfResponse,
} from '../../domain/log/timestamps/timestamp.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';

type TimestampPorts = Pick<Ports, 'transaction' | 'clock' | 'log' | 'signatures'>;

/** What time-stamp authorities say of a checkpoint. */
export interface TimestampRound {
  /** Why an authority gave no timestamp, by its name. */
  readonly missing: ReadonlyMap<string, string>;
}

/**
 * Has the newest signed checkpoint stamped (RFC 3161), where it has leaves of realtime decisions or plans that no timestamp
 * covers, and stores the tokens that check out. All authorities are asked at once, for 10 s at most.
 * @param askedAt when this process asked last; null for never
 * @returns null where nothing is to be stamped now
 */
export async function stampLatest(
  ports: TimestampPorts,
  timestamps: LogTimestamps,
  log: StoredLog,
  askedAt: Date | null,
): Promise<TimestampRound | null> {
  const latest = await ports.log.signed(log.log);
  if (!latest || !(await isDue(ports, timestamps, log, askedAt))) return null;
  const signal = AbortSignal.timeout(LOG.witnessPatience);
  const stamped = utf8(checkpointText({ origin: log.origin, ...latest }));
  const answers = await Promise.all(
    timestamps.urls.map(async (url) => ({
      name: authorityName(url),
      ...(await ask(timestamps, url, stamped, signal)),
    })),
  );
  await store(ports, log, latest, answers);
  return { missing: new Map(answers.flatMap(({ name, missing }) => (missing === undefined ? [] : [[name, missing]]))) };
}

/** Not more often than configured, by all workers together as far as authorities answer. */
async function isDue(
  { log: store, signatures, clock }: TimestampPorts,
  { urls, every }: LogTimestamps,
  { log }: StoredLog,
  askedAt: Date | null,
): Promise<boolean> {
  const now = (await clock.now()).getTime();
  const reports = (await signatures.reports(log)).filter((report) =>
    urls.some((url) => isReportOf(report, authorityName(url))),
  );
  const times = [askedAt, ...reports.map(({ cosigned_at }) => cosigned_at)].map((time) => time?.getTime() ?? 0);
  if (now - Math.max(...times) < every) return false;
  const covered = Math.max(0, ...reports.map(({ size }) => size));
  return store.hasTimedLeaf(log, covered);
}

function isReportOf({ name, id }: { readonly name: string; readonly id: string }, authority: string): boolean {
  return name === authority && id === timestampKeyId(authority, sha256);
}

interface Answer {
  readonly token?: Uint8Array;
  readonly missing?: string;
}

/** It may quote what the authority sent. */
const LONGEST_REASON = 150;

async function ask(
  { client, trusted, crypto }: LogTimestamps,
  url: string,
  stamped: Uint8Array,
  signal: AbortSignal,
): Promise<Answer> {
  const nonce = randomBytes(16);
  // Positive, and in its shortest form.
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  try {
    const reply = await client.stamp(url, timestampRequest(sha256(stamped), nonce), signal);
    const token = tokenOfResponse(reply);
    const info = checkToken(token, stamped, trusted, crypto);
    if (info.nonce === null || !equalBytes(info.nonce, nonce)) throw new Error('it has another nonce than was sent');
    return { token };
  } catch (error) {
    return { missing: (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON) };
  }
}

async function store(
  { transaction, clock }: TimestampPorts,
  { log }: StoredLog,
  { size }: StoredCheckpoint,
  answers: readonly (Answer & { readonly name: string })[],
): Promise<void> {
  const stamped = answers.flatMap(({ name, token }) => (token ? [{ name, signature: token }] : []));
  if (stamped.length === 0) return;
  const cosigned_at = await clock.now();
  await transaction(async (stores) => {
    await stores.log.lock();
    for (const { name, signature } of stamped) {
      const line = { name, id: timestampKeyId(name, sha256), signature };
      await stores.signatures.addSignature(log, size, line);
      await stores.signatures.report(log, { ...line, size, cosigned_at, refused: false });
    }
    await stores.signatures.meetQuorum(log, size);
  });
}
