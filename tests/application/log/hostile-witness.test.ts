import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LOG } from '../../../domain/limits.ts';
import { addCheckpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { COSIGNATURE, cosign, signatureLine, vkeyText } from '../../../domain/log/notes/note.ts';
import { SECOND } from '../../../domain/time.ts';
import { aSigner } from '../../builders/log.ts';
import { aWitnessedLog, policyText, witnessesOf } from '../../builders/witnessed-logs.ts';

const signer = aSigner('witness.test', COSIGNATURE, 7);
const vkey = vkeyText(signer.key);
const servers: Server[] = [];
/** The paths that were asked for, with their methods. */
const asked: string[] = [];

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The text of the checkpoint in the request. */
async function checkpointIn(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return addCheckpointOf(Buffer.concat(chunks).toString()).note.text;
}

type Cosignature = (text: string) => Promise<string>;

const honest: Cosignature = async (text) => signatureLine(await cosign(text, 1_800_000_000, signer));
let honestUrl: string;

beforeAll(async () => {
  honestUrl = await served(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end(await honest(await checkpointIn(request)));
  });
});

/** What a log with this witness says of it. */
async function missing(url: string): Promise<string | undefined> {
  const ours = aWitnessedLog(witnessesOf(policyText({ W: { url, vkey } })));
  const { witnessed } = await ours.tick();
  expect([witnessed?.met, witnessed?.refusing]).toEqual([witnessed?.missing.size === 0, []]);
  return witnessed?.missing.get('W');
}

async function answering(answer: (response: ServerResponse, text: string) => unknown): Promise<string | undefined> {
  return missing(await served(async (request, response) => answer(response, await checkpointIn(request))));
}

test('a witness that signs is enough, and its URL may have a path', async () => {
  expect(await missing(`${honestUrl}/w/`)).toBeUndefined();
  expect(asked).toEqual(['POST /w/add-checkpoint']);
});

describe('a reply does not count', () => {
  const other = aSigner('witness.test', COSIGNATURE, 8);
  const renamed = { ...other, key: { ...other.key, id: signer.key.id } };
  const cosigned = (text: string, by: typeof signer) => cosign(text, 1_800_000_000, by);

  test.each<[string, Cosignature, string]>([
    ['by another key', async (text) => signatureLine(await cosigned(text, other)), 'does not verify'],
    [
      'by another key with the same ID',
      async (text) => signatureLine(await cosigned(text, renamed)),
      'does not verify',
    ],
    [
      'of another checkpoint',
      async () => signatureLine(await cosigned('log.test/log/1\n9\n\n', signer)),
      'does not verify',
    ],
    [
      'with one that is valid and one that is not',
      async (text) => `${await honest(text)}${signatureLine(await cosigned('x\n', signer))}`,
      'does not verify',
    ],
    ['that is no signature', async () => 'OK\n', '"OK" is not a signature line.'],
    ['that is empty', async () => '', 'The signature lines do not end with a newline.'],
    ['with 101 lines', async (text) => (await honest(text)).repeat(101), 'more than 100 signatures'],
  ])('%s', async (_, body, reason) => {
    expect(await answering(async (response, text) => response.end(await body(text)))).toContain(reason);
  });

  test.each([
    ['404', 404, {}, 'it answers 404'],
    ['500', 500, {}, 'it answers 500'],
    ['a redirect to a witness that signs', 307, { location: 'http://127.0.0.1:1/add-checkpoint' }, 'it answers 307'],
    ['409 without a size', 409, {}, 'it answers 409 without a size'],
  ])('%s', async (_, status, headers, reason) => {
    expect(await answering((response) => response.writeHead(status, headers).end('1\n'))).toBe(reason);
  });

  test('409 with the size that was sent', async () => {
    const headers = { 'content-type': 'text/x.tlog.size' };
    expect(await answering((response) => response.writeHead(409, headers).end('0\n'))).toBe('it answers 409 3 times');
    expect(await answering((response) => response.writeHead(409, headers).end('-1\n'))).toContain('not a whole number');
  });

  test('of more than 64 KiB, plain or compressed', async () => {
    const large = Buffer.alloc(10_000_000, 'a');
    expect(await answering((response) => response.end(large))).toBe('more than 65536 bytes');
    const headers = { 'content-encoding': 'gzip' };
    expect(await answering((response) => response.writeHead(200, headers).end(gzipSync(large)))).toBe(
      'more than 65536 bytes',
    );
  });

  test('of a connection that breaks', async () => {
    expect(await answering((response) => response.socket?.destroy())).toBe('UND_ERR_SOCKET');
  });
});

test('witnesses that never answer, or drip, take 10 seconds together; a quorum of the others counts', async () => {
  const silent = await served(() => undefined);
  const dripping = await served((request, response) => {
    request.resume();
    response.writeHead(200);
    const timer = setInterval(() => response.write('—'), 200);
    response.once('close', () => clearInterval(timer));
  });
  const keys = [8, 9].map((number) => vkeyText(aSigner(`witness.test/${number}`, COSIGNATURE, number).key));
  const [silentKey = '', drippingKey = ''] = keys;
  const witnesses = {
    Good: { url: honestUrl, vkey },
    Silent: { url: silent, vkey: silentKey },
    Dripping: { url: dripping, vkey: drippingKey },
  };
  const ours = aWitnessedLog(witnessesOf(policyText(witnesses, 1)));
  const start = performance.now();
  const { witnessed } = await ours.tick();
  expect(performance.now() - start).toBeLessThan(LOG.witnessPatience + 5 * SECOND);
  expect(witnessed).toEqual({
    met: true,
    missing: new Map([
      ['Silent', 'no reply in time'],
      ['Dripping', 'no reply in time'],
    ]),
    refusing: [],
  });
  expect(await ours.trust(policyText(witnesses, 1))).toMatchObject({ witnessed: true, checkpoint: { size: 1 } });
});
