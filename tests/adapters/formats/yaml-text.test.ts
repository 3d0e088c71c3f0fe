import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { writeYaml } from '../../../adapters/formats/workflow-yaml.ts';
import { readYaml } from '../../../adapters/formats/yaml-text.ts';
import { WORKFLOW } from '../../../domain/limits.ts';
import { hiddenIn } from '../../../domain/shown-text.ts';
import { draftDocument } from '../../../domain/workflows/workflow-files.ts';
import { aReadyDraft, node } from '../../builders/workflows.ts';
import { anyDraft, HOSTILE_TEXTS, SENDABLE_TEXTS } from '../../builders/yaml-drafts.ts';

const read = (text: string): unknown => {
  const reading = readYaml(text);
  if ('json' in reading) return JSON.parse(reading.json);
  throw new Error(`${reading.reason} at ${reading.line}:${reading.column} of ${text.slice(0, 200)}`);
};

describe('writing and reading', () => {
  test('gives back any draft as it was', () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        const document = draftDocument(draft);
        expect(read(writeYaml(document))).toEqual(JSON.parse(JSON.stringify(document)));
      }),
      { numRuns: 300 },
    );
  });

  test.each(HOSTILE_TEXTS.map((text) => [JSON.stringify(text.slice(0, 40)), text]))(
    'gives back %s as a name, a member and a value',
    (_, text) => {
      const config = { [text]: text, list: [text, { [text]: [text] }] };
      const document = draftDocument(
        aReadyDraft({ description: text, tags: [text], nodes: [node('a', 'data.bars', config)] }),
      );
      expect(read(writeYaml(document))).toEqual(document);
    },
  );

  test('would notice a writer that leaves such text unquoted', () => {
    const misread = HOSTILE_TEXTS.filter((text) => {
      const reading = readYaml(`a: ${text}`);
      return !('json' in reading) || JSON.stringify(JSON.parse(reading.json)) !== JSON.stringify({ a: text });
    });
    expect(misread.length).toBeGreaterThan(40);
  });

  test('prints nothing that ends a line, turns it around or cannot be seen', () => {
    const config = Object.fromEntries(HOSTILE_TEXTS.map((text, index) => [`m${index}`, text]));
    const written = writeYaml(draftDocument(aReadyDraft({ nodes: [node('a', 'data.bars', config)] })));
    expect(hiddenIn(written)).toEqual([]);
    expect(written).not.toMatch(/[\t\r]/);
  });

  test('keeps what was created within the limit of a body within the limit of an import', () => {
    const deep = JSON.parse(`${'['.repeat(26)}${'[],'.repeat(400)}[]${']'.repeat(26)}`);
    const nodes = Array.from({ length: 40 }, (_, index) => node(`n${index}`, 'data.bars', { deep }));
    const document = draftDocument(aReadyDraft({ nodes }));
    expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(WORKFLOW.importBytes);
    const written = writeYaml(document);
    expect(Buffer.byteLength(written)).toBeLessThanOrEqual(WORKFLOW.importBytes);
    expect(read(written)).toEqual(document);
  });

  test('has one text for one document, its members in the order in which they are read', () => {
    const { edges, nodes, ...rest } = draftDocument(aReadyDraft());
    const turned = { edges, nodes: nodes.map(({ config, ...others }) => ({ config, ...others })), ...rest };
    expect(writeYaml(turned)).toBe(writeYaml(draftDocument(aReadyDraft())));
    expect(writeYaml(turned)).toMatch(/^schema_version: v1\nkind: stancebook.workflow\nname: /);
  });
});

/** The schema of YAML 1.1 with merges; it has no `=`, which the clients' campaign asks PyYAML about. */
const readAs11 = (text: string): unknown =>
  parse(text, { version: '1.1', schema: 'yaml-1.1', merge: true, maxAliasCount: 0 });

describe('a reader of YAML 1.1', () => {
  test('gets any draft as one of YAML 1.2 does', () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        const document = draftDocument(draft);
        expect(readAs11(writeYaml(document))).toEqual(JSON.parse(JSON.stringify(document)));
      }),
      { numRuns: 300 },
    );
  });

  test('gets numbers as numbers, in lines and in the dense form', () => {
    const numbers = [1e-7, -1e-7, 1e21, -1.5e300, 5e-324, 0.1, 12, -3, 1e20, 123_456.75];
    for (const deep of [[], JSON.parse(`${'['.repeat(26)}${'[],'.repeat(1_200)}[]${']'.repeat(26)}`)]) {
      const nodes = Array.from({ length: 13 }, (_, index) => node(`n${index}`, 'data.bars', { numbers, deep }));
      const document = draftDocument(aReadyDraft({ nodes }));
      const written = writeYaml(document);
      expect(written).not.toMatch(/[\s[,]-?\de[-+]/);
      expect([read(written), readAs11(written)]).toEqual([document, document]);
    }
  });

  test('would notice a writer that leaves such text unquoted', () => {
    const misread = SENDABLE_TEXTS.filter((text) => {
      try {
        return (readAs11(`a: ${text}`) as { readonly a: unknown }).a !== text;
      } catch {
        return true;
      }
    });
    expect(misread.length).toBeGreaterThan(60);
  });
});

describe('reading', () => {
  test.each([
    [
      'yes: no\n1e3: 1\nnull: 2\n~: 3\n1.0: 4\ntrue: 5\n2024-01-01: 6',
      { yes: 'no', '1e3': 1, null: 2, '~': 3, '1.0': 4, true: 5, '2024-01-01': 6 },
    ],
    ['a: 2024-01-01\nb: 12:30:45\nc: on\nd: 017', { a: '2024-01-01', b: '12:30:45', c: 'on', d: 17 }],
    ['<<: { a: 1 }\nb: 2', { '<<': { a: 1 }, b: 2 }],
    ['{a, b}', { a: null, b: null }],
    ['a: 0x1f\nb: ~\nc: TRUE\nd: 1e3', { a: 31, b: null, c: true, d: 1_000 }],
    ['# nothing but this', null],
  ])('%j is of the core schema, and its members are named by text', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  test.each([
    ['a: [1\nb: 2', /sufficiently indented/, 2, 1],
    ['a:\n\tb: 1', /Tabs/, 2, 1],
    ['a: 1\n]]]]', /is not valid/, 2, 1],
    ['a: 1\nb: &x 1', /an anchor/, 2, 7],
    ['a: 1\nb: *x', /an alias/, 2, 4],
    ['a: &x [1]\nb: *x', /an anchor/, 1, 7],
    ['a: !!int "3"', /a tag/, 1, 10],
    ['a: ! 3', /a tag/, 1, 6],
    ['a: !!binary aGk=', /a tag/, 1, 13],
    ['!!map\na: 1', /a tag/, 2, 1],
    ['%YAML 1.1\n---\na: yes', /a directive/, 1, 1],
    ['%FOO bar\n---\na: 1', /a directive/, 1, 1],
    ['a: 1\n---\nb: 2', /a second document/, 2, 1],
    ['a: 1\nb: 2\n"a": 3', /a member twice: a/, 3, 1],
    ['a: {b: 1, b: 2}', /a member twice: b/, 1, 11],
    ['? [a]\n: b', /keys must be strings/, 1, 3],
    ['a: .inf', /a number that JSON cannot express/, 1, 4],
    ['a: 1e400', /a number that JSON cannot express/, 1, 4],
    ['a: "\\0"', /U\+0000/, 1, 4],
    ['"\\0": a', /U\+0000/, 1, 1],
    ['a: "\\ud800"', /surrogate/, 1, 4],
    ['__proto__: { a: 1 }', /__proto__/, 1, 1],
    [`a: ${'['.repeat(33)}${']'.repeat(33)}`, /deeper than 32 levels/, 1, 35],
  ])('%j is refused with its place', (text, reason, line, column) => {
    expect(readYaml(text)).toEqual({ reason: expect.stringMatching(reason), line, column });
  });

  test('is refused of nesting that no stack can hold', () => {
    expect(readYaml('- '.repeat(20_000))).toMatchObject({ reason: expect.stringMatching(/nests too deeply/) });
  });

  test.each(['[', '{', '{a: ', '[{', '? [', '- {'])('64 KiB of %j is refused at its 65th bracket', (text) => {
    const column = text.length === 2 && !text.includes(' ') ? 65 : 64 * text.length + text.search(/[[{]/) + 1;
    const flood = text.repeat(WORKFLOW.importBytes / text.length);
    expect(readYaml(flood)).toEqual({ reason: 'nests deeper than 32 levels', line: 1, column });
  });

  test('brackets in texts and comments do not nest', () => {
    const many = '[{'.repeat(100);
    const texts = ['a: b', `"${many}"`, `'${many}'`, `b${many}`, '[{', '}', ']'];
    const items = texts.map((text) => (text.startsWith('[{') || text.length === 1 ? JSON.stringify(text) : text));
    const text = `${items.map((item) => `- ${item}`).join('\n')}\n- |\n  ${'[\n  '.repeat(100)}\n- [${'[], {}, '.repeat(100)}] # ${many}`;
    expect((read(text) as unknown[]).slice(1, 4)).toEqual([many, many, `b${many}`]);
  });

  test('returns the places of members', () => {
    const reading = readYaml('name: a\nnodes:\n  - id: x\n    node_id: y\n');
    const places = 'places' in reading ? reading.places : new Map();
    expect(places.get('nodes.0.node_id')).toEqual({ line: 4, column: 14 });
  });
});
