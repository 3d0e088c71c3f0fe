import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkpointText } from '../../../domain/log/notes/checkpoint.ts';
import { startChild } from '../../../scripts/child-process.ts';
import { onClient } from '../stage/client.ts';
import type { Tally } from '../stage/tally.ts';
import { write } from './folder.ts';
import { mirror, type Recorder, record, writeProof } from './mirror.ts';
import type { Programs } from './programs.ts';
import { keyOf, originOf, policyOf } from './served-log.ts';
import { type LogStage, onLogStage, until } from './stage.ts';
import { startStream } from './submission-stream.ts';
import { receiptOf } from './submissions.ts';

/**
 * Races two workers with a third sequencer that is killed at each of its steps, and kills the workers at random. Each size
 * must have one root, and each acknowledged submission a receipt in time.
 */
export function checkSequencers(programs: Programs, tally: Tally, isLong: boolean): Promise<void> {
  return onLogStage(async (stage) => {
    const url = await stage.startApi('api');
    const prefix = `${url}/log/1`;
    const recorder = record(prefix);
    const killer = startKiller(stage);
    await until('a first checkpoint', async () => recorder.checkpoints()[0] ?? null);
    const stream = startStream(url, stage.callers);
    const steps: string[] = [];
    for (const moment of isLong ? ['before', 'during'] : ['during'])
      steps.push(...(await killAtEachStep(stage, moment)));
    const kills = await killer.stop();
    const { acknowledged, late } = await stream.stop();
    await recorder.stop();
    console.log(`Killed: ${kills} workers at random, and a sequencer at ${steps.join(', ')}`);
    tally.holds('a sequencer was killed at 15 steps or more', steps.length >= 15, steps);
    tally.check(`each of ${acknowledged.length} acknowledged submissions has a receipt in time`, late);
    await noteSigned(stage, recorder);
    tally.check('one root was signed of each size', recorder.forks());
    await checkLeaves(stage, tally);
    const served = join(stage.folder, 'served');
    for (const each of acknowledged.slice(-2)) {
      recorder.note(writeProof(served, await until('a receipt', () => receiptOf(url, each))).checkpoint);
    }
    await mirror(prefix, served, recorder.checkpoints());
    write(served, 'log.vkey', keyOf(stage, recorder));
    const { status, output } = programs.check(served);
    tally.holds(`golang.org/x/mod/sumdb verifies every tree that was served (${output})`, status === 0, output);
    const audit = await programs.verify(policyOf(stage, recorder), ['--audit', '--log', prefix]);
    tally.holds(`all leaves follow the rules\n${audit.output}`, audit.status === 0, audit.output);
  });
}

interface Killer {
  /** Lets both workers run, and returns how many were killed. */
  stop(): Promise<number>;
}

/** Milliseconds between two kills: enough for a worker to start and to append. */
const KILL_EVERY = 5_000;

/** Starts two workers, and kills one or the other at random; each is started again. */
function startKiller(stage: LogStage): Killer {
  const workers = ['worker-0', 'worker-1'].map((name) => stage.startWorker(name));
  const stopping = new AbortController();
  let kills = 0;
  const killing = (async () => {
    while (!stopping.signal.aborted) {
      await sleep(KILL_EVERY * (0.5 + Math.random()), undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      const n = Math.floor(Math.random() * workers.length);
      await workers[n]?.kill();
      workers[n] = stage.startWorker(`worker-${n}`);
      kills += 1;
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await killing;
      return kills;
    },
  };
}

const SEQUENCER = join(import.meta.dirname, 'mortal-sequencer.ts');
const SIGNED = 'signed';

/** Runs a sequencer to each of its steps, where it is killed, until one survives. Returns the names of the steps. */
async function killAtEachStep(stage: LogStage, moment: string): Promise<readonly string[]> {
  const names: string[] = [];
  const environment = { ...stage.workerEnvironment('mortal'), SIGNED: join(stage.folder, SIGNED) };
  for (;;) {
    const child = startChild(SEQUENCER, { args: [String(names.length + 1), moment], environment });
    stage.adopt(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
    const [code, signal] = await once(child, 'close');
    if (code === 0) return names;
    const [, name] = /^killed at (.+)$/m.exec(output) ?? [];
    if (signal !== 'SIGKILL' || name === undefined)
      throw new Error(`The sequencer ended with ${code ?? signal}: ${output}`);
    names.push(`${moment} ${name}`);
  }
}

/** Notes the trees that the killed sequencers were about to sign, and those that are stored. */
async function noteSigned(stage: LogStage, recorder: Recorder): Promise<void> {
  const file = join(stage.folder, SIGNED);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  for (const line of lines) recorder.noteText(Buffer.from(line, 'base64').toString());
  const origin = originOf(recorder);
  const stored = await rowsOf<{ size: string; root: Buffer }>(stage, 'select size, root from app.log_checkpoints');
  for (const { size, root } of stored) recorder.noteText(checkpointText({ origin, size: Number(size), root }));
}

/** Every decision has one leaf, and nothing that is ready waits. */
async function checkLeaves(stage: LogStage, tally: Tally): Promise<void> {
  const wrong = await until('a log of all decisions and outcomes', async () => {
    const rows = await rowsOf<{ words: string }>(stage, UNLOGGED);
    return rows.length === 0 ? rows : null;
  }).catch(() => rowsOf<{ words: string }>(stage, UNLOGGED));
  const words = wrong.map((row) => row.words);
  tally.check('each decision and each outcome has one leaf', words);
}

const UNLOGGED = `
  select record_id || ' has ' || count(l.index) || ' leaves' as words
  from app.decisions left join app.log_decisions l using (record_id) group by record_id having count(l.index) <> 1
  union all
  select 'the outcome of ' || record_id || ' has ' || count(l.index) || ' leaves'
  from app.decision_outcomes o left join app.log_outcomes l using (record_id) group by record_id having count(l.index) <> 1`;

async function rowsOf<Row extends object>({ database }: LogStage, sql: string): Promise<readonly Row[]> {
  return onClient(database.url, async (client) => (await client.query<Row>(sql)).rows);
}
