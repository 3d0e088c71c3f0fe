import { describe, expect, test } from '@jest/globals';
import { ed25519Verify } from '../../../../application/ed25519.ts';
import { sha256 } from '../../../../application/sha256.ts';
import { Malformed } from '../../../../domain/log/encoding.ts';
import { checkpointOf, checkpointText, judgeCheckpoint } from '../../../../domain/log/notes/checkpoint.ts';
import {
  COSIGNATURE,
  cosign,
  ED25519,
  type NoteSigner,
  noteOf,
  noteText,
  signText,
  vkeyText,
} from '../../../../domain/log/notes/note.ts';
import { type LogPolicy, policyOf } from '../../../../domain/log/notes/policy.ts';
import { proofOf, proofText } from '../../../../domain/log/tree/proof.ts';
import { aSigner } from '../../../builders/log.ts';

/** The example of tlog-checkpoint. */
const EXAMPLE = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';

describe('the text of a checkpoint', () => {
  test('of tlog-checkpoint is read and written', () => {
    const checkpoint = checkpointOf(EXAMPLE);
    expect(checkpoint).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163, extensions: [] });
    expect(checkpointText(checkpoint)).toBe(EXAMPLE);
  });

  test('may have extension lines', () => {
    expect(checkpointOf(`${EXAMPLE}one\ntwo\n`).extensions).toEqual(['one', 'two']);
  });

  test.each([
    ['two lines', 'a\n1\n'],
    ['no origin', EXAMPLE.replace('example.com/behind-the-sofa', '')],
    ['no final newline', EXAMPLE.slice(0, -1)],
    ['an empty extension line', `${EXAMPLE}\n`],
    ['a leading zero', EXAMPLE.replace('20852163', '020852163')],
    ['a sign', EXAMPLE.replace('20852163', '+1')],
    ['an exponent', EXAMPLE.replace('20852163', '1e3')],
    ['a size above 2^53 - 1', EXAMPLE.replace('20852163', '9007199254740992')],
    ['a root of 31 bytes', EXAMPLE.replace(/Cs.*=/, Buffer.alloc(31).toString('base64'))],
    ['a root in the base64 of URLs', EXAMPLE.replace('om/X', 'om_X')],
  ])('with %s is refused', (_, text) => {
    expect(() => checkpointOf(text)).toThrow(Malformed);
  });

  test('is not written for an origin of two lines', () => {
    expect(() => checkpointText({ ...checkpointOf(EXAMPLE), origin: 'a\n5' })).toThrow(Malformed);
  });
});

const log = aSigner('example.com/behind-the-sofa');
const witnesses = [2, 3, 4].map((number) => aSigner(`w${number}.example`, COSIGNATURE, number));

function policy(quorum: string): LogPolicy {
  const lines = witnesses.map(({ key }, i) => `witness W${i} ${vkeyText(key)}`);
  return policyOf([`log ${vkeyText(log.key)}`, ...lines, quorum, ''].join('\n'), sha256);
}

async function noteBy(signers: readonly NoteSigner[], text = EXAMPLE): Promise<string> {
  const signatures = signers.map((each, i) =>
    each.key.type === ED25519 ? signText(text, each) : cosign(text, 1_700_000_000 + i, each),
  );
  return noteText({ text, signatures: await Promise.all(signatures) });
}

describe('a checkpoint under a policy', () => {
  const judge = (sent: string, quorum: string) => judgeCheckpoint(noteOf(sent), policy(quorum), ed25519Verify);
  const TWO = 'group G 2 W0 W1 W2\nquorum G';

  test('is signed and witnessed by a quorum', async () => {
    const trust = await judge(await noteBy([log, ...witnesses.slice(1)]), TWO);
    expect(trust).toMatchObject({ signed: true, witnessed: true, invalid: [] });
    expect(trust.cosignatures).toEqual([
      { witness: 'W1', time: 1_700_000_001 },
      { witness: 'W2', time: 1_700_000_002 },
    ]);
  });

  test('lacks the quorum with one witness of two, also when it signs twice', async () => {
    const sent = await noteBy([log, ...witnesses.slice(0, 1), ...witnesses.slice(0, 1)]);
    const trust = await judge(sent, TWO);
    expect(trust).toMatchObject({ signed: true, witnessed: false });
    expect(trust.cosignatures).toEqual([{ witness: 'W0', time: 1_700_000_002 }]);
  });

  test('without a signature of its log counts for nothing, also with cosignatures of witnesses', async () => {
    expect(await judge(await noteBy(witnesses), TWO)).toMatchObject({ signed: false, witnessed: false });
    const forged = EXAMPLE.replace('sofa', 'door');
    expect(await judge(await noteBy([log], forged), 'quorum none')).toMatchObject({ signed: false, witnessed: false });
  });

  test('is rejected whole for one invalid signature of a known key', async () => {
    const sent = await noteBy([log, ...witnesses]);
    const [bad = ''] = (await noteBy(witnesses.slice(0, 1), `${EXAMPLE}x\n`)).split('\n').slice(-2);
    const trust = await judge(sent.replace(/— w2.*/, bad), TWO);
    expect(trust).toMatchObject({ signed: false, witnessed: false, cosignatures: [], invalid: ['w2.example'] });
  });

  test('needs no witness with the quorum none', async () => {
    expect(await judge(await noteBy([log]), 'quorum none')).toMatchObject({ signed: true, witnessed: true });
  });
});

describe('a proof file', () => {
  const hashes = [sha256('a'), sha256('b')];
  const checkpoint = `${EXAMPLE}\n— n AAAAAAA=\n`;
  const whole = { extra: Uint8Array.of(1, 2), index: 73_894, hashes, checkpoint };

  test.each([
    ['with all parts', whole],
    ['without extra data', { ...whole, extra: null }],
    ['of the only leaf', { extra: null, index: 0, hashes: [], checkpoint }],
  ])('%s is written and read', (_, proof) => {
    const read = proofOf(proofText(proof));
    expect({ ...read, hashes: read.hashes.map((hash) => Buffer.from(hash)) }).toEqual(proof);
  });

  test('has the lines of tlog-proof in its order', () => {
    expect(proofText(whole).split('\n').slice(0, 5)).toEqual([
      'c2sp.org/tlog-proof@v1',
      'extra AQI=',
      'index 73894',
      hashes[0]?.toString('base64'),
      hashes[1]?.toString('base64'),
    ]);
  });

  const text = proofText(whole);
  test.each([
    ['another version', text.replace('@v1', '@v2')],
    ['no empty line', text.replaceAll('\n\n', '\n')],
    ['no index', text.replace('index 73894\n', '')],
    ['an index with a leading zero', text.replace('73894', '073894')],
    ['extra data that is empty', text.replace('AQI=', '')],
    ['the index before the extra data', text.replace('extra AQI=\nindex 73894', 'index 73894\nextra AQI=')],
    ['a hash of 31 bytes', text.replace(hashes[0]?.toString('base64') ?? '', Buffer.alloc(31).toString('base64'))],
    ['64 hashes', proofText({ ...whole, hashes: new Array(64).fill(sha256()) })],
  ])('with %s is refused', (_, sent) => {
    expect(() => proofOf(sent)).toThrow(Malformed);
  });
});
