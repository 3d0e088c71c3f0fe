import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { endpointsOf } from '../../adapters/http/routes/endpoints.ts';
import { newWorkflow } from '../../adapters/http/shapes/workflows/workflow-draft.ts';
import type { Ports } from '../../application/ports.ts';
import { SHOWN_LINE, SHOWN_TEXT, SHOWN_TEXT_OR_NONE } from '../../domain/shown-text.ts';

/** No handler runs here, so that no port is called. */
const endpoints = endpointsOf({} as Ports);

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const MARKS = [0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)];
const CONTROLS = [...range(0, 8), 0x0b, 0x0c, ...range(0x0e, 0x1f), ...range(0x7f, 0x9f)];
const LINE_ENDS = [0x09, 0x0a, 0x0d, 0x2028, 0x2029];
const around = (code: number) => `a${String.fromCodePoint(code)}b`;

describe('the shapes of shown texts', () => {
  test('none accepts a control character or a mark of direction, at any place', () => {
    for (const code of [...MARKS, ...CONTROLS]) {
      const mark = String.fromCodePoint(code);
      for (const text of [mark, `${mark}a`, `a${mark}`, around(code)])
        for (const shape of [SHOWN_LINE, SHOWN_TEXT, SHOWN_TEXT_OR_NONE])
          expect([code, shape.test(text)]).toEqual([code, false]);
    }
  });

  test('a line accepts no line end, a text does', () => {
    expect(LINE_ENDS.filter((code) => SHOWN_LINE.test(around(code)))).toEqual([]);
    expect(LINE_ENDS.filter((code) => !SHOWN_TEXT.test(around(code)))).toEqual([]);
  });

  test('white space alone is neither; writing of any script is both', () => {
    for (const shape of [SHOWN_LINE, SHOWN_TEXT]) {
      expect(['', ' ', '\t\n', '\u3000\u00a0\ufeff'].filter((text) => shape.test(text))).toEqual([]);
      const scripts = [' שלום ', 'مرحبا', '動量', '👩‍👩‍👧‍👦', "O'Neill & co.", '\u3000x'];
      expect(scripts.filter((text) => !shape.test(text))).toEqual([]);
    }
    expect(SHOWN_TEXT_OR_NONE.test('')).toBe(true);
  });

  test('a long text takes no longer than its length', () => {
    const long = ['a', ' '].map((one) => `${one.repeat(60_000)}\u202e`);
    const begin = performance.now();
    for (const name of long)
      expect(newWorkflow.safeParse({ name, description: name, tags: [name] }).success).toBe(false);
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});

interface TextNode {
  readonly pattern?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** Every text of a JSON schema, by its path. */
function textsIn(node: unknown, path = ''): [string, TextNode][] {
  if (typeof node !== 'object' || node === null) return [];
  const own: [string, TextNode][] = 'type' in node && node.type === 'string' ? [[path, node as TextNode]] : [];
  return [...own, ...Object.entries(node).flatMap(([key, value]) => textsIn(value, `${path}/${key}`))];
}

/** Texts of bodies that are not names or descriptions, or are kept as they were sent. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^submitDecision /, 'a decision is evidence: it is stored, sealed and returned as it was sent'],
  [/^statePlan .*\/sentence$/, 'a plan is evidence, too'],
  [/^statePlan .*\/symbol$/, 'it is stored as it was understood, in letters, digits and signs'],
  [/password/, 'secret, never shown'],
  [/(terms|privacy)_version$/, 'one of the configured versions'],
  [/timezone|locale/, 'one of the names of the time zone database, or a language tag'],
  [/^importWorkflow $/, 'a whole document, whose texts have the shapes of a new workflow'],
  [/^readDecisionBatch /, 'a text that is no record id finds nothing'],
  [/propertyNames/, 'the names of members of a config, of preferences for programs'],
  [/agent_id/, 'must be the id of an agent'],
  [/allowed_networks/, 'a network in CIDR notation, stored as it is written anew'],
  [/^(create|change)Webhook .*\/url$/, 'a URL in visible ASCII characters (`webhookUrlProblem`)'],
  [/^endProviderSessions .*\/additionalProperties$/, 'other values of the provider, which are ignored'],
];

test('every other text of a body refuses marks and controls by its pattern, its format or its list', () => {
  const open = endpoints.flatMap(({ id, body }) =>
    (body ? textsIn(z.toJSONSchema(body.schema, { io: 'input', unrepresentable: 'any' })) : [])
      .filter(([, text]) => text.format === undefined && text.enum === undefined && text.const === undefined)
      .filter(({ 1: { pattern } }) =>
        [...MARKS, ...CONTROLS].some((code) => pattern === undefined || new RegExp(pattern).test(around(code))),
      )
      .map(([path]) => `${id} ${path}`),
  );
  expect(open.length).toBeGreaterThan(10);
  expect(open.filter((place) => !OTHERS.some(([known]) => known.test(place)))).toEqual([]);
});
