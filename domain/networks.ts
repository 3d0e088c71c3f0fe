/** An IP address; one of IPv4 inside IPv6 (`::ffff:192.0.2.7`) is the IPv4 address. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

/** The addresses that share the first `length` bits of an address. */
export interface IpNetwork extends IpAddress {
  readonly length: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;

/** The address of the text, without brackets, port and zone; null for any other text. */
export function parseAddress(text: string): IpAddress | null {
  const bits = ipv4Bits(text);
  if (bits !== null) return { family: 4, bits };
  const long = ipv6Bits(text);
  if (long === null) return null;
  return long >> 32n === 0xffffn ? { family: 4, bits: long & 0xffffffffn } : { family: 6, bits: long };
}

/** The address in the one form that storages compare: an IPv4 address inside IPv6 as IPv4; null for any other text. */
export function plainAddress(text: string): string | null {
  // As most requests have it: from IPv4, on a socket that serves both.
  const ipv4 = text.startsWith('::ffff:') ? text.slice('::ffff:'.length) : text;
  if (IPV4.test(ipv4)) return ipv4;
  const address = parseAddress(text);
  return address && addressText(address);
}

/** An address, or a network in CIDR form (`192.0.2.0/24`); null for any other text. Bits after its prefix are dropped. */
export function parseNetwork(text: string): IpNetwork | null {
  const [, name = '', prefix] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const address = parseAddress(name);
  if (!address) return null;
  const written = name.includes(':') ? 128 : 32;
  const length = Number(prefix ?? written) - (written - WIDTH[address.family]);
  if (length < 0 || length > WIDTH[address.family]) return null;
  return { family: address.family, bits: maskedBits(address, length), length };
}

/** Whether the text names a network without bits after its prefix. */
export function isNetwork(text: string): boolean {
  const [network, address] = [parseNetwork(text), parseAddress(text.replace(/\/.*$/, ''))];
  return network !== null && network.bits === address?.bits;
}

export function isInNetwork(address: IpAddress, { family, bits, length }: IpNetwork): boolean {
  return address.family === family && maskedBits(address, length) === bits;
}

/** The one form in which a network is stored and shown: lower-case, the longest run of zeros as `::` (RFC 5952). */
export function networkText(network: IpNetwork): string {
  return `${addressText(network)}/${network.length}`;
}

export function addressText({ family, bits }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, place) => ((bits >> BigInt(112 - 16 * place)) & 0xffffn).toString(16));
  const zeros = groups.join(':').match(/(?:^|:)0(?::0)+(?=:|$)/g) ?? [];
  const longest = zeros.reduce(
    (best, run) => (run.replace(/^:/, '').length > best.length ? run.replace(/^:/, '') : best),
    '',
  );
  if (longest === '') return groups.join(':');
  return groups.join(':').replace(new RegExp(`(^|:)${longest}(:|$)`), '::');
}

function maskedBits({ family, bits }: IpAddress, length: number): bigint {
  const rest = BigInt(WIDTH[family] - length);
  return (bits >> rest) << rest;
}

const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${BYTE}\\.${BYTE}\\.${BYTE}\\.${BYTE}$`);

function ipv4Bits(text: string): bigint | null {
  const bytes = IPV4.exec(text)?.slice(1);
  return bytes ? bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n) : null;
}

function ipv6Bits(text: string): bigint | null {
  const [, front = text, last] = /^(.*:)([\d.]*\.[\d.]*)$/.exec(text) ?? [];
  const embedded = last === undefined ? null : ipv4Bits(last);
  if (last !== undefined && embedded === null) return null;
  const whole =
    embedded === null ? front : `${front}${(embedded >> 16n).toString(16)}:${(embedded & 0xffffn).toString(16)}`;
  const [head = '', tail, more] = whole.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const missing = 8 - before.length - after.length;
  const isWhole = tail === undefined ? missing === 0 : missing > 0 && more === undefined;
  if (!isWhole) return null;
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function groupsOf(part: string): readonly string[] {
  return part === '' ? [] : part.split(':');
}
