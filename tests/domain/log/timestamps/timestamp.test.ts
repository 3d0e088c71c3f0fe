import { constants, createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sha256 } from '../../../../application/sha256.ts';
import { Malformed, utf8 } from '../../../../domain/log/encoding.ts';
import { certificatesOfPem, nodeStampCrypto } from '../../../../domain/log/timestamps/certificates.ts';
import {
  checkToken,
  timestampRequest,
  tokenOf,
  tokenOfResponse,
  UntrustedStamp,
} from '../../../../domain/log/timestamps/timestamp.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../../harness/throwaway-folder.ts';
import {
  makeAuthority,
  makeRoot,
  replyOf,
  signedAgain,
  verifiedByOpenssl,
} from '../../../harness/time-stamp-authority.ts';

const crypto = nodeStampCrypto({ createHash, createPublicKey, verify, constants });
const TEXT = utf8('log.test/log/1\n7\nroot\n');
const NONCE = Buffer.from('40112233445566778899aabbccddeeff', 'hex');

let folder: string;
beforeAll(() => {
  folder = makeThrowawayFolder('time-stamp-authority');
  makeRoot(folder, 'root');
  makeRoot(folder, 'other');
  makeAuthority(folder, 'rsa');
});
afterAll(() => removeThrowawayFolder(folder));

const request = (digest = sha256(TEXT)) => timestampRequest(digest, NONCE);
const trusted = (root = 'root') => certificatesOfPem(readFileSync(join(folder, `${root}.pem`), 'utf8'));
const check = (token: Uint8Array, text = TEXT, root = 'root') => checkToken(token, text, trusted(root), crypto);
const stamped = (name: string, essHash?: string) => tokenOfResponse(replyOf(folder, name, request(), essHash));

describe('a token of openssl', () => {
  test.each([
    ['rsa', 'sha256'],
    ['ec', 'sha256'],
    ['rsa', 'sha1'],
    ['ec', 'sha512'],
  ] as const)('by a key of %s, which names its certificate by %s, holds', (key, essHash) => {
    makeAuthority(folder, key, { key });
    const token = stamped(key, essHash);
    const before = Date.now();
    const { time, accuracy, nonce } = check(token);
    expect(Buffer.from(nonce ?? []).equals(NONCE)).toBe(true);
    expect(accuracy).toBe(1_501);
    expect(Math.abs(time - before)).toBeLessThan(60_000);
    expect(verifiedByOpenssl(folder, TEXT, token, Math.floor(time / 1_000))).toBe(true);
  });

  test('outlives its certificate: what counts is the time that it says', async () => {
    const token = stamped('rsa');
    const { time } = check(token);
    const years = 3 * 365 * 86_400;
    expect(verifiedByOpenssl(folder, TEXT, token, Math.floor(time / 1_000) + years)).toBe(false);
    makeAuthority(folder, 'over', { days: 0 });
    await sleep(1_100);
    const late = stamped('over');
    expect(() => check(late)).toThrow('leads to no trusted authority that was valid then');
    expect(verifiedByOpenssl(folder, TEXT, late, Math.floor(tokenOf(late).info.time / 1_000))).toBe(false);
  });

  test('is of no other text, and by no authority that is not trusted', () => {
    const token = stamped('rsa');
    expect(() => check(token, utf8('another text'))).toThrow('it is of another text');
    expect(() => check(token, TEXT, 'other')).toThrow(UntrustedStamp);
  });

  test('of a weak imprint is refused', () => {
    const query = Buffer.concat([
      Buffer.from('3026020101301f300706052b0e03021a0414', 'hex'),
      createHash('sha1').update(TEXT).digest(),
      Buffer.from('0101ff', 'hex'),
    ]);
    query[1] = query.length - 2;
    expect(() => check(tokenOfResponse(replyOf(folder, 'rsa', query)))).toThrow('is none of SHA-256');
  });

  test('with any other byte says nothing else', () => {
    const token = stamped('rsa');
    const { time } = check(token);
    for (let at = 0; at < token.length; at += 3) {
      const other = Uint8Array.from(token);
      other[at] = (other[at] ?? 0) ^ 1;
      // What no signature covers, such as a certificate that no way needs, may change.
      expect([time, null]).toContain(timeIn(other));
    }
  });

  test.each([1, 20, 500, 1_000])('that is cut off by %i bytes is no token', (count) => {
    expect(() => check(stamped('rsa').subarray(0, -count))).toThrow(Malformed);
    expect(() => check(Buffer.concat([stamped('rsa'), Buffer.alloc(count)]))).toThrow(Malformed);
  });

  test('that is not there is a refusal', () => {
    expect(() => tokenOfResponse(Buffer.from('30053003020102', 'hex'))).toThrow('it refuses, with the status 2');
    expect(() => tokenOfResponse(randomBytes(40))).toThrow(Malformed);
  });
});

/** Null for a token that is refused. */
function timeIn(token: Uint8Array): number | null {
  try {
    return check(token).time;
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

describe('a token that somebody else signs', () => {
  const content = () => tokenOf(stamped('rsa')).content;

  test('by a sound certificate with RSA-PSS holds', () => {
    const pss = ['-keyopt', 'rsa_padding_mode:pss', '-keyopt', 'rsa_pss_saltlen:32'];
    expect(check(signedAgain(folder, 'rsa', content(), pss)).accuracy).toBe(1_501);
    makeAuthority(folder, 'pss', { key: 'rsa-pss' });
    expect(check(signedAgain(folder, 'pss', content(), pss)).accuracy).toBe(1_501);
  });

  test.each([
    [
      'an extended usage that is not critical',
      { extensions: ['extendedKeyUsage=timeStamping'] },
      'no critical extended',
    ],
    ['two extended usages', { extensions: ['extendedKeyUsage=critical,timeStamping,codeSigning'] }, 'timestamps alone'],
    ['another extended usage', { extensions: ['extendedKeyUsage=critical,codeSigning'] }, 'timestamps alone'],
    ['no extended usage', { extensions: [] }, 'no critical extended'],
    [
      'a usage that is not to sign',
      { extensions: ['extendedKeyUsage=critical,timeStamping', 'keyUsage=critical,keyEncipherment'] },
      'may not sign',
    ],
    ['a weak digest in its chain', { digest: 'sha1' }, 'leads to no trusted authority'],
    ['a short key', { key: 'rsa-1024' }, 'its signature does not verify'],
    [
      'a critical extension that is not known',
      { extensions: ['extendedKeyUsage=critical,timeStamping', '1.2.3.4=critical,DER:0500'] },
      'leads to no trusted authority',
    ],
  ] as const)('with %s is refused', (name, certificate, reason) => {
    const id = name.replaceAll(' ', '-');
    makeAuthority(folder, id, certificate);
    expect(() => check(signedAgain(folder, id, content()))).toThrow(reason);
  });

  test('by a weak digest, or without the name of its certificate, is refused', () => {
    expect(() => check(signedAgain(folder, 'rsa', content(), ['-md', 'sha1']))).toThrow('is none of SHA-256');
  });

  test('by a certificate below one that is no authority is refused', () => {
    makeAuthority(folder, 'leaf', {}, 'rsa');
    const token = signedAgain(folder, 'leaf', content(), ['-certfile', 'rsa.pem']);
    expect(() => check(token)).toThrow('leads to no trusted authority');
  });

  test('by a certificate below an authority between holds, as long as that may have one below', () => {
    const authority = ['keyUsage=critical,keyCertSign'];
    makeAuthority(folder, 'between', { extensions: [...authority, 'basicConstraints=critical,CA:TRUE,pathlen:0'] });
    makeAuthority(folder, 'below', {}, 'between');
    expect(check(signedAgain(folder, 'below', content(), ['-certfile', 'between.pem'])).accuracy).toBe(1_501);
    makeAuthority(folder, 'second', { extensions: [...authority, 'basicConstraints=critical,CA:TRUE'] }, 'between');
    makeAuthority(folder, 'deep', {}, 'second');
    writeFileOfBoth();
    expect(() => check(signedAgain(folder, 'deep', content(), ['-certfile', 'both.pem']))).toThrow('leads to no');
  });
});

function writeFileOfBoth(): void {
  const both = ['between', 'second'].map((name) => readFileSync(join(folder, `${name}.pem`), 'utf8')).join('');
  writeFileSync(join(folder, 'both.pem'), both);
}
