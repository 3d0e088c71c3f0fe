import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { sha256 } from '../../../../application/sha256.ts';
import { Malformed } from '../../../../domain/log/encoding.ts';
import { COSIGNATURE, ED25519, ML_DSA_44, verifierKey, vkeyText } from '../../../../domain/log/notes/note.ts';
import { isQuorum, policyOf } from '../../../../domain/log/notes/policy.ts';
import { aSigner } from '../../../builders/log.ts';

const vkey = (name: string, type: number, number: number) => vkeyText(aSigner(name, type, number).key);
const LOG = `log ${vkey('log.example/1', ED25519, 1)}`;
const NAMES = ['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3'];
const WITNESSES = NAMES.map((name, i) => `witness ${name} ${vkey(`${name}.example`, COSIGNATURE, i + 2)}`);
/** The policy of the example of tlog-policy. */
const EXAMPLE = [
  LOG,
  '',
  ...WITNESSES.slice(0, 3),
  'group X-witnesses 2 X1 X2 X3',
  ...WITNESSES.slice(3),
  'group Y-witnesses any Y1 Y2 Y3',
  'group X-and-Y all X-witnesses Y-witnesses',
  'quorum X-and-Y',
  '',
].join('\n');

describe('the quorum of the example of tlog-policy', () => {
  test.each([
    ['X1 X2 Y1', true],
    ['X1 X3 Y3', true],
    ['X1 X2 X3 Y1 Y2 Y3', true],
    ['X1 Y1 Y2 Y3', false],
    ['X1 X2 X3', false],
    ['X1 X1 Y1', false],
    ['X-witnesses Y1', false],
    ['X-and-Y', false],
    ['', false],
  ])('with cosignatures of %j: %s', (names, met) => {
    expect(isQuorum(policyOf(EXAMPLE, sha256), new Set(names.split(' ')))).toBe(met);
  });
});

describe('a policy', () => {
  const read = (...lines: readonly string[]) => policyOf(lines.join('\n'), sha256);
  const [x1 = '', x2 = ''] = WITNESSES;

  test('may have comments, URLs, tabs and spaces, and names that are not ASCII', () => {
    const policy = read(
      ' # who knows us\t',
      `\t${LOG} https://log.example/1 `,
      x1.replace('X1', 'Zürich'),
      '',
      'quorum  Zürich',
    );
    expect(policy.logs).toMatchObject([{ key: { name: 'log.example/1' }, url: 'https://log.example/1' }]);
    expect(isQuorum(policy, new Set(['Zürich']))).toBe(true);
    expect(isQuorum(policy, new Set())).toBe(false);
  });

  test('with the quorum none needs no witness', () => {
    expect(isQuorum(read('quorum none'), new Set())).toBe(true);
  });

  test('may name a witness with a key of ML-DSA-44, which no cosignature can meet here', () => {
    const key = vkeyText(verifierKey('m.example', ML_DSA_44, new Uint8Array(1_312), sha256));
    expect(isQuorum(read(`witness M ${key}`, 'quorum M'), new Set())).toBe(false);
  });

  test.each([
    ['no quorum', [LOG]],
    ['two quorums', ['quorum none', 'quorum none']],
    ['a quorum that is defined below', ['quorum X1', x1]],
    ['an unknown line', ['quorum none', 'monitor X']],
    ['a witness without a key', ['witness X', 'quorum none']],
    ['a witness of the name none', [x1.replace('X1', 'none'), 'quorum none']],
    ['two witnesses of one name', [x1, x2.replace('X2', 'X1'), 'quorum X1']],
    ['two witnesses of one key', [x1, `witness X2 ${vkey('other.example', COSIGNATURE, 2)}`, 'quorum X1']],
    ['two logs of one key', [LOG, `log ${vkey('log.example/2', ED25519, 1)}`, 'quorum none']],
    ['a log with the key of a witness', [`log ${vkey('a', COSIGNATURE, 1)}`, 'quorum none']],
    ['a witness with the key of a log', [`witness X ${vkey('a', ED25519, 1)}`, 'quorum X']],
    ['a group without members', [x1, 'group G all', 'quorum G']],
    ['a threshold of 0', [x1, 'group G 0 X1', 'quorum G']],
    ['a threshold above the members', [x1, 'group G 2 X1', 'quorum G']],
    ['a threshold that is no number', [x1, 'group G most X1', 'quorum G']],
    ['a member that is defined below', ['group G any X1', x1, 'quorum G']],
    ['a group in itself', [x1, 'group G any X1 G', 'quorum G']],
    ['a member twice', [x1, 'group G 2 X1 X1', 'quorum G']],
    ['a member of two groups', [x1, 'group G any X1', 'group H any X1', 'quorum H']],
    ['a group of the name of a witness', [x1, x2, 'group X2 any X1', 'quorum X2']],
    ['the member none', [x1, 'group G any none X1', 'quorum G']],
    ['a third item of a log', [`${LOG} u v`, 'quorum none']],
    ['a carriage return', ['quorum none\r']],
    ['a quorum of two names', [x1, 'quorum X1 X1']],
  ])('with %s is refused', (_, lines) => {
    expect(() => read(...lines)).toThrow(Malformed);
  });

  test('that is a refusal of a service is to be fetched again', () => {
    expect(() => read('{"error":{"code":"NOT_FOUND"}}')).toThrow(/fetch the file again/);
  });

  test('is refused with the number of the line', () => {
    expect(() => read(LOG, 'quorum X9')).toThrow('Line 2 of the policy: "X9" is not defined above.');
  });
});

test('the example of the documents, filled in, needs two of its three witnesses', () => {
  const example = readFileSync(new URL('../../../../docs/operating/log-policy.example', import.meta.url), 'utf8');
  const filled = example
    .replace(/^log LOG_KEY$/m, LOG)
    .replaceAll(/WITNESS_KEY_(\d)/g, (_, n) => vkey(`${n}.example`, COSIGNATURE, Number(n)));
  const policy = policyOf(filled, sha256);
  expect([isQuorum(policy, new Set(['first', 'third'])), isQuorum(policy, new Set(['second']))]).toEqual([true, false]);
  expect(() => policyOf(example, sha256)).toThrow(Malformed);
});
