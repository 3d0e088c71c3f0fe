import { constants, createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { httpTimestampClient } from '../../../../adapters/log/log-clients.ts';
import { keepLog } from '../../../../application/log/keep-log.ts';
import { type LogRead, NO_SOURCES } from '../../../../clients/typescript/verify/time-line.ts';
import { stampChecker } from '../../../../clients/typescript/verify/timestamps.ts';
import { textOf } from '../../../../clients/typescript/verify/verdict.ts';
import { verifyFile } from '../../../../clients/typescript/verify/verify-file.ts';
import { COSIGNATURE, cosign, noteOf, noteText, vkeyText } from '../../../../domain/log/notes/note.ts';
import { certificatesOfPem, nodeStampCrypto } from '../../../../domain/log/timestamps/certificates.ts';
import { proofOf, proofText } from '../../../../domain/log/tree/proof.ts';
import { MINUTE, SECOND } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { aSigner } from '../../../builders/log.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../../harness/throwaway-folder.ts';
import {
  asAuthorityAt,
  makeAuthority,
  makeRoot,
  type RunningAuthority,
  startAuthority,
} from '../../../harness/time-stamp-authority.ts';
import { type LoggedService, loggedService } from './logged-service.ts';
import { failures, tamper } from './tamper.ts';

// Who runs the service has every right and every key, but for that of the authority; no witness sees the log.
let folder: string;
let authority: RunningAuthority;
let logged: LoggedService;

const now = () => logged.service.ports.clock.now();
const crypto = nodeStampCrypto({ createHash, createPublicKey, verify, constants });
const root = () => readFileSync(join(folder, 'root.pem'), 'utf8');

beforeAll(async () => {
  folder = makeThrowawayFolder('stamped-times');
  makeRoot(folder, 'root');
  makeAuthority(folder, 'tsa');
  logged = await loggedService(1);
  authority = await startAuthority(asAuthorityAt(folder, 'tsa', now));
  // The certificate of the authority is not valid before the time of this machine.
  await logged.tick(Date.now() + MINUTE - (await now()).getTime());
});
afterAll(async () => {
  await Promise.all([logged.close(), authority.close()]);
  removeThrowawayFolder(folder);
});

/** Moves the clock, and runs the sequencer, which has what is new stamped. */
async function tick(millis = 2 * MINUTE): Promise<void> {
  const { service, writer } = logged;
  await service.arrange.advance(millis);
  const trusted = certificatesOfPem(root());
  const timestamps = { urls: [authority.url], trusted, client: httpTimestampClient(), crypto, every: MINUTE };
  const { stamped } = await keepLog({ ...service.ports, ...writer, timestamps }, writer);
  expect([...(stamped?.missing ?? [])]).toEqual([]);
}

/** Submits a realtime decision for a window, and returns its id. */
async function submitted(seconds: number, symbol: string): Promise<string> {
  const submission = aSubmission(await now(), { symbol, horizon_value: seconds });
  const { body, status } = await logged.agent.submit(submission);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.record_id;
}

/** What a reader says of a receipt who trusts the authority, and has read the log before or not. */
async function linesOf(proof: string, each: readonly LogRead[] = [], policy = logged.policy) {
  const origin = (await logged.service.ports.log.newest())?.origin ?? '';
  const reads = { origins: [[origin, Number.POSITIVE_INFINITY] as const], each };
  const stamps = stampChecker(root(), crypto);
  return (await verifyFile(proof, policy, [], { ...NO_SOURCES, reads, stamps })).map(textOf);
}

const receipt = async (record_id: string) => (await logged.receipt(record_id, 'decision')) ?? '';
const time = (lines: readonly string[]) => lines.find((line) => line.slice(12).startsWith('time '));

test('a decision for 120 seconds is too short for a log of minutes, and one for a day is in time', async () => {
  const [short, day] = [await submitted(120, 'AAA-USD'), await submitted(86_400, 'BBB-USD')];
  await tick();
  expect(time(await linesOf(await receipt(short)))).toMatch(
    /^not checked time .*by a timestamp alone.*a log of minutes cannot show it for so short a window$/,
  );
  expect(time(await linesOf(await receipt(day)))).toMatch(/^holds +time +seen at \S+ by a timestamp alone, /);
  // Nobody else saw it: who does not trust the authority knows no time.
  expect(time(await logged.verify(await receipt(day)))).toMatch(
    /^not checked time +no quorum of witnesses and no known/,
  );
});

test('a pause of most of a window makes its decision late, by the time of the authority', async () => {
  const id = await submitted(3_600, 'CCC-USD');
  await tick(50 * MINUTE);
  const lines = await linesOf(await receipt(id));
  expect(failures(lines)).toEqual([]);
  expect(time(lines)).toMatch(/^late +time +seen at \S+ by a timestamp alone.*later than the 5 minutes of the log/);
});

test('an outage of two hours delays all decisions alike: they are late, and nothing fails', async () => {
  const ids = [];
  for (const symbol of ['DDD-USD', 'EEE-USD', 'FFF-USD']) {
    ids.push(await submitted(86_400, symbol));
    await logged.service.arrange.advance(40 * MINUTE);
  }
  await tick();
  for (const id of ids) {
    const lines = await linesOf(await receipt(id));
    expect(failures(lines)).toEqual([]);
    expect(time(lines)).toMatch(/^late +time .* by a timestamp alone/);
  }
  const { lines } = await logged.outside({ sample: 0 });
  expect(failures(lines)).toEqual([]);
});

test('what an earlier reading did not have is late, whatever somebody stamps with the key of the authority', async () => {
  const id = await submitted(86_400, 'GGG-USD');
  const [minute, later] = [await now(), new Date((await now()).getTime() + 20 * MINUTE).toISOString()];
  await tamper(logged, [`update app.log_pending set ready_at = '${later}' where record_id = '${id}'`]);
  await tick(10 * MINUTE);
  const { reads } = (await logged.outside({ sample: 0 })).kept ?? { reads: [] };
  expect(reads).toHaveLength(1);
  authority.answer(asAuthorityAt(folder, 'tsa', async () => minute));
  await tick(20 * MINUTE);
  authority.answer(asAuthorityAt(folder, 'tsa', now));
  const proof = await receipt(id);
  expect(time(await linesOf(proof))).toMatch(/^holds +time +seen at \S+ by a timestamp alone, /);
  const lines = await linesOf(proof, reads);
  expect(time(lines)).toMatch(/^late +time +not yet logged at /);
});

test('a backdated cosignature of two does not make a decision in time that was stamped late', async () => {
  const id = await submitted(3_600, 'HHH-USD');
  const minute = (await now()).getTime();
  await tick(50 * MINUTE);
  const late = (await now()).getTime();
  const proof = proofOf(await receipt(id));
  const note = noteOf(proof.checkpoint);
  const witnesses = [aSigner('a.example', COSIGNATURE, 2), aSigner('b.example', COSIGNATURE, 3)] as const;
  const seenBy = async (times: readonly [number, number]) => {
    const seen = witnesses.map((witness, n) => cosign(note.text, Math.floor((times[n] ?? 0) / SECOND), witness));
    const signatures = [...note.signatures, ...(await Promise.all(seen))];
    return proofText({ ...proof, checkpoint: noteText({ text: note.text, signatures }) });
  };
  const keys = witnesses.map(({ key }, n) => `witness W${n} ${vkeyText(key)}`);
  const policy = logged.policy.replace('quorum none', [...keys, 'group G all W0 W1', 'quorum G'].join('\n'));
  const oneOfTwo = await linesOf(await seenBy([minute, late + 10 * MINUTE]), [], policy);
  expect(failures(oneOfTwo)).toEqual([]);
  expect(time(oneOfTwo)).toMatch(/^late +time +seen at \S+ by a timestamp alone/);
  // The keys of the whole quorum show what an authority does not: the earlier of both counts.
  expect(time(await linesOf(await seenBy([minute, minute]), [], policy))).toMatch(/^holds +time +seen at \S+, /);
});

test('receipts of a log that another one goes on with keep their timestamps, byte for byte', async () => {
  const id = await submitted(86_400, 'III-USD');
  await tick();
  const before = await receipt(id);
  expect(time(await linesOf(before))).toMatch(/^holds +time +seen at \S+ by a timestamp alone, /);
  await logged.startNext();
  const next = await submitted(86_400, 'JJJ-USD');
  await tick(10 * MINUTE);
  expect(await receipt(id)).toBe(before);
  const lines = await linesOf(await receipt(id));
  expect(failures(lines)).toEqual([]);
  expect(time(lines)).toMatch(/^holds +time +seen at \S+ by a timestamp alone, /);
  expect(time(await linesOf(await receipt(next)))).toMatch(/^late +time +seen at \S+ by a timestamp alone/);
});
