import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, test } from '@jest/globals';
import { completionFor, helpOf, helpText, unknownVerb } from '../../../clients/typescript/cli/help.ts';
import { optionsIn, VERBS } from '../../../clients/typescript/cli/verbs.ts';
import { VERSION } from '../../../clients/typescript/client/version.ts';
import { VERSION as RELEASE } from '../../../infrastructure/version.ts';
import { OPERATING } from '../../../scripts/stancebook/operating.ts';
import { type Exchange, type ScriptedServer, startScriptedServer } from '../scripted-server.ts';
import { type CliOptions, runCli } from './run-cli.ts';

const KEY = 'sbk_Testing1_AbCdEfGhIjKlMnOpQrStUvWxYz01234567890a';
const DECISIONS = '/api/v1/agent/decisions';

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Runs a command with a key against scripted replies, which must all be used. */
async function run(args: readonly string[], exchanges: readonly Exchange[], options: CliOptions = {}) {
  server = await startScriptedServer(exchanges);
  const ended = await runCli(args, { env: { STANCEBOOK_URL: server.url, STANCEBOOK_API_KEY: KEY }, ...options });
  expect(server.faults()).toEqual([]);
  return ended;
}

function get(path: string, body: unknown): Exchange {
  return { request: { method: 'GET', path, headers: { 'x-api-key': KEY } }, reply: { body } };
}

const recordOf = (number: number) => ({ record_id: `dec_20261123_0000000${number}` });

describe('list', () => {
  test('prints each decision of all pages on a line', async () => {
    const pages = [
      get(`${DECISIONS}?limit=100&symbol=MSFT`, { items: [recordOf(1)], next_cursor: 'c1' }),
      get(`${DECISIONS}?limit=100&symbol=MSFT&cursor=c1`, { items: [recordOf(2)], next_cursor: null }),
    ];
    const { status, stdout } = await run(['list', 'symbol=MSFT'], pages);
    expect([status, stdout]).toEqual([0, `${JSON.stringify(recordOf(1))}\n${JSON.stringify(recordOf(2))}\n`]);
  });

  test('asks for no more than the limit, and no further page', async () => {
    const page = get(`${DECISIONS}?limit=2`, { items: [recordOf(1), recordOf(2), recordOf(3)], next_cursor: 'c1' });
    const { stdout } = await run(['list', '--limit', '2'], [page]);
    expect(stdout.trim().split('\n')).toEqual([recordOf(1), recordOf(2)].map((each) => JSON.stringify(each)));
  });

  test.each([
    [['list', 'MSFT'], 'MSFT is not NAME=VALUE.'],
    [['list', '--limit', '0'], '--limit needs a whole number from 1 on.'],
    [['cohort'], 'cohort needs an argument.'],
    [['limits', '--limit', '1'], "Unknown option '--limit'"],
  ])('%j is a wrong command', async (args, words) => {
    const { status, stderr } = await run(args, []);
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  test('ends quietly when its reader does', async () => {
    const items = Array.from({ length: 3_000 }, (_, number) => ({ ...recordOf(number), padding: 'x'.repeat(200) }));
    const onOutput: CliOptions['onOutput'] = (_, child) => child.stdout?.destroy();
    const page = get(`${DECISIONS}?limit=100`, { items, next_cursor: null });
    expect(await run(['list'], [page], { onOutput })).toMatchObject({ status: 0, stderr: '' });
  });
});

test('show, cohort and limits print the reply', async () => {
  const record = recordOf(1);
  const cases = [
    [['show', record.record_id], `${DECISIONS}/${record.record_id}`],
    [['cohort', 'market=stock', 'symbol=MSFT'], '/api/v1/agent/wisdom?market=stock&symbol=MSFT'],
    [['limits'], '/api/v1/public/auth/status?include=quota'],
  ] as const;
  for (const [args, path] of cases) {
    const { status, stdout } = await run(args, [get(path, record)]);
    expect([status, JSON.parse(stdout)]).toEqual([0, record]);
    await server?.close();
  }
});

test('events prints each event on a line, and where to go on', async () => {
  const pages = [
    get('/api/v1/agent/events?limit=100&after=c0', { items: [{ type: 'decision.evaluated' }], next_cursor: 'c1' }),
    get('/api/v1/agent/events?limit=100&after=c1', { items: [], next_cursor: 'c2' }),
  ];
  const { status, stdout, stderr } = await run(['events', '--after', 'c0'], pages);
  expect([status, stdout, stderr]).toEqual([
    0,
    '{"type":"decision.evaluated"}\n',
    'stancebook: go on later with --after c2\n',
  ]);
});

describe('help', () => {
  const verbs = { ...OPERATING, ...VERBS };

  test('has every verb once, in lines that fit', () => {
    const text = helpText(OPERATING);
    for (const name of Object.keys(verbs)) expect(text.match(new RegExp(`^  ${name}( |$)`, 'gm'))).toHaveLength(1);
    expect(text.split('\n').filter((line) => line.length > 120)).toEqual([]);
    expect(helpText({})).not.toContain('Run a service');
  });

  test('of one verb has its options', async () => {
    expect(helpOf('submit', VERBS.submit)).toContain('--validate-only');
    for (const args of [
      ['help', 'submit'],
      ['submit', '--help'],
    ]) {
      expect(await run(args, [])).toEqual({ status: 0, stdout: helpOf('submit', VERBS.submit), stderr: '' });
    }
  });

  test('a wrong verb gets the one that was meant', async () => {
    expect(unknownVerb('strat', verbs)).toBe('There is no command strat. Did you mean start?');
    expect(unknownVerb('recipt', verbs)).toContain('Did you mean receipt?');
    expect(unknownVerb('xylophone', verbs)).toBe('There is no command xylophone.');
    expect(await run(['sumbit'], [])).toMatchObject({ status: 2, stderr: expect.stringContaining('mean submit?') });
  });

  test('--version is that of the release', async () => {
    expect(VERSION).toBe(RELEASE);
    expect((await run(['--version'], [])).stdout).toBe(`stancebook ${RELEASE}\n`);
  });
});

describe('completion', () => {
  const verbs = { ...OPERATING, ...VERBS };

  test.each(['bash', 'zsh', 'fish'])('for %s has every verb and its options', (shell) => {
    const text = completionFor(shell, verbs) ?? '';
    for (const [name, verb] of Object.entries(verbs)) {
      for (const word of [name, ...optionsIn(verb)]) expect(text).toContain(word);
    }
  });

  test('completes verbs and options in bash', () => {
    const words = (typed: string, at: number) => {
      const ask = `COMP_WORDS=(stancebook ${typed}); COMP_CWORD=${at}; _stancebook; echo "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('bash', ['-c', `${completionFor('bash', verbs)}\n${ask}`]);
      return `${stdout}${stderr}`.trim();
    };
    expect(words('rec', 1)).toBe('recall receipt record-proof');
    expect(words('submit --v', 2)).toBe('--validate-only');
    expect(words('help wi', 2)).toBe('witness');
  });

  test('for another shell is refused', async () => {
    expect(await run(['completion', 'csh'], [])).toMatchObject({ status: 2 });
  });
});
