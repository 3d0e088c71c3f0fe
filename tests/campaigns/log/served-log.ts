import { join } from 'node:path';
import { checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf, vkeyText } from '../../../domain/log/notes/note.ts';
import type { Tally } from '../stage/tally.ts';
import { write } from './folder.ts';
import { refuseFlips } from './formats.ts';
import { mirror, type Recorder, record, writeProof } from './mirror.ts';
import type { Programs } from './programs.ts';
import { type LogStage, onLogStage, until } from './stage.ts';
import { type Acknowledged, receiptOf, submitAll } from './submissions.ts';

/** Submissions of each round; every second one is graded, so a round has half as many leaves more. */
const ROUND = 120;
const ROUNDS = 3;
/** The decisions whose proofs are checked. */
const PROVED = 4;

/** Checks what a service serves of decisions that were submitted and graded over HTTP, while its log grows. */
export function checkServed(programs: Programs, tally: Tally): Promise<void> {
  return onLogStage(async (stage) => {
    const url = await stage.startApi('all');
    const prefix = `${url}/log/1`;
    const recorder = record(prefix);
    const kept = join(stage.folder, 'kept');
    const decisions: Acknowledged[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const from = round * ROUND;
      decisions.push(...(await submitAll(url, stage.callers, from, from + ROUND)));
      await awaitProofs(url, decisions);
      const audit = await programs.verify(policyOf(stage, recorder), ['--audit', '--log', prefix, '--since', kept]);
      tally.holds(`the verifier audits the log over HTTP, round ${round + 1}`, audit.status === 0, audit.output);
    }
    const served = join(stage.folder, 'served');
    const proofs = await writeProofs(url, served, decisions, recorder);
    const records = await readRecords(url, stage, recorder);
    await recorder.stop();
    tally.check('one root is served of each size', recorder.forks());
    await mirror(prefix, served, recorder.checkpoints());
    write(served, 'log.vkey', keyOf(stage, recorder));
    refuseFlips(served, programs, tally);
    checkRecords(served, records, programs, tally);
    const { status, output } = await programs.verify(policyOf(stage, recorder), proofs);
    tally.holds(`the verifier proves ${proofs.length} leaves by receipts and public proofs`, status === 0, output);
  });
}

/** The whole record of each agent, as its owner gets it. */
async function readRecords(url: string, { callers }: LogStage, recorder: Recorder) {
  const records = new Map<string, string>();
  for (const { agent_id, session } of callers) {
    const path = `${url}/api/v1/owner/record-proof?agent_id=${agent_id}`;
    const reply = await fetch(path, { headers: { cookie: `sid=${session}` } });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`The record was answered ${reply.status}: ${text}`);
    records.set(agent_id, text);
    recorder.note(JSON.parse(text.slice(0, text.indexOf('\n'))).checkpoint);
  }
  return records;
}

/** The Go program accepts each record, and refuses it without any one of its decisions. */
function checkRecords(
  served: string,
  records: ReadonlyMap<string, string>,
  { check }: Pick<Programs, 'check'>,
  tally: Tally,
): void {
  const accepted: string[] = [];
  for (const [agent_id, text] of records) {
    const file = `records/${agent_id}`;
    const [head = '', ...lines] = text.trimEnd().split('\n');
    const end = { ...JSON.parse(lines.pop() ?? ''), decisions: lines.length - 1 };
    for (const left of [lines.slice(1), lines.slice(0, -1), lines.toSpliced(lines.length >> 1, 1)]) {
      write(served, file, [head, ...left, JSON.stringify(end), ''].join('\n'));
      if (check(served).status === 0) accepted.push(`${agent_id} without a decision`);
    }
    write(served, file, text);
  }
  const { status, output } = check(served);
  tally.holds(`the Go program verifies the whole record of each agent (${output})`, status === 0, output);
  tally.check('the Go program refuses each record without its newest, its first or another decision', accepted);
}

/** Waits until the last decision and the last grade have leaves: those before them have leaves by then. */
async function awaitProofs(url: string, decisions: readonly Acknowledged[]): Promise<void> {
  for (const each of decisions.slice(-ROUND)) {
    await until(`a receipt of ${each.record_id}`, () => receiptOf(url, each));
  }
}

/** Proofs of both leaves of graded decisions: for the owner with and without the statement, and for everybody. */
async function writeProofs(url: string, served: string, decisions: readonly Acknowledged[], recorder: Recorder) {
  const paths: string[] = [];
  const add = (proof: string) => {
    const { path, checkpoint } = writeProof(served, proof);
    recorder.note(checkpoint);
    paths.push(join(served, path));
  };
  const graded: (Acknowledged & { readonly outcome: string })[] = [];
  for (const each of decisions) {
    const outcome = graded.length < PROVED ? await receiptOf(url, each, 'leaf=outcome') : null;
    if (outcome !== null) graded.push({ ...each, outcome });
  }
  for (const [n, each] of graded.entries()) {
    const query = n % 2 === 0 ? 'opening=full' : 'opening=public';
    add(await until('a receipt', () => receiptOf(url, each, query)));
    add(each.outcome);
    const reply = await fetch(`${url}/api/v1/public/decisions/${each.record_id}/proof?leaf=outcome`);
    if (reply.status !== 200) throw new Error(`The public proof was answered ${reply.status}: ${await reply.text()}`);
    if ((await reply.text()) !== each.outcome) throw new Error('The public proof is not that of the owner.');
  }
  return [...new Set(paths)];
}

export function policyOf(stage: LogStage, recorder: Recorder): string {
  return `log ${keyOf(stage, recorder)}\nquorum none\n`;
}

/** The key of the log, under the origin that its checkpoints have. */
export function keyOf({ key }: LogStage, recorder: Recorder): string {
  return vkeyText(key.verifierKey(originOf(recorder)));
}

export function originOf(recorder: Recorder): string {
  const [, checkpoint = ''] = recorder.checkpoints()[0] ?? [];
  return checkpointOf(noteOf(checkpoint).text).origin;
}
