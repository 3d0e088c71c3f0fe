import { httpWitnessClient } from '../../adapters/log/log-clients.ts';
import { openMemory } from '../../adapters/memory/storage.ts';
import { ed25519Verify } from '../../application/ed25519.ts';
import { keepLog, type LogPorts } from '../../application/log/keep-log.ts';
import { logKeyOf, readCheckpoint } from '../../application/log/read-log.ts';
import type { Storage } from '../../application/ports.ts';
import { sha256 } from '../../application/sha256.ts';
import { type CheckpointTrust, judgeCheckpoint } from '../../domain/log/notes/checkpoint.ts';
import type { LastSeen } from '../../domain/log/notes/last-seen.ts';
import type { LogWitnesses } from '../../domain/log/notes/log-key.ts';
import { noteOf, vkeyText } from '../../domain/log/notes/note.ts';
import { policyOf } from '../../domain/log/notes/policy.ts';
import { MINUTE, type Millis } from '../../domain/time.ts';
import { LOG_KEY, logPorts, seenInMemory } from '../harness/kept-logs.ts';
import { aDraft, anAgent, aSubmission, NO_LIMITS } from './decisions.ts';

/** The key of the first log in tests. */
export const FIRST_LOG_KEY = logKeyOf(LOG_KEY, 'log.test/log/1');

/** The text of a policy of that log: these witnesses, and all of them as the quorum unless it is named. */
export function policyText(
  witnesses: Readonly<Record<string, { readonly vkey: string; readonly url: string }>>,
  quorum: string | number = 'all',
  logKeys: readonly string[] = [vkeyText(FIRST_LOG_KEY)],
): string {
  const names = Object.keys(witnesses);
  return [
    ...logKeys.map((key) => `log ${key}`),
    ...names.map((name) => `witness ${name} ${witnesses[name]?.vkey} ${witnesses[name]?.url}`),
    ...(quorum === 'none' ? [] : [`group witnesses ${quorum} ${names.join(' ')}`]),
    `quorum ${quorum === 'none' ? 'none' : 'witnesses'}`,
    '',
  ].join('\n');
}

export function witnessesOf(policy: string): LogWitnesses {
  return { policy: policyOf(policy, sha256), client: httpWitnessClient() };
}

/** A log in memory with a clock of its own, which witnesses watch. */
export interface WitnessedLog {
  readonly storage: Storage;
  readonly lastSeen: LastSeen;
  /** What the sequencer works with from now on. */
  change(ports: Partial<LogPorts>): void;
  advance(by: Millis): void;
  submit(): Promise<void>;
  /** Advances by two minutes, and runs the sequencer. */
  tick(): ReturnType<typeof keepLog>;
  /** What readers with this policy say of the served checkpoint. */
  trust(policy: string, log?: number): Promise<CheckpointTrust>;
}

export function aWitnessedLog(witnesses: LogWitnesses | null, lastSeen = seenInMemory()): WitnessedLog {
  let time = Date.UTC(2026, 2, 2, 12);
  const storage = openMemory({ now: () => new Date(time) });
  let ports: LogPorts = { ...logPorts(storage, lastSeen), witnesses };
  return {
    storage,
    lastSeen,
    change: (changed) => {
      ports = { ...ports, ...changed };
    },
    advance: (by) => {
      time += by;
    },
    async submit() {
      const now = new Date(time);
      await storage.intake.submit(aDraft(await anAgent(storage), now, aSubmission(now), { limits: NO_LIMITS }));
    },
    tick: () => {
      time += 2 * MINUTE;
      return keepLog(ports, { interval: MINUTE });
    },
    trust: async (policy, log = 1) =>
      judgeCheckpoint(noteOf(await readCheckpoint(storage, log)), policyOf(policy, sha256), ed25519Verify),
  };
}
