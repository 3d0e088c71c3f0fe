import { expect, test } from '@jest/globals';
import { keepLog, type LogPorts } from '../../../application/log/keep-log.ts';
import { hexOf, textOfUtf8 } from '../../../domain/log/encoding.ts';
import { checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import type { LogKey } from '../../../domain/log/notes/log-key.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aTree } from '../../builders/log.ts';
import { keptLog, LOG_KEY, logPorts, seenInMemory } from '../../harness/kept-logs.ts';
import type { Bench } from '../decisions/bench.ts';

/** What a sequencer leaves behind that is killed at any call of its storage or of the note of what it saw. */
export function killedSequencerContract(bench: Bench): void {
  test('a sequencer that is killed at any step signs one root per size, and loses no leaf', async () => {
    const { kills, submitted, signed, forks } = await killedAtEachStep(bench, (ports) => ports);
    expect(kills).toBeGreaterThan(12);
    const { size, root, rootOfLeaves, signature } = await keptLog(bench.storage());
    expect(size).toBe(1 + submitted);
    expect([hexOf(root), signature === null]).toEqual([hexOf(rootOfLeaves), false]);
    expect(signed.get(size)).toEqual(new Set([hexOf(root)]));
    expect(forks).toEqual([]);
  });
}

/** Kills a sequencer at one step after the other, and lets the last one end. @param change plants faults */
export async function killedAtEachStep(bench: Bench, change: (ports: LogPorts) => LogPorts) {
  const { logKey, signed } = recordingKey();
  const ports = change({ ...logPorts(bench.storage(), seenInMemory()), logKey });
  const agent = await bench.agent();
  let submitted = 0;
  let kills = 0;
  for (let step = 1; kills === step - 1; step += 1) {
    await bench.accepted(agent);
    submitted += 1;
    await bench.arrange().advance(2 * MINUTE);
    kills += Number(await isKilled(ports, step));
  }
  await keepLog(ports, { interval: MINUTE });
  return { kills, submitted, signed, forks: forksOf(signed, (await keptLog(bench.storage())).bytes) };
}

/** The sizes of which another root was signed than that of the first leaves of the log in the end. */
function forksOf(signed: ReadonlyMap<number, ReadonlySet<string>>, leaves: readonly Uint8Array[]): readonly number[] {
  return [...signed].flatMap(([size, roots]) => {
    const root = hexOf(aTree(leaves.slice(0, size)).root);
    return roots.size === 1 && roots.has(root) ? [] : [size];
  });
}

class Killed extends Error {}

/** Whether the run had so many steps. */
async function isKilled(ports: LogPorts, step: number): Promise<boolean> {
  try {
    await keepLog(mortal(ports, step), { interval: MINUTE });
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}

/** The same ports, each call and commit of which fails from the `last` on. */
function mortal(ports: LogPorts, last: number): LogPorts {
  let calls = 0;
  const step = () => {
    calls += 1;
    if (calls >= last) throw new Killed();
  };
  const counted = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(object, name) {
        const member: unknown = Reflect.get(object, name);
        if (typeof member !== 'function') return member;
        return async (...args: readonly unknown[]) => {
          step();
          return Reflect.apply(member, object, args);
        };
      },
    });
  return {
    ...ports,
    log: counted(ports.log),
    lastSeen: counted(ports.lastSeen),
    transaction: (work) =>
      ports.transaction(async (stores) => {
        const result = await work({ ...stores, log: counted(stores.log) });
        // Before the commit.
        step();
        return result;
      }),
  };
}

/** The roots that were signed, by size. */
function recordingKey(): { readonly logKey: LogKey; readonly signed: ReadonlyMap<number, ReadonlySet<string>> } {
  const signed = new Map<number, Set<string>>();
  const sign: LogKey['sign'] = (message) => {
    const { size, root } = checkpointOf(textOfUtf8(message));
    signed.set(size, (signed.get(size) ?? new Set()).add(hexOf(root)));
    return LOG_KEY.sign(message);
  };
  return { logKey: { ...LOG_KEY, sign }, signed };
}
