import { expect, test } from '@jest/globals';
import { optionsIn, VERBS } from '../../clients/typescript/cli/verbs.ts';
import { runPython } from './python/run-python.ts';

/** In Python they say which program has them. */
const OF_NODE_ALONE = ['import', 'mcp'];
/** `watch` is the one with several ids and `show` the one with everything; these were there before. */
const OF_PYTHON_ALONE = ['state', 'wait'];
/** Options of Python for what the verifier of Node.js does by itself, and for every page of a cohort. */
const FURTHER: Readonly<Record<string, readonly string[]>> = { verify: ['input'], cohort: ['items', 'limit'] };

const SCRIPT = `
import json, stancebook
options = lambda parser: [each[2:] for each in parser._option_string_actions if each.startswith("--")]
print(json.dumps({name: options(parser) for name, parser in stancebook._parsers()[1].items()}))
`;

test('both command lines have the same commands with the same options', async () => {
  const { stdout } = await runPython(['-c', SCRIPT]);
  const python: Readonly<Record<string, readonly string[]>> = JSON.parse(stdout);
  const own = Object.keys(python).filter((name) => !OF_PYTHON_ALONE.includes(name));
  expect(own.sort()).toEqual(Object.keys(VERBS).sort());
  for (const [name, verb] of Object.entries(VERBS).filter(([each]) => !OF_NODE_ALONE.includes(each))) {
    const common = ['help', 'url', 'allow-http'];
    const expected = [...common, ...optionsIn(verb), ...(FURTHER[name] ?? [])];
    expect([name, [...(python[name] ?? [])].sort()]).toEqual([name, expected.sort()]);
  }
});
