import fc from 'fast-check';
import { isShown } from '../../domain/shown-text.ts';
import { NODE_TEMPLATES } from '../../domain/workflows/node-catalogue.ts';
import { VISIBILITIES } from '../../domain/workflows/workflow.ts';
import { anyText } from './any-text.ts';

/** Texts that a YAML parser could read as another type. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...['yes', 'no', 'on', 'off', 'y', 'n', 'null', 'Null', '~', 'true', 'TRUE', 'False'],
  ...['1e3', '0x1f', '0o17', '0b1', '017', '1_000', '12:30:45', '.inf', '-.nan', '1.', '.5', '-1', '+1', '1e400'],
  ...[
    '1:30',
    '-1:00',
    '190:20:30.15',
    '1e-7',
    '1.0e+3',
    '0.1_5',
    '0b1_0',
    '0o7',
    '08',
    '+.inf',
    '.NaN',
    '1,000',
    '0_',
    'e0',
    'E-12',
  ],
  ...[
    'YES',
    'No',
    'ON',
    'Off',
    'Y',
    'N',
    'NULL',
    '<<:',
    '2001-1-1',
    '2001-12-14t21:59:43.10-05:00',
    '2002-12-14 0:0:0',
  ],
  ...['2024-01-01', '2024-01-01T00:00:00Z', '<<', '=', '---', '...', '%YAML 1.1', '--- a', '- a', '? a', ': a', 'a: b'],
  ...['a:', 'a #b', '# a', '&a', '*a', '!a', '!!str a', '@a', '`a', '|', '>', '|-', '{', '}', '[', ']', ',', 'a, b'],
  ...['"', "'", '\\', '\\n', '"a', "a'b", ' a', 'a ', '\ta', 'a\t', '\n', 'a\n', '\na', 'a\n\n', 'a\n b', 'a\n---\nb'],
  ...['\r', 'a\r\nb', '\u0085', '\u2028', '\u2029', '\ufeff', '\ufeffa', '\u0007', '\u007f', '\u009f', '\ufffe'],
  ...[
    '👩‍👩‍👧‍👦',
    '\u{1f600}',
    'שלום',
    'مرحبا',
    '\u202eabc',
    '\u2066abc\u2069',
    'e\u0301',
    'é',
    '動量',
    'x'.repeat(1_500),
  ],
];

/** Those that a request may contain. */
export const SENDABLE_TEXTS: readonly string[] = HOSTILE_TEXTS.filter(isShown);

const text = fc
  .oneof(
    fc.constantFrom(...SENDABLE_TEXTS),
    anyText({ maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.stringMatching(/^[-+]?[0-9][0-9_]{0,4}(\.[0-9]{0,3})?(:[0-5]?[0-9])?([eE][-+]?[0-9]{1,2})?$/),
    fc.array(fc.constantFrom(...'019.:-+_eExXobTZ ynNYtf~<=#\t\n'), { maxLength: 8 }).map((parts) => parts.join('')),
  )
  .filter(isShown);
/** Whether a database can store the value and a body can contain it. */
const isStorable = (value: unknown) => {
  const json = JSON.stringify(value);
  return json.isWellFormed() && !/\\u0000|\\ud[89a-f]|__proto__/.test(json);
};
const textOf = (least: number, most: number) =>
  text.filter((value) => isStorable(value) && value.length >= least && value.length <= most);

const shownOf = (most: number) => textOf(1, most).filter((value) => value.trim() !== '' && !/[\t\n\r]/.test(value));

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.oneof(text, fc.boolean(), fc.constant(null), fc.integer(), number),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}));
const config = fc
  .dictionary(text, json, { maxKeys: 4, noNullPrototype: true })
  .map((value): Readonly<Record<string, unknown>> => JSON.parse(JSON.stringify(value)))
  .filter((value) => isStorable(value) && Buffer.byteLength(JSON.stringify(value)) <= 4_096);

const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,39}$/);
const end = fc.tuple(name, name).map((parts) => parts.join('.'));
const node_id = fc.constantFrom(...NODE_TEMPLATES.map((template) => template.node_id));

/** Any draft that can be stored and names only existing nodes; few of them could be published. */
export const anyDraft = fc.record({
  name: shownOf(120),
  description: textOf(0, 1_024),
  tags: fc.array(shownOf(40), { maxLength: 10 }),
  visibility: fc.constantFrom(...VISIBILITIES),
  nodes: fc.array(fc.record({ id: name, node_id, config }), { maxLength: 6 }),
  edges: fc.array(fc.record({ from: end, to: end }), { maxLength: 8 }),
});
