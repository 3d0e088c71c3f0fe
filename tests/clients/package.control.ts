import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from '../../clients/typescript/build.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The machine's own Node.js where there is one: the oldest that users have. No sources are TypeScript there. */
const NODE = spawnSync('/usr/bin/node', ['--version']).status === 0 ? '/usr/bin/node' : process.execPath;

describe('the package, packed and installed without a network', () => {
  const folder = makeThrowawayFolder('package');
  const project = join(folder, 'project');
  beforeAll(() => {
    const stage = join(folder, 'stage');
    mkdirSync(stage);
    mkdirSync(project);
    build(stage);
    ended('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], stage);
    const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    ended(
      'npm',
      ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', join(folder, packed)],
      project,
    );
  });
  afterAll(() => removeThrowawayFolder(folder));

  function ended(program: string, args: readonly string[], cwd: string): string {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
    expect({ status, stderr: status === 0 ? '' : `${stdout}${stderr}` }).toEqual({ status: 0, stderr: '' });
    return stdout;
  }

  test('needs no other package and has no TypeScript but declarations', () => {
    const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(installed).toEqual(['stancebook-client']);
    const files = readdirSync(join(project, 'node_modules/stancebook-client'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
    expect(files.length).toBeGreaterThan(50);
  });

  test('runs, and its errors are of its classes', () => {
    writeFileSync(
      join(project, 'run.mjs'),
      `import { Stancebook, UsageError } from 'stancebook-client';
      import { wilsonInterval } from 'stancebook-client/stats';
      import { isProved, verifyFile } from 'stancebook-client/verify';
      import { verifyWebhook, WebhookError } from 'stancebook-client/webhooks';
      const lines = await verifyFile('no proof', null);
      let refused;
      try { new Stancebook({ url: 'http://stancebook.example' }); } catch (error) { refused = error instanceof UsageError; }
      const secret = 'whsec_' + 'A'.repeat(32);
      const forged = await verifyWebhook({}, '', secret).catch((error) => error instanceof WebhookError);
      console.log(refused, forged, wilsonInterval(0, 10).low, isProved(lines), typeof new Stancebook({ url: 'https://stancebook.example' }).submit);`,
    );
    expect(ended(NODE, ['run.mjs'], project)).toBe('true true 0 false function\n');
  });

  test('has both programs', () => {
    const program = (name: string) => join(project, 'node_modules/.bin', name);
    expect(ended(NODE, [program('stancebook'), '--help'], project)).toContain('Usage: stancebook COMMAND');
    const trades = join(ROOT, 'tests/fixtures/imports/backtesting-0.6.6.csv');
    const options = ['--check', '--symbol', 'MSFT', '--venue', 'NASDAQ', '--horizon', '5d'];
    expect(ended(NODE, [program('stancebook'), 'import', trades, ...options], project)).toContain('Would send 2 rows');
    const verifier = spawnSync(NODE, [program('stancebook-verify')], { encoding: 'utf8' });
    expect([verifier.status, `${verifier.stdout}${verifier.stderr}`]).toEqual([
      2,
      expect.stringContaining('Usage: verify'),
    ]);
  });

  test('has types: a right program compiles in strict mode, and each mistake is found', () => {
    const options = {
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      types: [],
      noEmit: true,
      lib: ['es2023', 'dom'],
    };
    const right = `import { type DecisionState, Stancebook } from 'stancebook-client';
      import { cautionsOf, permutationTest, readShare } from 'stancebook-client/stats';
      import { verifyFile } from 'stancebook-client/verify';
      import { verifyWebhook } from 'stancebook-client/webhooks';
      const book = new Stancebook({ url: 'https://stancebook.example', apiKey: null });
      const state: DecisionState = await book.state('dec_20261123_0a1b2c3d');
      for await (const { symbol } of book.list({ market: 'stock' })) symbol.toLowerCase();
      for await (const { items, next_cursor } of book.follow()) [items[0]?.type, next_cursor.length];
      const event = await verifyWebhook(new Headers(), '', []);
      if (event.type === 'circuit.changed') event.data.coin.toLowerCase();
      const { overview } = await book.cohort({ market: 'stock' });
      export const read = [readShare(overview)?.interval?.low, cautionsOf(overview).includes('one_owner')];
      const { items } = await book.decisions(['dec_20261123_0a1b2c3d']);
      export const tested = permutationTest(items.flatMap((each) => each.status === 'found' ? [each.decision] : []))?.atLeast;
      export const lines = await verifyFile(state.record_id, null);`;
    const mistakes = [
      ["market: 'stock'", "market: 'bonds'"],
      ['symbol }', 'ticker }'],
      ['.record_id', '.id'],
      ['data.coin', 'data.record_id'],
      ['interval?.low', 'odds'],
      ['?.atLeast', '?.odds'],
      ["'one_owner'", "'no_owner'"],
    ];
    const sources = [right, ...mistakes.map(([from = '', to = '']) => right.replace(from, to))];
    for (const [index, source] of sources.entries()) writeFileSync(join(project, `program-${index}.ts`), source);
    const files = sources.map((_, index) => `program-${index}.ts`);
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
    const tsc = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--pretty', 'false'], {
      cwd: project,
      encoding: 'utf8',
    });
    const faulty = [...new Set(tsc.stdout.match(/^[\w/.-]+\.ts/gm))].toSorted();
    expect([faulty, tsc.stdout]).toEqual([mistakes.map((_, index) => `program-${index + 1}.ts`), tsc.stdout]);
  });
});
