import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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

const ROOT = join(import.meta.dirname, '../..');
const READERS = ['owner', 'operator', 'researcher', 'contributor'] as const;
const pageOf = (reader: string) => readFileSync(join(ROOT, `docs/first-steps-${reader}.md`), 'utf8');
const NODE = `${process.execPath} --disable-warning=ExperimentalWarning`;

/** What npm runs, without what it installs, which is there. */
const WITHOUT_NPM = {
  'npm run --silent admin --': `${NODE} ${ROOT}/infrastructure/cli.ts`,
  'npm run --silent jest --': `${NODE} ${ROOT}/node_modules/jest/bin/jest.js`,
};

test.each([...READERS, 'agent'])('the path of the %s has at most ten steps, and says where to go on', (reader) => {
  const page = reader === 'agent' ? readFileSync(join(ROOT, 'docs/first-agent.md'), 'utf8') : pageOf(reader);
  const steps = [...page.matchAll(/^## (\d+)\. /gm)].map(([, number]) => Number(number));
  expect(steps).toEqual(steps.map((_, index) => index + 1));
  expect(steps.length).toBeLessThanOrEqual(10);
  expect(page.trimEnd().split('\n\n').at(-1)).toMatch(/^Next: .*\]\(/);
});

describe.each(['owner', 'operator', 'researcher'])('the steps of the %s', (reader) => {
  const blocks = blocksOf(reader);
  let folder: string;
  let service: RunningService;
  let outputs: readonly CommandOutput[];
  beforeAll(async () => {
    folder = makeFolder();
    // As usual not in the folder of the data.
    const log = { LOG_LAST_SEEN: join(folder, 'last-seen.json') };
    const limits = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_PUBLIC_COHORTS_PER_MINUTE: '100000' };
    const env = { LOG_INTERVAL_SECONDS: '1', ...log, ...limits };
    const dataDir = await copyPreparedData(join(folder, 'data'));
    service = await startService(dataDir, { env });
    const environment = { DATA_DIR: dataDir, ...log };
    outputs = runShown(blocks, service.url, folder, environment);
  }, 2 * LONGEST_RUN);
  afterAll(async () => {
    await stopService(service);
    removeFolder(folder);
  });
  eachShows(blocks, () => outputs);
});

describe('the steps of the contributor', () => {
  const blocks = blocksOf('contributor');
  let folder: string;
  let outputs: readonly CommandOutput[];
  beforeAll(() => {
    folder = makeFolder();
    copyCheckout(folder);
    outputs = runShown(blocks, '', folder);
  }, 2 * LONGEST_RUN);
  afterAll(() => removeFolder(folder));
  eachShows(blocks, () => outputs);
});

/** What its reader may change: a part of the checkout, with the packages of this one and without its PostgreSQL. */
function copyCheckout(folder: string): void {
  for (const part of ['domain', 'tests/domain/webhooks', 'tests/builders', 'tests/harness', 'package.json']) {
    mkdirSync(join(folder, part, '..'), { recursive: true });
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const { testEnvironment, runtime, transform } = JSON.parse(readFileSync(join(ROOT, 'jest.config.json'), 'utf8'));
  const cacheDirectory = join(folder, 'cache');
  writeFileSync(
    join(folder, 'jest.config.json'),
    JSON.stringify({ testEnvironment, runtime, transform, cacheDirectory }),
  );
}

function blocksOf(reader: string) {
  return shownCommands(pageOf(reader))
    .filter((block) => !isOfNpm(block))
    .map((block) => ({
      ...block,
      commands: Object.entries(WITHOUT_NPM).reduce((text, [npm, own]) => text.replaceAll(npm, own), block.commands),
    }));
}

/** Each block ran, ended well, and printed what the page shows. */
function eachShows(blocks: ReturnType<typeof blocksOf>, outputsOf: () => readonly CommandOutput[]): void {
  test('all of them ran', () => expect(outputsOf()).toHaveLength(blocks.length));

  test.each(blocks.map(({ commands, shown }, index) => [commands.split('\n')[0], index, shown] as const))(
    '%s',
    (_, index, shown) => {
      const { output, status } = outputsOf()[index] ?? {};
      if (shown !== undefined) expect(asShown(output ?? '', shown)).toBe(masked(shown));
      expect(status).toBe(0);
    },
  );
}
