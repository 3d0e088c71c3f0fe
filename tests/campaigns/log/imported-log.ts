import { join } from 'node:path';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { appendBatch } from '../../../application/log/append-batch.ts';
import { keepLog } from '../../../application/log/keep-log.ts';
import { SECOND } from '../../../domain/time.ts';
import { composeLogWriter } from '../../../infrastructure/compose/log-writer.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { onClient } from '../stage/client.ts';
import { openStorage } from '../stage/storage.ts';
import type { Tally } from '../stage/tally.ts';
import { write } from './folder.ts';
import { LONG } from './formats.ts';
import { mirror, type Recorder, record, writeProof } from './mirror.ts';
import type { Programs } from './programs.ts';
import { keyOf, policyOf } from './served-log.ts';
import { type LogStage, onLogStage, until } from './stage.ts';
import { type Acknowledged, receiptOf, submitAll } from './submissions.ts';

const GRADED = 500;
/** With the first leaf, and one for each grade, the log gets its last size. */
const DECISIONS = (LONG.at(-1) ?? 0) - 1 - GRADED;

/** Imports decisions that are older than their log, through the sizes around which tiles of each level begin. */
export function checkImported(programs: Programs, tally: Tally): Promise<void> {
  return onLogStage(async (stage) => {
    const url = await stage.startApi('api');
    const decisions = await timed(`${DECISIONS} submissions`, () => submitMany(stage, url));
    const prefix = `${url}/log/1`;
    const recorder = record(prefix);
    await timed('the import', () => importTo(stage, recorder));
    await recorder.stop();
    tally.check('one root is served of each size', recorder.forks());
    const sizes = recorder.checkpoints().map(([size]) => size);
    const missing = LONG.filter((size) => !sizes.includes(size)).map((size) => `${size} leaves were never served`);
    tally.check(`the import passes ${LONG.join(', ')} leaves`, missing);
    const served = join(stage.folder, 'served');
    for (const each of decisions.filter((_, n) => n % 7_000 === 0)) {
      for (const leaf of ['leaf=decision&opening=full', 'leaf=outcome']) {
        const proof = await receiptOf(url, each, leaf);
        if (proof !== null) writeProof(served, proof);
      }
    }
    await mirror(prefix, served, recorder.checkpoints());
    write(served, 'log.vkey', keyOf(stage, recorder));
    const { status, output } = await timed('the check in Go', async () => programs.check(served));
    tally.holds(`golang.org/x/mod/sumdb verifies the imported log (${output})`, status === 0, output);
    const verify = async () => programs.verify(policyOf(stage, recorder), ['--audit', '--log', prefix]);
    const audit = await timed('the audit', verify);
    tally.holds(`all leaves follow the rules\n${audit.output}`, audit.status === 0, audit.output);
  });
}

/** Submits decisions while no log is kept; the first ones are graded. */
async function submitMany(stage: LogStage, url: string): Promise<readonly Acknowledged[]> {
  const open = await submitAll(url, stage.callers, GRADED, DECISIONS, () => false);
  const grader = stage.startWorker('grader', false);
  const graded = await submitAll(url, stage.callers, 0, GRADED, () => true);
  await until(`${GRADED} grades`, async () => {
    const sql = 'select count(*)::int as n from app.decision_outcomes';
    const [row] = await onClient(stage.database.url, async (client) => (await client.query<{ n: number }>(sql)).rows);
    return row?.n === GRADED ? row : null;
  });
  await grader.kill();
  return [...graded, ...open];
}

/** Appends up to each size but the last one by the statements of the sequencer; a worker appends the rest. */
async function importTo(stage: LogStage, recorder: Recorder): Promise<void> {
  const environment = stage.workerEnvironment('worker');
  const writer = composeLogWriter(readConfig(environment));
  if (writer === null) throw new Error('The environment has no key of a log.');
  const storage = await openStorage(environment.DATABASE_URL ?? '', 2);
  const ports = { ...storage, canonicalJson, ...writer };
  // Starts the log, and signs what is appended.
  const sign = () => keepLog(ports, { interval: SECOND, limit: 0 });
  await sign();
  const log = await storage.log.newest();
  if (log === null) throw new Error('There is no log.');
  for (const size of LONG.slice(0, -1)) {
    for (let at = await sizeOf(recorder, 1); at < size; at = await sizeOf(recorder, at + 1)) {
      const limit = Math.min(size - at, 10_000);
      await appendBatch(ports, log, { before: await storage.clock.now(), limit });
      await sign();
    }
  }
  await storage.close();
  stage.startWorker('worker');
  await sizeOf(recorder, LONG.at(-1) ?? 0);
}

/** The size that is served, once it is large enough. */
function sizeOf(recorder: Recorder, atLeast: number): Promise<number> {
  return until(`a checkpoint of ${atLeast} leaves`, async () => {
    const [size = 0] = recorder.checkpoints().at(-1) ?? [];
    return size >= atLeast ? size : null;
  });
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  const result = await work();
  console.log(`  ${name}: ${((performance.now() - begin) / SECOND).toFixed(1)} s`);
  return result;
}
