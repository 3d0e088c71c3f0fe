import fc from 'fast-check';

/**
 * A string of any characters of Unicode, halves of surrogate pairs excluded; lengths count characters. fast-check's own
 * `unit: 'binary'` makes a table of all of them first, which takes most of a second of each process.
 */
export function anyText(lengths: Omit<fc.StringConstraints, 'unit'> = {}): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: CHARACTER });
}

const SURROGATES = { from: 0xd800, count: 0x800 };
const CHARACTER = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)),
  fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map((place) => {
    return String.fromCodePoint(place < SURROGATES.from ? place : place + SURROGATES.count);
  }),
);
