import { describe, expect, test } from '@jest/globals';
import { type CommandContext, fetchWithRetryAfter, runCommand } from '../../clients/typescript/verify/command-line.ts';
import { savedReadingOf } from '../../clients/typescript/verify/saved-reading.ts';
import { utf8 } from '../../domain/log/encoding.ts';
import { vkeyText } from '../../domain/log/notes/note.ts';
import { aSigner } from '../builders/log.ts';
import { aDecisionOpening, anOutcomeOpening } from '../builders/log-openings.ts';
import { aProofFile, LOG, LOG_POLICY } from '../builders/proof-files.ts';

const POLICY_URL = 'https://stancebook.example/log/policy';
const PLACE = ['--log', 'https://stancebook.example/log/1/'];
const files: Readonly<Record<string, string>> = {
  policy: LOG_POLICY,
  decision: await aProofFile(aDecisionOpening()),
  outcome: await aProofFile(anOutcomeOpening(3)),
};

/** Runs the command on these files and what these URLs serve. */
async function run(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const present: Record<string, string> = { ...files, ...more };
  let output = '';
  const context: CommandContext = {
    fileExists: (file) => Object.hasOwn(present, file),
    readFile: (file) => utf8(present[file] ?? ''),
    writeFile: (file, content) => {
      present[file] = typeof content === 'string' ? content : new TextDecoder().decode(content);
    },
    makeFolder: () => undefined,
    stampCrypto: null,
    write: (text) => {
      output += text;
    },
    fetch: async (url) => ({ status: present[url] ? 200 : 404, retryAfter: null, body: utf8(present[url] ?? '') }),
    sleep: async () => undefined,
  };
  return { exitCode: await runCommand(args, context), output, present };
}

describe('a key that the log itself states', () => {
  const stated = { [POLICY_URL]: LOG_POLICY };

  test('verifies, and is not confirmed by anybody', async () => {
    const { exitCode, output } = await run(['decision', ...PLACE], stated);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/holds +signature .*; by keys of the log itself, not confirmed by anybody\n/);
    expect(output).toMatch(/holds +witnesses .*; by keys of the log itself, not confirmed by anybody\n/);
  });

  test('is pinned by --since: another key that the log states later fails', async () => {
    const first = await run(['decision', ...PLACE, '--since', 'kept'], stated);
    expect(savedReadingOf(first.present.kept ?? '').pinned).toBe(LOG_POLICY);
    const other = LOG_POLICY.replace(vkeyText(LOG.key), vkeyText(aSigner(LOG.key.name, LOG.key.type, 3).key));
    const later = { [POLICY_URL]: other, kept: first.present.kept ?? '' };
    expect((await run(['decision', ...PLACE, '--since', 'kept'], later)).exitCode).toBe(0);
    const signedByOther = await run(['decision', ...PLACE, '--since', 'kept'], {
      ...later,
      kept: JSON.stringify({ ...JSON.parse(later.kept), pinned: other }),
    });
    expect(signedByOther.output).toContain('FAILS       signature');
  });

  test('does not count when the reader brings a policy', async () => {
    const { output } = await run(['decision', ...PLACE, '--policy', 'policy'], { [POLICY_URL]: 'quorum none\n' });
    expect(output).toContain('holds       signature');
    expect(output).not.toContain('not confirmed');
  });

  test('is not checked where the log states none', async () => {
    const { exitCode, output, present } = await run(['decision', ...PLACE, '--since', 'kept']);
    expect([exitCode, present.kept]).toEqual([1, undefined]);
    expect(output).toContain('not checked signature');
  });
});

describe('--require', () => {
  const required = (...args: readonly string[]) => run([...args, '--policy', 'policy', '--require', 'witness,bars']);

  test('makes a line fail that is not checked', async () => {
    const { exitCode, output } = await required('outcome', 'decision');
    expect(exitCode).toBe(1);
    expect(output).toContain('FAILS       bars              required and not checked: the file does not contain');
    expect(output).toContain('holds       witnesses');
  });

  test('fails for a line that no file has', async () => {
    const { exitCode, output } = await required('decision');
    expect(exitCode).toBe(1);
    expect(output).toContain('FAILS       bars              required, and no file has this line');
  });
});

test.each([
  [['decision', '--require', 'everything'], '--require does not know everything; the lines are signature, '],
  [['decision', '--require', ''], '--require does not know ; the lines are'],
  [['decision', '--sample', '3'], '--sample is for an audit: add --audit.'],
  [['decision', '--since', 'kept'], '--since needs --log.'],
  [['decision', '--sense', 'kept'], 'There is no option --sense.'],
  [['decision', '--log'], '--log needs a value.'],
  [['--policy', 'policy'], 'There is no file to verify.'],
  [['--audit'], '--audit needs --log.'],
  [['--audit', 'decision', ...PLACE], 'An audit reads no files: decision.'],
  [['--audit', ...PLACE, '--sample', '-1'], '--sample needs a number of up to 9 digits.'],
  [['--audit', ...PLACE, '--all', '--sample', '3'], '--all and --snapshot open every decision: leave --sample out.'],
  [['--audit', ...PLACE, '--snapshot', 'rows', '--sample', '3'], '--all and --snapshot open every decision'],
  [['--audit', ...PLACE, '--snapshot'], '--snapshot needs a value.'],
  [['--audit', '--all', '--require', 'everything'], '--require does not know everything; the lines are signature, '],
  [['decision', '--all'], '--all is for an audit: add --audit.'],
  [['decision', '--snapshot', 'rows'], '--snapshot is for an audit: add --audit.'],
  [['--record', 'decision', '--all'], '--all is not for --record.'],
  [['--audit', ...PLACE, ...PLACE], '--log is there twice.'],
  [['--recount'], '--recount needs --log with a URL: it asks the service.'],
  [['--recount', '--log', 'folder'], '--recount needs --log with a URL: it asks the service.'],
  [['--recount', ...PLACE, '--since', 'kept'], '--since is not for --recount.'],
  [['--recount', ...PLACE, '--audit'], '--audit is not for --recount.'],
  [['--recount', ...PLACE, '--sample', '0'], '--sample needs a number of cohorts, of up to 9 digits.'],
  [[], 'Usage: verify'],
])('%j is no command', async (args, fault) => {
  const { exitCode, output } = await run(args);
  expect([exitCode, output.slice(0, fault.length)]).toEqual([2, fault]);
  expect(output).toContain('Usage: verify');
});

test('a server that asks for waits gets them', async () => {
  const waits: number[] = [];
  const body = utf8('done');
  const replies = [
    { status: 429, retryAfter: '7', body },
    { status: 429, retryAfter: null, body },
    { status: 429, retryAfter: '9999', body },
    { status: 429, retryAfter: 'soon', body },
    { status: 200, retryAfter: null, body },
  ];
  const network = {
    fetch: async () => replies.shift() ?? { status: 500, retryAfter: null, body },
    sleep: async (milliseconds: number) => void waits.push(milliseconds),
  };
  expect((await fetchWithRetryAfter(network, 'https://stancebook.example/')).status).toBe(200);
  expect(waits).toEqual([7_000, 1_000, 120_000, 1_000]);
});
