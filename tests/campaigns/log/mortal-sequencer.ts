// A sequencer that kills itself by SIGKILL at a step of its run, on the database of a service:
// `mortal-sequencer.ts STEP before|during`, with the environment of a worker, and `SIGNED` the file of what it signs.
import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { keepLog, type LogPorts } from '../../../application/log/keep-log.ts';
import { composeLogWriter } from '../../../infrastructure/compose/log-writer.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { openStorage } from '../stage/storage.ts';

/** Runs that append leaves and do not reach the step: it is beyond the last one. */
const SURVIVED = 6;
const [step, moment] = [Number(process.argv[2]), process.argv[3]];
const signed = openSync(process.env.SIGNED ?? '', 'a', 0o600);
const { SIGNED: _, ...env } = process.env;
const storage = await openStorage(env.DATABASE_URL ?? '', 2);
const writer = composeLogWriter(readConfig(env));
if (writer === null) throw new Error('The environment has no key of a log.');
const { interval } = writer;
let calls = 0;

for (let survived = 0; survived < SURVIVED; await sleep(20)) {
  calls = 0;
  const { leaves } = await keepLog(mortal({ ...storage, canonicalJson, ...writer }), { interval });
  if (leaves > 0) survived += 1;
}
process.exit(0);

/** The same ports, each call of which is a step. */
function mortal(ports: LogPorts): LogPorts {
  return {
    ...ports,
    log: mortalObject('log', ports.log),
    lastSeen: mortalObject('lastSeen', ports.lastSeen),
    logKey: {
      ...ports.logKey,
      async sign(message) {
        writeSync(signed, `${Buffer.from(message).toString('base64')}\n`);
        return ports.logKey.sign(message);
      },
    },
    transaction: async (work) => {
      const done = await ports.transaction(async (stores) => {
        const result = await work({ ...stores, log: mortalObject('transaction', stores.log) });
        reach('transaction.commit');
        return result;
      });
      reach('transaction.committed');
      return done;
    },
  };
}

function mortalObject<Target extends object>(name: string, target: Target): Target {
  return new Proxy(target, {
    get(object, property) {
      const member: unknown = Reflect.get(object, property);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]) => {
        reach(`${name}.${String(property)}`);
        return Reflect.apply(member, object, args);
      };
    },
  });
}

/** `during`: what the step began, such as a statement of the database, goes on without the process. */
function reach(name: string): void {
  calls += 1;
  if (calls !== step) return;
  if (moment === 'during') setTimeout(() => die(name), Math.random() * 3);
  else die(name);
}

function die(name: string): void {
  writeSync(1, `killed at ${name}\n`);
  process.kill(process.pid, 'SIGKILL');
}
