import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { copyPreparedData } from '../harness/prepared-data.ts';
import {
  asShown,
  type CommandOutput,
  isOfNpm,
  LONGEST_RUN,
  masked,
  runShown,
  shownCommands,
} from '../harness/shown-commands.ts';
import { makeFolder, type RunningService, removeFolder, startService, stopService } from './service.ts';

// The machine may be busy with other tests.

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const README = read('README.md');

describe('the commands of the README for the project itself', () => {
  const named = shownCommands(README)
    .filter(isOfNpm)
    .flatMap(({ commands }) => commands.trim().split('\n'));

  test('one runs the service, one tests it, one shows it', () => {
    expect(named.map((line) => line.replace(/ *#.*/, ''))).toEqual(['npm start', 'npm test', 'npm run demo -- --keep']);
  });

  test('are scripts of package.json, which install what they need; --keep is an option of the demo', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const installs = expect.stringMatching(/^node scripts\/prepare\.mjs/);
    for (const name of ['start', 'test', 'demo']) {
      expect([scripts[name] !== undefined, scripts[`pre${name}`]]).toEqual([true, installs]);
    }
    expect(read('scripts/demo.ts')).toContain('--keep   leave the service running');
  });
});

/** The documents whose other commands run one after the other in one shell on a new service: blocks, and outputs shown. */
const RUN: readonly (readonly [string, number, number])[] = [
  ['README.md', 6, 5],
  ['docs/first-agent.md', 6, 6],
  ['docs/concepts.md', 9, 8],
];

describe.each(RUN)('the commands of %s', (path, count, outputsShown) => {
  const run = shownCommands(read(path)).filter((block) => !isOfNpm(block));
  let folder: string;
  let service: RunningService;
  let outputs: readonly CommandOutput[];
  beforeAll(async () => {
    folder = makeFolder();
    const env = { LOG_INTERVAL_SECONDS: '1', LIMIT_COOLDOWN_SECONDS: '0' };
    const dataDir = join(folder, 'data');
    // The README describes a first start.
    if (path !== 'README.md') await copyPreparedData(dataDir);
    service = await startService(dataDir, { env });
    outputs = runShown(run, service.url, folder);
  }, 2 * LONGEST_RUN);
  afterAll(async () => {
    await stopService(service);
    removeFolder(folder);
  });

  test('are as many as are counted here, and all of them ran', () => {
    expect([run.length, run.filter(({ shown }) => shown !== undefined).length]).toEqual([count, outputsShown]);
    expect(outputs).toHaveLength(run.length);
  });

  test.each(run.map(({ commands, shown }, index) => [commands.split('\n')[0], index, shown] as const))(
    '%s',
    (_, index, shown) => {
      const { output, status } = outputs[index] ?? {};
      if (shown !== undefined) expect(asShown(output ?? '', shown)).toBe(masked(shown));
      expect(status).toBe(shown?.includes('FAILS') ? 1 : 0);
    },
  );
});

test('the configuration for MCP is that of docs/mcp.md, whose examples are tested', () => {
  const [, configuration = ''] = /^```json\n([\s\S]*?)^```/m.exec(README) ?? [];
  expect(configuration).toContain('/mcp');
  expect(read('docs/mcp.md')).toContain(configuration);
});

test('the picture of the README is there, and small', () => {
  const [, path = ''] = /<img src="([^"]+)"/.exec(README) ?? [];
  expect(existsSync(join(ROOT, path))).toBe(true);
  expect(statSync(join(ROOT, path)).size).toBeLessThan(100_000);
});
