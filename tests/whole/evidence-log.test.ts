import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ed25519PublicKey, ed25519Sign } from '../../application/ed25519.ts';
import { sha256, sha256Hex } from '../../application/sha256.ts';
import { leafBytes } from '../../domain/log/leaves/leaf.ts';
import { addCheckpointText, checkpointOf, checkpointText } from '../../domain/log/notes/checkpoint.ts';
import { ED25519, type NoteSigner, noteOf, signText, verifierKey, vkeyText } from '../../domain/log/notes/note.ts';
import { consistencyPath, proofHashes } from '../../domain/log/tree/proof.ts';
import { leavesOfBundle } from '../../domain/log/tree/tile.ts';
import { aTree } from '../builders/log.ts';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { askWitness, startWitness, stopWitness } from '../harness/witness.ts';
import { type Caller, call, newCaller, submit, VECTOR } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, startService, stopService } from './service.ts';

/** The folder of a test, and what it has to stop. */
interface Scene {
  readonly folder: string;
  readonly dataDir: string;
  readonly running: { stop(): Promise<unknown> }[];
}

// They wait most of the time.
test.concurrent('a copy of a data folder signs nothing on a machine that has seen more of the log', () =>
  inScene(async (scene) => {
    const { folder, dataDir } = scene;
    const service = await start(scene, dataDir);
    const caller = await newCaller(service, 'owner');
    await becomes(service, true);
    await checkpointFrom(service);
    await stopService(service);
    const copy = join(folder, 'copy', 'data');
    mkdirSync(join(folder, 'copy'), { mode: 0o711 });
    // The other test goes on meanwhile.
    await promisify(execFile)('cp', ['-aL', dataDir, copy]);
    const original = await start(scene, dataDir);
    await logged(original, caller, 1);
    await stopService(original);
    const copied = await start(scene, copy);
    await becomes(copied, 'degraded');
    const before = await checkpointFrom(copied);
    expect((await submit(copied, caller.api_key, decision(2))).status).toBe(201);
    await sleep(UNSIGNED);
    expect(await checkpointFrom(copied)).toBe(before);
  }));

test.concurrent('a checkpoint that a thief of the key had cosigned stops the log', () =>
  inScene(async (scene) => {
    const { folder, dataDir, running } = scene;
    const keyFile = join(folder, 'log-key');
    const signer = newSigner(keyFile);
    const witness = await startWitness(folder, { logKeys: [signer.key] });
    running.push({ stop: () => stopWitness(witness) });
    const policy = join(folder, 'log-policy');
    writeFileSync(policy, `log ${vkeyText(signer.key)}\nwitness W ${witness.vkey} ${witness.url}\nquorum W\n`);
    const service = await start(scene, dataDir, { LOG_KEY_FILE: keyFile, LOG_POLICY_FILE: policy });
    const caller = await newCaller(service, 'owner');
    expect(await logged(service, caller, 1)).toContain(`\u2014 ${witness.vkey.split('+')[0]} `);
    await becomes(service, true);
    // The log may grow meanwhile, by the grade of the decision: the witness then knows a larger tree.
    await until(async () => ((await askWitness(witness, await stolen(service, signer))).status === 200 ? true : null));
    expect((await submit(service, caller.api_key, decision(2))).status).toBe(201);
    await becomes(service, 'degraded');
    const last = await checkpointFrom(service);
    expect((await submit(service, caller.api_key, decision(3))).status).toBe(201);
    await sleep(UNSIGNED);
    expect(await checkpointFrom(service)).toBe(last);
  }));

async function inScene(run: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = makeFolder();
  const running: Scene['running'] = [];
  try {
    await run({ folder, dataDir: await copyPreparedData(join(folder, 'data')), running });
  } finally {
    for (const each of running) await each.stop();
    removeFolder(folder);
  }
}

/** Milliseconds in which a log that is signed would have had a leaf. */
const UNSIGNED = 8_000;

async function start(
  { folder, running }: Scene,
  own: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const shared = {
    LOG_LAST_SEEN: join(folder, 'last-seen.json'),
    LOG_INTERVAL_SECONDS: '1',
    LIMIT_COOLDOWN_SECONDS: '0',
  };
  const service = await startService(own, { env: { ...shared, ...env } });
  running.push({ stop: () => stopService(service) });
  return service;
}

function decision(n: number) {
  return { ...VECTOR, data_cutoff: `2003-02-${13 + n}T14:00:00Z` };
}

/** Submits a decision, and returns its receipt once it has one. */
async function logged(service: RunningService, { api_key }: Caller, n: number): Promise<string> {
  const { status, body } = await submit(service, api_key, decision(n));
  expect([status, body]).toEqual([201, expect.anything()]);
  const path = `/api/v1/agent/decisions/${body.record_id}/receipt`;
  const headers = { 'x-api-key': api_key };
  return until(async () => {
    const reply = await fetch(`${service.url}${path}`, { headers });
    return reply.status === 200 ? reply.text() : null;
  });
}

function becomes(service: RunningService, state: unknown): Promise<true> {
  return until(async () => {
    const { body } = await call(service, '/readyz');
    return body.checks.evidence_log === state ? true : null;
  });
}

async function until<T>(look: () => Promise<T | null>): Promise<T> {
  for (const end = Date.now() + 90_000; Date.now() < end; await sleep(200)) {
    const found = await look();
    if (found !== null) return found;
  }
  throw new Error('It did not happen within 90 s.');
}

async function checkpointFrom({ url }: RunningService): Promise<string> {
  const reply = await fetch(`${url}/log/1/checkpoint`);
  expect(reply.status).toBe(200);
  return reply.text();
}

/** A new key of the first log in a file; signs as anybody who copied that file can. */
function newSigner(file: string): NoteSigner {
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  const publicKey = ed25519PublicKey(privateKey);
  const key = verifierKey(`stancebook-${sha256Hex(publicKey).slice(0, 12)}/log/1`, ED25519, publicKey, sha256);
  return { key, sign: (message) => ed25519Sign(privateKey, message) };
}

/** A request for a cosignature of the log with a further leaf. */
async function stolen(service: RunningService, signer: NoteSigner): Promise<string> {
  const { size } = checkpointOf(noteOf(await checkpointFrom(service)).text);
  const reply = await fetch(`${service.url}/log/1/tile/entries/000.p/${size}`);
  const leaves = leavesOfBundle(await reply.bytes());
  const further = leafBytes({ t: 'decision', c: sha256Hex('a decision of nobody'), v: 1 });
  const tree = aTree([...leaves, further]);
  const text = checkpointText({ origin: signer.key.name, ...tree });
  const hashes = proofHashes(consistencyPath(size, tree.size), tree.hashOf, sha256);
  return addCheckpointText({ oldSize: size, hashes, note: { text, signatures: [await signText(text, signer)] } });
}
