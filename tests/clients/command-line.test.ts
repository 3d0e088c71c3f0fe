import { describe, expect, test } from '@jest/globals';
import { sha256 } from '../../application/sha256.ts';
import { type CommandContext, runCommand, unloggedAt } from '../../clients/typescript/verify/command-line.ts';
import { fetchWithRetryAfter } from '../../clients/typescript/verify/network.ts';
import { savedReadingOf } from '../../clients/typescript/verify/saved-reading.ts';
import { hexOf, utf8 } from '../../domain/log/encoding.ts';
import { leafBytes } from '../../domain/log/leaves/leaf.ts';
import { vkeyText } from '../../domain/log/notes/note.ts';
import { entryBundle } from '../../domain/log/tree/tile.ts';
import { aSigner, aTree, someLeaves } from '../builders/log.ts';
import { aDecisionOpening, anOutcomeOpening } from '../builders/log-openings.ts';
import {
  aCheckpoint,
  aProofFile,
  aProofOf,
  LOG,
  LOG_KEYS,
  LOG_POLICY,
  SEEN,
  servedFiles,
} from '../builders/proof-files.ts';

const POLICY_URL = 'https://stancebook.example/log/policy';
const PLACE = ['--log', 'https://stancebook.example/log/1/'];
const files: Readonly<Record<string, string>> = {
  policy: LOG_POLICY,
  decision: await aProofFile(aDecisionOpening()),
  outcome: await aProofFile(anOutcomeOpening(3)),
};

/** Runs the command on these files and what these URLs serve. */
async function run(
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
  served = new Map<string, Uint8Array>(),
  replies: Readonly<Record<string, { readonly status: number; readonly body: string }>> = {},
) {
  const present: Record<string, string> = { ...files, ...more };
  const bytesOf = (file: string) => served.get(file) ?? utf8(present[file] ?? '');
  let output = '';
  const asked: (readonly [url: string, timeout: number | undefined])[] = [];
  const context: CommandContext = {
    fileExists: (file) => Object.hasOwn(present, file) || served.has(file),
    readFile: bytesOf,
    writeFile: (file, content) => {
      present[file] = typeof content === 'string' ? content : new TextDecoder().decode(content);
    },
    makeFolder: () => undefined,
    stampCrypto: null,
    write: (text) => {
      output += text;
    },
    fetch: async (url, timeout) => {
      asked.push([url, timeout]);
      const reply = replies[url];
      if (reply) return { status: reply.status, retryAfter: null, body: utf8(reply.body) };
      return { status: bytesOf(url).length > 0 ? 200 : 404, retryAfter: null, body: bytesOf(url) };
    },
    sleep: async () => undefined,
  };
  return { exitCode: await runCommand(args, context), output, present, asked };
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

describe('a decision of one log, graded in the log that goes on with it', () => {
  const NEXT = aSigner('stancebook.example/log/2', undefined, 12);
  const [decision, outcome] = [aDecisionOpening(), anOutcomeOpening(3)];
  const known = someLeaves(9).map((leaf, i) => (i === 3 ? leafBytes(decision.leaf) : leaf));
  const root = hexOf(aTree(known).root);
  const goesOn = leafBytes({ t: 'continues', of: LOG.key.name, root, size: 9, v: 1 });
  const next = [...known, goesOn, leafBytes(outcome.leaf)];

  async function verified(files: readonly string[], leaves: readonly Uint8Array[] | null) {
    const present = {
      both: `log ${vkeyText(NEXT.key)}\n${LOG_POLICY}`,
      a: await aProofOf(decision, known),
      b: await aProofOf(outcome, next, NEXT),
    };
    const served = [...(leaves ? await servedFiles(leaves, NEXT) : [])];
    const log = new Map(served.map(([path, bytes]) => [`copy/${path}`, bytes] as const));
    const place = leaves ? ['--log', 'copy'] : [];
    return (await run([...files, ...place, '--policy', 'both'], present, log)).output;
  }

  test('is one, as the log shows', async () => {
    for (const files of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const output = await verified(files, next);
      expect(output).toMatch(
        /^This decision, .* and graded strong_correct from prices that are not in the files\.\n\n/,
      );
      expect(output).toMatch(/holds +decision +it grades dec_20260302_5c0ffee5, bullish, by eval\/1\n/);
    }
  });

  test('may be one, as its files alone do not show', async () => {
    const others = [...next.with(3, leafBytes({ t: 'decision', c: '1'.repeat(64), v: 1 })), goesOn];
    for (const leaves of [null, others]) {
      const output = await verified(['a', 'b'], leaves);
      expect(output).toContain(', and a grade among the files may be of it: verify them with --log, as their logs');
      expect(output).toContain('This grade, strong_correct, is of a decision whose proof may be among the files: ');
      expect(output).toMatch(
        /not checked decision +the proof of leaf 3 is of \S+\/log\/1, with which \S+\/log\/2 may go on: --log shows it\n/,
      );
    }
  });

  test('is not late by a reading of the next log, where the leaf was lost before it', async () => {
    const read = { origin: NEXT.key.name, size: 0, edge: [], states: '', bundles: '', pinned: null, missing: [] };
    const timed = async (index: number) => {
      const continued = [{ index, of: LOG.key.name, size: 9, root }];
      const kept = JSON.stringify({ v: 4, ...read, continued, reads: [[3, SEEN + 9_000]] });
      return (await run(['decision', '--log', 'copy', '--since', 'kept', '--policy', 'policy'], { kept })).output;
    };
    expect(await timed(3)).toMatch(/holds +time +seen at/);
    expect(await timed(4)).toMatch(/late +time +not yet logged at/);
  });
});

test('an audit asks the witnesses that the reader brings, for 10 s, and none that the log names itself', async () => {
  const next = aSigner('stancebook.example/log/2', undefined, 12);
  const known = [
    { t: 'log', last: null, v: 1 },
    { t: 'decision', c: 'ab'.repeat(32), v: 1 },
  ] as const;
  const leaves = known.map((leaf) => leafBytes(leaf));
  const tree = aTree(leaves);
  const goesOn = leafBytes({ t: 'continues', of: LOG.key.name, root: hexOf(tree.root), size: 2, v: 1 });
  const witness = 'https://w.example/w';
  const mine = `log ${vkeyText(next.key)}\n${LOG_KEYS.replace(/\n$/, ` ${witness}\n`)}quorum W\n`;
  const url = `${witness}/${hexOf(sha256(LOG.key.name))}/checkpoint`;
  const place = 'https://stancebook.example/log/2';
  const files = [...(await servedFiles([...leaves, goesOn], next))].map(
    ([path, bytes]) => [`${place}/${path}`, bytes] as const,
  );
  const served = new Map([...files, [url, utf8(await aCheckpoint(2, tree.root))] as const]);
  const audited = async (...args: readonly string[]) => {
    const given = ['--audit', '--log', place, '--sample', '0', ...args];
    const { asked, output } = await run(given, { mine, [POLICY_URL]: mine }, served);
    return { asked: asked.filter(([each]) => each.startsWith(witness)), output };
  };
  const own = await audited('--policy', 'mine');
  expect(own.asked).toEqual([[url, 10_000]]);
  expect(own.output).toMatch(/holds +continues +leaf 2: the log goes on with the 2 leaves of \S+; W saw no more\n/);
  const learnt = await audited();
  expect(learnt.asked).toEqual([]);
  expect(learnt.output).toMatch(/not checked +continues +leaf 2: .*; no witness says how many it had\n/);
  expect(learnt.output).not.toContain('all of it: proved');
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

describe('a recount', () => {
  const COHORTS = 'https://stancebook.example/api/v1/public/cohorts?market=stock&mood=good';
  const asks = (status: number, body: string) =>
    run(['--recount', 'market=stock&mood=good', ...PLACE, '--policy', 'policy'], {}, new Map(), {
      [COHORTS]: { status, body },
    });

  test.each([404, 422])('of a cohort that only agents can ask for says how: %j', async (status) => {
    const error = { message: 'mood is not a parameter.' };
    const { exitCode, output } = await asks(status, JSON.stringify({ error }));
    expect([exitCode, output]).toEqual([
      2,
      `The service does not count market=stock&mood=good without credentials. ${COHORTS} answered with ${status}: ` +
        "mood is not a parameter. To count what an agent gets: curl -i -H 'X-API-Key: KEY' " +
        "'https://stancebook.example/api/v1/agent/wisdom?market=stock&mood=good' > reply\n",
    ]);
  });

  test.each([
    [
      JSON.stringify({ error: { message: 'symbol\u001b[2J must be a ticker.' } }),
      ': symbol\\u{1b}[2J must be a ticker.',
    ],
    ['<html>', '.'],
    ['{"error":null}', '.'],
  ])('says what a refusal says: %j', async (body, said) => {
    expect((await asks(400, body)).output).toBe(`${COHORTS} answered with 400${said}\n`);
  });

  test('says what to use where a log serves no openings', async () => {
    const leaf = leafBytes({ t: 'log', last: null, v: 1 });
    const { output } = await run(['--audit', '--all', '--log', 'folder', '--policy', 'policy'], {
      'folder/checkpoint': await aCheckpoint(1, aTree([leaf]).root),
      'folder/tile/entries/000.p/1': new TextDecoder().decode(entryBundle([leaf])),
    });
    expect(output).toMatch(/folder serves no openings: .* Use --audit --sample 300 with its URL\.\n$/);
  });

  test('looks for a grade without a leaf among all that are listed: an import has them of any age', async () => {
    const record_ids = Array.from({ length: 20 }, (_, i) => `dec_20170605_000000${10 + i}`);
    const graded = { items: record_ids.map((record_id) => ({ record_id, evaluated_at: '2026-01-02T00:00:00Z' })) };
    const replies: Readonly<Record<string, object>> = {
      'decisions?limit=50': graded,
      ...Object.fromEntries(record_ids.map((id) => [`decisions/${id}`, { log: { index: 1, outcome_index: 2 } }])),
      'decisions/dec_20170605_00000027': { log: null },
    };
    const network = {
      fetch: async (url: string) => ({ status: 200, retryAfter: null, body: utf8(JSON.stringify(replies[url])) }),
      sleep: async () => undefined,
    };
    const at = Date.parse('2026-01-02T00:03:00Z');
    expect(await unloggedAt(network, (path) => path, at)).toBe('dec_20170605_00000027');
    expect(await unloggedAt(network, (path) => path, at - 120_000)).toBeNull();
  });
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
