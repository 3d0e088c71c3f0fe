import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EXAMPLE } from '../../adapters/http/page/browser/example/example.ts';
import { bundleOf } from '../../clients/typescript/bundle.ts';
import { leafBytes } from '../../domain/log/leaves/leaf.ts';
import { vkeyText } from '../../domain/log/notes/note.ts';
import { entryBundle } from '../../domain/log/tree/tile.ts';
import { aTree } from '../builders/log.ts';
import { aDecisionOpening, OWNER } from '../builders/log-openings.ts';
import { aCheckpoint, aProofFile, LOG, LOG_POLICY } from '../builders/proof-files.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';

const full = { ...aDecisionOpening(), owner: OWNER };

/** Removes what came after Node.js 20, the oldest that readers have. */
const OLDER = `for (const [of, names] of [
  [Map, ['groupBy']], [Object, ['groupBy']], [Promise, ['withResolvers', 'try']], [Array, ['fromAsync']],
  [RegExp, ['escape']], [Error, ['isError']], [Uint8Array, ['fromBase64', 'fromHex']], [Math, ['f16round', 'sumPrecise']],
  [Set.prototype, ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']],
  [Object.getPrototypeOf(Object.getPrototypeOf([].values())), ['map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach', 'some', 'every', 'find']],
]) for (const name of names) delete of[name];\n`;

/** What this prints about types is no complaint of the program. */
const NODE = ['--disable-warning=ExperimentalWarning'];

describe('the one file', () => {
  const folder = makeThrowawayFolder('verifier');
  const verifier = join(folder, 'verify.mjs');
  const text = bundleOf(join(import.meta.dirname, '../../clients/typescript/verify.ts'));
  beforeAll(async () => {
    writeFileSync(verifier, text);
    writeFileSync(join(folder, 'policy'), LOG_POLICY);
    writeFileSync(join(folder, 'right'), await aProofFile(full));
    writeFileSync(join(folder, 'wrong'), (await aProofFile(full)).replace('index 3', 'index 2'));
  });
  afterAll(() => removeThrowawayFolder(folder));

  function run(...args: readonly string[]): { readonly status: number | null; readonly output: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [verifier, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, output: `${stdout}${stderr}` };
  }

  test.each([
    ['the file', [verifier]],
    ['the command line', [join(import.meta.dirname, '../../clients/typescript/cli.ts'), 'verify']],
  ])('%s ends by its verdict where its reader has gone', async (_, program) => {
    for (const [name, code] of [
      ['right', 0],
      ['wrong', 1],
    ] as const) {
      const child = spawn(process.execPath, [...NODE, ...program, name, '--policy', 'policy'], { cwd: folder });
      child.stdout.destroy();
      const [complaints, [status]] = await Promise.all([textOf(child.stderr), once(child, 'close')]);
      expect([name, status, complaints]).toEqual([name, code, '']);
    }
  });

  test('imports nothing', () => {
    expect(text).not.toMatch(/^\s*import\b|\bimport\(|\brequire\(/m);
  });

  test.each([
    [
      'a proof',
      ['right', '--policy', 'policy'],
      0,
      'right\n  holds       signature         stancebook.example/log/1 signed',
    ],
    ['a proof that fails', ['--policy', 'policy', 'right', 'wrong'], 1, '  FAILS       inclusion         leaf 2 of 9'],
    ['a proof without a policy', ['right'], 1, '  not checked signature'],
    ['no file', [], 2, 'Usage: verify FILE...'],
    ['a policy without its file', ['right', '--policy'], 2, 'Usage: verify FILE...'],
    ['a file that does not exist', ['absent'], 2, "ENOENT: no such file or directory, open 'absent'"],
    ['an unknown option', ['right', '--audit'], 2, 'Usage: verify FILE...'],
  ])('run on %s', (_, args, exitCode, output) => {
    const ended = run(...args);
    expect(ended.output).toContain(output);
    expect(ended.status).toBe(exitCode);
  });

  test('names nothing that came after Node.js 20, also where the example does not lead', () => {
    const newer =
      /\b(?:(?:Map|Object)\.groupBy|Promise\.(?:withResolvers|try)|Array\.fromAsync|RegExp\.escape|Error\.isError)\b/g;
    expect(text.replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, '').match(newer)).toBeNull();
  });

  test('computes a grade again on Node.js 20, which lacks what later ones have', () => {
    const { policy, proofs } = EXAMPLE;
    const files = [policy, ...proofs].map(({ text: content }, n) => {
      writeFileSync(join(folder, `example-${n}`), content);
      return `example-${n}`;
    });
    writeFileSync(join(folder, 'older.mjs'), OLDER);
    const [own = '', ...others] = files;
    const args = ['--import', './older.mjs', verifier, ...others, '--policy', own];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/holds +bars +eval\/3 gives the bucket and the facts from 71 bars/);
  });

  test('audits a folder, and goes on from where it was', async () => {
    const leaf = leafBytes({ t: 'log', last: null, v: 1 });
    mkdirSync(join(folder, 'served/tile/entries/000.p'), { recursive: true });
    writeFileSync(join(folder, 'served/tile/entries/000.p/1'), entryBundle([leaf]));
    writeFileSync(join(folder, 'served/checkpoint'), await aCheckpoint(1, aTree([leaf]).root));
    writeFileSync(join(folder, 'no-witness'), `log ${vkeyText(LOG.key)}\nquorum none\n`);
    const options = ['--audit', '--log', 'served/', '--policy', 'no-witness', '--since', 'kept'];
    const [first, second] = [run(...options), run(...options)];
    expect(first.output).toContain('holds       leaves            1 leaf has the root of the checkpoint');
    expect(second.output).toContain('holds       leaves            the 1 known leaf and 0 new ones have the root');
    expect([first.status, second.status]).toEqual([0, 0]);
  });

  test('can be imported without running', () => {
    const script = `const { verifyFile } = await import(${JSON.stringify(verifier)}); console.log(typeof verifyFile);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    expect(stdout).toBe('function\n');
  });
});
