import { constants, createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { httpTimestampClient } from '../../../adapters/log/log-clients.ts';
import { readCheckpoint } from '../../../application/log/read-log.ts';
import { sha256 } from '../../../application/sha256.ts';
import { stampsIn } from '../../../clients/typescript/verify/timestamps.ts';
import { utf8 } from '../../../domain/log/encoding.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import { certificatesOfPem, nodeStampCrypto } from '../../../domain/log/timestamps/certificates.ts';
import {
  authorityName,
  checkToken,
  type LogTimestamps,
  timestampRequest,
} from '../../../domain/log/timestamps/timestamp.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import { aWitnessedLog, type WitnessedLog } from '../../builders/witnessed-logs.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import {
  type Answer,
  asAuthority,
  makeAuthority,
  makeRoot,
  type RunningAuthority,
  replyOf,
  startAuthority,
} from '../../harness/time-stamp-authority.ts';

let folder: string;
let authority: RunningAuthority;
let ours: WitnessedLog;
const crypto = nodeStampCrypto({ createHash, createPublicKey, verify, constants });

beforeAll(() => {
  folder = makeThrowawayFolder('asked-authority');
  makeRoot(folder, 'root');
  makeAuthority(folder, 'tsa');
});
afterAll(() => removeThrowawayFolder(folder));
beforeEach(async () => {
  authority = await startAuthority(asAuthority(folder, 'tsa'));
  ours = aWitnessedLog(null);
  ours.change({ timestamps: timestamps([authority.url]) });
});
afterEach(() => authority.close());

function timestamps(urls: readonly string[]): LogTimestamps {
  const trusted = certificatesOfPem(readFileSync(join(folder, 'root.pem'), 'utf8'));
  return { urls, trusted, client: httpTimestampClient(), crypto, every: 2 * MINUTE };
}

/** The names of those whose timestamps the served checkpoint has, checked. */
async function stamped(): Promise<readonly string[]> {
  const note = noteOf(await readCheckpoint(ours.storage, 1));
  const { trusted } = timestamps([]);
  for (const { token } of stampsIn(note)) checkToken(token, utf8(note.text), trusted, crypto);
  return stampsIn(note).map(({ name }) => name);
}

const reasonAfter = async (answer: Answer) => {
  authority.answer(answer);
  await ours.submit();
  return (await ours.tick()).stamped?.missing.get(authorityName(authority.url));
};

test('a log without a realtime decision or a plan is not stamped', async () => {
  expect((await ours.tick()).stamped).toBeNull();
  expect(authority.asked()).toBe(0);
});

test('a checkpoint with a new decision is stamped, stored, served, and proves its leaf for good', async () => {
  await ours.submit();
  expect((await ours.tick()).stamped).toEqual({ missing: new Map() });
  const name = authorityName(authority.url);
  expect(await stamped()).toEqual([name]);
  const first = await ours.storage.log.firstWith(1, 1);
  expect(first?.size).toBe(2);
  expect((await ours.storage.signatures.signatures(1, 2)).map((line) => line.name)).toEqual([name]);
  await ours.submit();
  await ours.tick();
  expect((await ours.storage.log.firstWith(1, 1))?.size).toBe(2);
  expect((await ours.storage.log.firstWith(1, 2))?.size).toBe(3);
});

test('an authority is asked once for a tree, and not more often than configured', async () => {
  ours.change({ timestamps: { ...timestamps([authority.url]), every: 5 * MINUTE } });
  await ours.submit();
  await ours.tick();
  await ours.tick();
  expect(authority.asked()).toBe(1);
  await ours.submit();
  await ours.tick();
  expect([authority.asked(), await stamped()]).toEqual([1, []]);
  await ours.tick();
  expect([authority.asked(), (await stamped()).length]).toEqual([2, 1]);
});

test('of two authorities one that fails delays nothing', async () => {
  const other = await startAuthority((_, reply) => reply.writeHead(503).end());
  try {
    ours.change({ timestamps: timestamps([authority.url, other.url]) });
    await ours.submit();
    const { leaves, stamped: round } = await ours.tick();
    expect(leaves).toBe(1);
    expect(round?.missing).toEqual(new Map([[authorityName(other.url), 'it answers 503']]));
    expect(await stamped()).toEqual([authorityName(authority.url)]);
  } finally {
    await other.close();
  }
});

describe('a reply is refused', () => {
  const replied = (bytes: Uint8Array, type = 'application/timestamp-reply'): Answer => {
    return (_, reply) => reply.writeHead(200, { 'content-type': type }).end(bytes);
  };

  test('with the nonce of another request', async () => {
    const changed: Answer = (request, reply) => {
      const other = Uint8Array.from(request);
      // The nonce is before the last three bytes, which ask for certificates.
      const last = other.length - 4;
      other[last] = (other[last] ?? 0) ^ 1;
      reply.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(replyOf(folder, 'tsa', other));
    };
    expect(await reasonAfter(changed)).toBe('it has another nonce than was sent');
  });

  test('with the imprint of another text', async () => {
    const other = timestampRequest(sha256('x'), Uint8Array.of(0x41));
    expect(await reasonAfter(replied(replyOf(folder, 'tsa', other)))).toBe('it is of another text');
  });

  test('by an authority that is not trusted', async () => {
    makeRoot(folder, 'elsewhere');
    makeAuthority(folder, 'stranger', {}, 'elsewhere');
    expect(await reasonAfter(asAuthority(folder, 'stranger'))).toMatch(/leads to no trusted authority/);
  });

  test.each<readonly [string, Answer, string]>([
    ['that is cut off', replied(Buffer.from('3082100030030201003082', 'hex')), 'A DER element is cut off.'],
    ['of another type', replied(Buffer.of(48), 'text/html'), 'it answers with the content type text/html, not'],
    ['that is huge', replied(Buffer.alloc(70_000)), 'more than 65536 bytes'],
    ['elsewhere', (_, reply) => reply.writeHead(302, { location: '/other' }).end(), 'it answers 302'],
    ['that is a refusal', replied(Buffer.from('30053003020102', 'hex')), 'it refuses, with the status 2'],
    ['that breaks off', (_, reply) => reply.destroy(), 'UND_ERR_SOCKET'],
  ])('%s', async (_, answer, reason) => {
    expect(await reasonAfter(answer)).toContain(reason);
    expect(authority.asked()).toBe(1);
    expect(await stamped()).toEqual([]);
    // What was not stamped is stamped when the authority is back.
    authority.answer(asAuthority(folder, 'tsa'));
    await ours.tick();
    expect(await stamped()).toHaveLength(1);
  });

  test('that does not come within 10 seconds', async () => {
    authority.answer(() => undefined);
    await ours.submit();
    const began = performance.now();
    const round = (await ours.tick()).stamped;
    expect([...(round?.missing.values() ?? [])]).toEqual(['no reply in time']);
    expect(performance.now() - began).toBeGreaterThan(9 * SECOND);
    expect((await ours.storage.log.published(1))?.size).toBe(2);
  });
});
