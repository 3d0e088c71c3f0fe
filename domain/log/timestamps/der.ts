import { concatBytes, Malformed } from '../encoding.ts';

/** An element of DER (X.690): everything that has another encoding of the same value is refused. */
export interface Der {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With tag and length. */
  readonly whole: Uint8Array;
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag `[number]` of a context, with elements in it, or with the bytes of a primitive. */
export const explicitTag = (number: number) => 0xa0 + number;
export const implicitTag = (number: number) => 0x80 + number;

/** The one element that the bytes are. @throws Malformed */
export function derOf(bytes: Uint8Array): Der {
  const first = elementAt(bytes, 0);
  if (first.whole.length !== bytes.length) throw new Malformed('There are bytes after the end of a DER element.');
  return first;
}

/** The elements in an element. @throws Malformed */
export function membersOf({ content }: Der): readonly Der[] {
  const members: Der[] = [];
  for (let at = 0; at < content.length; ) {
    const member = elementAt(content, at);
    members.push(member);
    at += member.whole.length;
  }
  return members;
}

function elementAt(bytes: Uint8Array, at: number): Der {
  const [tag = 0, length = 0x80] = bytes.subarray(at, at + 2);
  if ((tag & 0x1f) === 0x1f) throw new Malformed('A DER tag has more than one byte.');
  const [start, size] = length < 0x80 ? [at + 2, length] : longLength(bytes, at + 2, length - 0x80);
  if (start + size > bytes.length) throw new Malformed('A DER element is cut off.');
  return { tag, content: bytes.subarray(start, start + size), whole: bytes.subarray(at, start + size) };
}

/** In as few bytes as possible, and definite. */
function longLength(bytes: Uint8Array, at: number, count: number): readonly [number, number] {
  const digits = bytes.subarray(at, at + count);
  const size = digits.reduce((total, digit) => 256 * total + digit, 0);
  if (count < 1 || count > 4 || digits.length < count || digits[0] === 0 || size < 0x80)
    throw new Malformed('A DER length is not in its shortest form.');
  return [at + count, size];
}

/** Reads members one after the other. */
export interface DerReader {
  /** The next member. @throws Malformed for another tag, and where none is left */
  next(tag: number, what: string): Der;
  /** The next member if it has this tag; null otherwise. */
  optional(tag: number): Der | null;
  /** @throws Malformed where a member is left */
  end(what: string): void;
}

/** @throws Malformed for another tag */
export function readerOf(element: Der, tag: number, what: string): DerReader {
  if (element.tag !== tag) throw new Malformed(`${what} does not have the tag ${tag}.`);
  const members = membersOf(element);
  let at = 0;
  const optional = (wanted: number) => {
    const member = members[at];
    if (member?.tag !== wanted) return null;
    at += 1;
    return member;
  };
  return {
    optional,
    next(wanted, name) {
      const member = optional(wanted);
      if (!member) throw new Malformed(`${what} has no ${name} where one is expected.`);
      return member;
    },
    end(name) {
      if (at < members.length) throw new Malformed(`${name} has a member more than is known.`);
    },
  };
}

/** The dotted form of an object identifier. @throws Malformed */
export function oidOf({ tag, content }: Der): string {
  const last = content.at(-1);
  if (tag !== TAG.oid || last === undefined || last >= 0x80) throw new Malformed('An object identifier is expected.');
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    if (number === 0 && byte === 0x80) throw new Malformed('An object identifier is not in its shortest form.');
    number = 128 * number + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
    }
  }
  const [joined = 0, ...others] = numbers;
  const root = Math.min(2, Math.floor(joined / 40));
  return [root, joined - 40 * root, ...others].join('.');
}

/** A whole number from 0 to 2^31. @throws Malformed for others, and for another tag */
export function smallNumber({ tag, content }: Der, expected: number = TAG.integer): number {
  const [first = 0x80, second = 0x80] = content;
  const isShortest = content.length === 1 || (first === 0 ? second >= 0x80 : true);
  if (tag !== expected || first >= 0x80 || content.length > 4 || !isShortest)
    throw new Malformed('A whole number from 0 to 2^31 is expected.');
  return content.reduce((total, byte) => 256 * total + byte, 0);
}

/** POSIX milliseconds. @throws Malformed for every other time than one of UTC with seconds */
export function timeOf({ tag, content }: Der): number {
  const text = String.fromCharCode(...content.subarray(0, 32));
  const form = tag === TAG.utcTime ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)()Z$/ : GENERALIZED;
  const [, year, month, day, hour, minute, second, fraction = ''] = form.exec(text) ?? [];
  const full = tag === TAG.utcTime ? Number(year) + (Number(year) < 50 ? 2_000 : 1_900) : Number(year);
  const parts = [full, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const;
  const time = Date.UTC(...parts) + Number(fraction.slice(0, 3).padEnd(3, '0'));
  const date = new Date(time);
  const isReal = date.getUTCMonth() === parts[1] && date.getUTCDate() === parts[2] && date.getUTCHours() === parts[3];
  if ((tag !== TAG.utcTime && tag !== TAG.generalizedTime) || content.length > 32 || !isReal)
    throw new Malformed('A time of UTC with seconds is expected.');
  return time;
}

const GENERALIZED = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d*[1-9]))?Z$/;

/** The bytes of a bit string whose last byte may have unused bits. @throws Malformed */
export function bitsOf({ tag, content }: Der): Uint8Array {
  const [unused = 8] = content;
  if (tag !== TAG.bits || unused > 7) throw new Malformed('A bit string is expected.');
  return content.subarray(1);
}

/** The bytes of an element with this content. */
export function derBytes(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const inner = concatBytes(...content);
  const digits: number[] = [];
  for (let rest = inner.length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  const length = inner.length < 0x80 ? [inner.length] : [0x80 + digits.length, ...digits];
  return concatBytes(Uint8Array.of(tag, ...length), inner);
}
