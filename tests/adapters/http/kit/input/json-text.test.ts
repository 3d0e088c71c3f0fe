import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJson, parseJsonInSlices } from '../../../../../adapters/http/kit/input/json-text.ts';
import { Problem } from '../../../../../domain/problem.ts';

function refusalOf(text: string): Problem {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`${text} was taken`);
}

test('any sound document is read as JSON.parse reads it', () => {
  const sound = fc.jsonValue({ maxDepth: 6 }).filter((value) => !JSON.stringify(value).match(/__proto__|\\u0000|\\ud/));
  fc.assert(
    fc.property(sound, fc.nat(3), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

describe('where a text breaks', () => {
  const cases: [string, number][] = [
    ['{"a":1,}', 7],
    ['{"a":tru}', 8],
    ['[1, 2, x]', 7],
    ['{"a":"b"', 8],
    ['nul', 3],
    [`{"a":[${'1,'.repeat(5_000)}?]}`, 10_006],
  ];
  test.each(cases)('%.20s: position %d', (text, position) => {
    expect(refusalOf(text).message).toContain(`position ${position} `);
  });

  test('the message contains line and column too', () => {
    expect(refusalOf('{\n  "a": ?\n}').message).toContain('(line 2, column 8)');
  });
});

describe('what cannot be stored or read alike is refused', () => {
  const cases: [string, string, string][] = [
    ['a member named twice', '{"a":{"b":1,"b":2}}', 'b'],
    ['a member named twice in other letters', '{"a":1,"\\u0061":2}', 'a'],
    ['U+0000 in a value', '{"a":["\\u0000"]}', 'a.0'],
    ['half a surrogate pair', '{"a":"\\ud800"}', 'a'],
    ['half a pair in a name', '{"x":{"\\udc00":1}}', 'x'],
    ['__proto__', '{"a":{"__proto__":{}}}', 'a.__proto__'],
  ];
  test.each(cases)('%s', (_, text, path) => {
    const { code, details } = refusalOf(text);
    expect(code).toBe('MALFORMED_BODY');
    expect(details?.map((detail) => detail.path)).toEqual([path]);
  });

  test('33 levels are refused and 32 are taken', () => {
    expect(refusalOf('['.repeat(33) + ']'.repeat(33)).details?.[0]?.message).toContain('32 levels');
    expect(parseJson('['.repeat(32) + ']'.repeat(32))).toBeInstanceOf(Array);
    expect(refusalOf('['.repeat(30_000) + ']'.repeat(30_000)).code).toBe('MALFORMED_BODY');
  });

  test.each([[''], [' \n']])('an empty body', (text) => {
    expect(refusalOf(text).message).toBe('The body is empty.');
  });
});

test('colons and quotes inside strings do not look like members', () => {
  expect(parseJson('{"a":"\\"b\\": 1","c":":"}')).toEqual({ a: '"b": 1', c: ':' });
});

describe('the items of a long list, in slices', () => {
  const item = (n: number) => ({
    id: `item-${n}`,
    text: 'a "quote", [a list], {an object}: \\',
    nested: [n, { n: [] }],
  });
  const document = {
    before: { rows: [1] },
    rows: Array.from({ length: 1_000 }, (_, n) => item(n)),
    after: ['rows', {}],
  };
  const long = JSON.stringify(document);
  const deep = (levels: number) => long.replace('"item-800"', '['.repeat(levels) + ']'.repeat(levels));

  /** What becomes of a text: its value, or the words of its refusal. */
  async function outcome(reading: () => unknown) {
    try {
      return { value: await reading() };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { code, message, details } = error;
      return { code, message, details };
    }
  }

  const inSlices = (text: string) => outcome(() => parseJsonInSlices(text, 'rows'));
  const whole = (text: string) => outcome(() => parseJson(text));

  test.each([
    ['without spaces', long],
    ['with spaces', JSON.stringify(document, null, 3)],
    ['as the only member', JSON.stringify({ rows: document.rows })],
    ['of numbers', JSON.stringify({ rows: Array.from({ length: 20_000 }, (_, n) => n) })],
    ['that is empty, in a long text', JSON.stringify({ ...document, rows: [], long: document.rows })],
    ['that is empty but for spaces', `{"rows":[${' '.repeat(40_000)}]}`],
    ['under an escaped name', long.replace('"rows"', '"r\\u006fws"')],
    ['that is deep', deep(28)],
    ['that is a text', JSON.stringify({ rows: long })],
    ['in another object', JSON.stringify({ inner: document })],
    ['without an object', JSON.stringify([document])],
  ])('%s are read as in one piece', async (_, text) => {
    expect(await inSlices(text)).toEqual({ value: JSON.parse(text) });
  });

  test.each([
    ['a member named twice', long.replace('"id":"item-900"', '"id":1,"id":2')],
    ['the list twice', long.replace('"after"', '"rows":[],"after"')],
    ['another member twice', long.replace('"after":', '"before":1,"after":')],
    ['U+0000', long.replace('item-900', '\\u0000')],
    ['half a surrogate pair', long.replace('item-1"', '\\ud800"')],
    ['__proto__', long.replace('"id":"item-500"', '"__proto__":1')],
    ['33 levels', deep(30)],
    ['a comma too many', long.replace('}],"after"', '},],"after"')],
    ['a comma without items', `{"rows":[${' '.repeat(40_000)},1]}`],
    ['no item at the end', `{"rows":[1,${' '.repeat(40_000)}]}`],
    ['no comma', long.replace('}]},{', '}]}{')],
    ['another bracket', long.replace('}],"after"', '}},"after"')],
    ['a bracket too many', long.replace('{"id":"item-700"', '{"id":]"item-700"')],
    ['no end', long.slice(0, -20)],
    ['no end of a text', long.slice(0, long.indexOf('item-900'))],
    ['no end of the list', long.slice(0, long.indexOf(',"after"') - 1)],
    ['something after the end', `${long}1`],
    ['a number beyond a double', long.replace('"item-900"', '1e999')],
    ['only spaces', ' '.repeat(20_000)],
  ])('with %s are refused in the same words', async (_, text) => {
    const refusal = await whole(text);
    expect(refusal).toHaveProperty('code', 'MALFORMED_BODY');
    expect(await inSlices(text)).toEqual(refusal);
  });

  test('are read, or refused, as in one piece wherever a text is damaged', async () => {
    const text = JSON.stringify({ rows: document.rows.slice(0, 500) });
    const damage = fc.constantFrom('', '"', ',', ':', '[', ']', '{', '}', '\\', '1', ' ');
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), damage, async (at, by) => {
        const damaged = text.slice(0, at) + by + text.slice(at + 1);
        expect(await inSlices(damaged)).toEqual(await whole(damaged));
      }),
    );
  });

  test('leave turns to others', async () => {
    let [isOver, turns] = [false, 0];
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await inSlices(long);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(Math.floor(long.length / 20_000));
  });
});
