import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ed25519Verify } from '../../../application/ed25519.ts';
import { sha256, sha256Hex } from '../../../application/sha256.ts';
import { addCheckpointOf, addCheckpointText, judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import { ED25519, type NoteSigner, noteOf, noteText, signaturesOf, vkeyText } from '../../../domain/log/notes/note.ts';
import { policyOf } from '../../../domain/log/notes/policy.ts';
import { anAddCheckpoint, type SpoiltCheckpoint, treeOf } from '../../builders/add-checkpoint.ts';
import { aSigner } from '../../builders/log.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { askWitness, type RunningWitness, startWitness, stopWitness } from '../../harness/witness.ts';

// The machine may be busy with other tests.

const logs = Array.from({ length: 30 }, (_, i) => aSigner(`log.example/${i}`, ED25519, 10 + i));
const rotated = [aSigner('rotated.example/1', ED25519, 2), aSigner('rotated.example/1', ED25519, 3)] as const;
const stranger = aSigner('stranger.example/1');

const folder = makeThrowawayFolder('witness');
let witness: RunningWitness;
/** A log that the witness knows and has not seen: another one in each test. */
let log: NoteSigner;

beforeAll(async () => {
  witness = await startWitness(folder, { logKeys: [...logs, ...rotated].map(({ key }) => key) });
});
beforeEach(() => {
  log = logs.pop() ?? stranger;
});
afterAll(async () => {
  try {
    await stopWitness(witness);
  } finally {
    removeThrowawayFolder(folder);
  }
});

const ask = async (oldSize: number, size: number, spoilt: SpoiltCheckpoint = {}) =>
  askWitness(witness, await anAddCheckpoint(oldSize, size, { signer: log, ...spoilt }));
const latestUrl = () => `${witness.url}/${sha256Hex(log.key.name)}/checkpoint`;
const latestNote = async () => (await fetch(latestUrl())).text();

/** What the domain says of a note under a policy that trusts the log and needs the witness. */
function trustIn(note: string) {
  const policy = `log ${vkeyText(log.key)}\nwitness W ${witness.vkey}\nquorum W\n`;
  return judgeCheckpoint(noteOf(note), policyOf(policy, sha256), ed25519Verify);
}

describe('a witness', () => {
  test('cosigns a log as it grows, and the domain accepts the cosignatures', async () => {
    for (const [oldSize, size] of [
      [0, 0],
      [0, 1],
      [1, 5],
      [5, 5],
      [5, 20],
    ] as const) {
      const body = await anAddCheckpoint(oldSize, size, { signer: log });
      const answered = await askWitness(witness, body);
      expect([oldSize, size, answered.status]).toEqual([oldSize, size, 200]);
      const { note } = addCheckpointOf(body);
      const signatures = [...note.signatures, ...signaturesOf(answered.body)];
      const cosigned = noteText({ text: note.text, signatures });
      const { witnessed, cosignatures } = await trustIn(cosigned);
      expect(witnessed).toBe(true);
      expect(Math.abs((cosignatures[0]?.time ?? 0) - Date.now() / 1_000)).toBeLessThan(30);
      expect(await latestNote()).toBe(cosigned);
    }
  });

  test('cosigns the same size again with a later time', async () => {
    await ask(0, 5);
    const first = await latestNote();
    await sleep(1_100);
    expect((await ask(5, 5)).status).toBe(200);
    const [before, after] = [await trustIn(first), await trustIn(await latestNote())];
    expect(after.cosignatures[0]?.time).toBeGreaterThan(before.cosignatures[0]?.time ?? Number.NaN);
  });

  test('answers 409 with the size that it cosigned last, 0 for none', async () => {
    const conflict = (size: number) => ({ status: 409, type: 'text/x.tlog.size', body: `${size}\n` });
    expect(await ask(5, 20)).toEqual(conflict(0));
    await ask(0, 7);
    expect(await ask(5, 20)).toEqual(conflict(7));
    expect(await ask(0, 5)).toEqual(conflict(7));
  });

  test('answers 400, 403, 404 and 422, and cosigns nothing', async () => {
    const other = aSigner(log.key.name, ED25519, 1);
    const statuses = [
      await ask(6, 5),
      await askWitness(witness, 'old 0\n'),
      await ask(0, 5, { signer: other }),
      await ask(0, 5, { signer: stranger }),
      await ask(0, 5, { hashes: [sha256('x')] }),
      await ask(0, 0, { root: sha256('x') }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([400, 400, 403, 404, 422, 422]);
    expect((await fetch(latestUrl())).status).toBe(404);
  });

  test('answers 422 to a fork and prints the checkpoint that proves it', async () => {
    await ask(0, 5);
    expect((await ask(5, 5, { root: sha256('x') })).status).toBe(422);
    expect((await ask(5, 20, { root: sha256('x') })).status).toBe(422);
    const proof = noteText(addCheckpointOf(await anAddCheckpoint(5, 5, { signer: log, root: sha256('x') })).note);
    const kept = `A log signed two roots for one size. Keep this checkpoint as the proof:\n${proof}`;
    const line = /"level":"error","message":"A log signed two roots for one size;/;
    // They may come through their pipes after the reply.
    while (!witness.output().includes(kept) || !line.test(witness.output())) await sleep(20);
    expect(await latestNote()).toContain(`\n5\n${Buffer.from(treeOf(5).root).toString('base64')}\n`);
  });

  test('keeps one state for an origin with two keys', async () => {
    log = rotated[0];
    expect((await ask(0, 5)).status).toBe(200);
    log = rotated[1];
    expect((await ask(0, 5)).status).toBe(409);
    expect((await ask(5, 20)).status).toBe(200);
    expect((await trustIn(await latestNote())).witnessed).toBe(true);
  });

  test('stores one signature by key of a note with many', async () => {
    const { note } = addCheckpointOf(await anAddCheckpoint(0, 5, { signer: log }));
    const foreign = { name: 'x', id: '00000000', signature: new Uint8Array(64) };
    const signatures = [...Array.from({ length: 50 }, () => note.signatures).flat(), foreign];
    const body = addCheckpointText({ oldSize: 0, hashes: [], note: { text: note.text, signatures } });
    expect((await askWitness(witness, body)).status).toBe(200);
    expect(noteOf(await latestNote()).signatures).toHaveLength(2);
  });
});

describe('concurrent requests', () => {
  test('of two roots for one size: one root is cosigned, ever', async () => {
    const roots = [treeOf(5).root, sha256('x')];
    const replies = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const root = roots[i % 2] ?? sha256();
        const { status } = await ask(0, 5, { root });
        return status === 200 ? Buffer.from(root).toString('base64') : String(status);
      }),
    );
    const cosigned = replies.filter((reply) => reply.length > 3);
    expect(cosigned).toHaveLength(1);
    expect(replies.filter((reply) => reply === '409')).toHaveLength(39);
    expect(await latestNote()).toContain(`\n5\n${cosigned[0]}\n`);
    const again = await Promise.all(roots.map((root) => ask(5, 5, { root })));
    expect(again.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  });

  test('of growing sizes: each cosigned size follows the one before', async () => {
    const grow = async (size: number): Promise<boolean> => {
      for (let old = 0; ; ) {
        const { status, body } = await ask(old, size);
        if (status === 200) return true;
        old = Number(body);
        if (status !== 409 || old >= size) return false;
      }
    };
    const sizes = Array.from({ length: 20 }, (_, i) => i + 1);
    const grown = await Promise.all(sizes.toReversed().map(grow));
    expect(grown[0]).toBe(true);
    expect(await latestNote()).toMatch(/^.+\n20\n/);
  });
});

describe('hostile input', () => {
  test.each([
    ['GET', '/add-checkpoint', 405],
    ['POST', `/${'0'.repeat(64)}/checkpoint`, 405],
    ['GET', `/${'0'.repeat(64)}/checkpoint`, 404],
    ['GET', `/${'A'.repeat(64)}/checkpoint`, 404],
    ['GET', '/../state/witness.sqlite', 404],
    ['POST', '/', 404],
  ])('%s %s is answered with %i', async (method, path, status) => {
    expect((await fetch(`${witness.url}${path}`, { method })).status).toBe(status);
  });

  test.each([
    ['a body of more than 64 KiB', new Uint8Array(64 * 1024 + 1), 413],
    ['bytes that are not UTF-8', Uint8Array.of(0xff, 0xfe), 400],
    ['an empty body', Uint8Array.of(), 400],
    ['64 KiB of newlines', new Uint8Array(64 * 1024).fill(10), 400],
  ])('%s is refused', async (_, body, status) => {
    const response = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body });
    expect(response.status).toBe(status);
  });

  test('a body without a length that goes on is refused when it is too long', async () => {
    const body = new Blob([new Uint8Array(200_000)]).stream();
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    expect((await fetch(`${witness.url}/add-checkpoint`, init)).status).toBe(413);
  });

  test('slow and broken connections stop nobody else', async () => {
    const { hostname, port } = new URL(witness.url);
    const sockets = Array.from({ length: 50 }, () => connect(Number(port), hostname).on('error', () => undefined));
    for (const [i, socket] of sockets.entries()) {
      socket.write(
        i % 2 === 0 ? 'POST /add-checkpoint HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\nold' : 'POST /add',
      );
    }
    expect((await ask(0, 5)).status).toBe(200);
    for (const socket of sockets) socket.resetAndDestroy();
    expect((await ask(5, 20)).status).toBe(200);
    expect(witness.output()).not.toContain('A request failed');
  });
});
