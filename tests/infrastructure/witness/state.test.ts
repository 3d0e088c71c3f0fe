import { cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sha256, sha256Hex } from '../../../application/sha256.ts';
import { COSIGNATURE, verifierKeyOf } from '../../../domain/log/notes/note.ts';
import { anAddCheckpoint, GROWING_LOG, treeOf } from '../../builders/add-checkpoint.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { askWitness, type RunningWitness, startWitness, stopWitness } from '../../harness/witness.ts';

// The machine may be busy with other tests.

let folder: string;
let state: string;
let witness: RunningWitness | undefined;

beforeEach(() => {
  folder = makeThrowawayFolder('witness');
  state = join(folder, 'state');
});
afterEach(async () => {
  if (witness) await stopWitness(witness);
  removeThrowawayFolder(folder);
});

async function start(args: readonly string[] = [], preload = ''): Promise<RunningWitness> {
  if (witness) await stopWitness(witness);
  witness = await startWitness(folder, { logKeys: [GROWING_LOG.key], args, preload });
  return witness;
}

const latestOf = async ({ url }: RunningWitness) => {
  const response = await fetch(`${url}/${sha256Hex(GROWING_LOG.key.name)}/checkpoint`);
  return response.status === 200 ? response.text() : response.status;
};
const statusOf = async (running: RunningWitness, body: string) => (await askWitness(running, body)).status;

test('the key is made once, for cosignatures, in a file of mode 0600', async () => {
  const { vkey } = await start(['--name', 'witness.example/w']);
  expect(verifierKeyOf(vkey, sha256)).toMatchObject({ name: 'witness.example/w', type: COSIGNATURE });
  for (const file of readdirSync(state))
    expect([file, statSync(join(state, file)).mode & 0o777]).toEqual([file, 0o600]);
  expect((await start()).vkey).toBe(vkey);
  await expect(start(['--name', 'other.example/w'])).rejects.toThrow('has the name witness.example/w, not other');
});

test('a witness goes on after a restart where it was', async () => {
  expect(await statusOf(await start(), await anAddCheckpoint(0, 5))).toBe(200);
  const again = await start();
  expect(await latestOf(again)).toContain('\n5\n');
  expect(await statusOf(again, await anAddCheckpoint(0, 5))).toBe(409);
  expect(await statusOf(again, await anAddCheckpoint(5, 20))).toBe(200);
});

test('a witness that lost its state gets a new key', async () => {
  const { vkey } = await start();
  await stopWitness(await start());
  rmSync(state, { recursive: true });
  expect((await start()).vkey).not.toBe(vkey);
});

test('a second witness on one state, a copy and a damaged file are refused', async () => {
  const running = await start();
  await expect(startWitness(folder, { logKeys: [GROWING_LOG.key] })).rejects.toThrow('in use by another witness');
  await stopWitness(running);
  cpSync(state, `${state}-copy`, { recursive: true, preserveTimestamps: true });
  rmSync(state, { recursive: true });
  cpSync(`${state}-copy`, state, { recursive: true, preserveTimestamps: true });
  await expect(start()).rejects.toThrow('is a copy');
  writeFileSync(join(state, 'witness.sqlite'), 'x'.repeat(5_000));
  await expect(start()).rejects.toThrow('cannot be read');
});

const KILL = 'process.kill(process.pid, "SIGKILL")';

test('killed with SIGKILL before it answers, it has stored what it was about to answer', async () => {
  const killed = await start(
    [],
    `import { ServerResponse } from 'node:http';
     ServerResponse.prototype.writeHead = (status) => { if (status === 200) ${KILL} };`,
  );
  await expect(askWitness(killed, await anAddCheckpoint(0, 5))).rejects.toThrow();
  expect(await killed.ended).toBe('SIGKILL');
  const again = await start();
  expect(await latestOf(again)).toContain(`\n5\n${Buffer.from(treeOf(5).root).toString('base64')}\n`);
  expect(await statusOf(again, await anAddCheckpoint(0, 5, { root: sha256('x') }))).toBe(409);
  expect(await statusOf(again, await anAddCheckpoint(5, 5, { root: sha256('x') }))).toBe(422);
});

test('killed with SIGKILL before it stores, it has answered nothing and goes on where it was', async () => {
  await statusOf(await start(), await anAddCheckpoint(0, 5));
  const killed = await start([], `${STATEMENT}.run = () => ${KILL};`);
  await expect(askWitness(killed, await anAddCheckpoint(5, 20))).rejects.toThrow();
  expect(await killed.ended).toBe('SIGKILL');
  const again = await start();
  expect(await latestOf(again)).toContain('\n5\n');
  expect(await statusOf(again, await anAddCheckpoint(5, 20))).toBe(200);
});

test('a checkpoint that cannot be stored is answered with 500, without a cosignature', async () => {
  await start();
  const failing = await start([], `${STATEMENT}.run = () => { throw new Error('disk full') };`);
  const { status, body } = await askWitness(failing, await anAddCheckpoint(0, 5));
  expect([status, body]).toEqual([500, 'The witness failed. Nothing was cosigned.\n']);
  const line = /"level":"error","message":"A request failed and is answered with 500","error":\{/;
  // The line may come through its pipe after the reply.
  while (!line.test(failing.output())) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await latestOf(failing)).toBe(404);
});

const STATEMENT = "import { StatementSync } from 'node:sqlite'; StatementSync.prototype";

test.each([
  [['--listen', 'nowhere'], 2, 'is not HOST:PORT'],
  [['--listen', '127.0.0.1:99999'], 2, 'is not HOST:PORT'],
  [['--key', 'file'], 2, 'Usage: npm run witness'],
  [['--policy', '/nonexistent'], 1, 'ENOENT'],
  [['--policy', '/dev/null'], 1, 'exactly one quorum line'],
  [['--name', 'a b'], 1, 'is not a key name'],
])('%j ends with %i', async (args, exit, message) => {
  await expect(start(args)).rejects.toMatchObject({ exit, message: expect.stringContaining(message) });
});
