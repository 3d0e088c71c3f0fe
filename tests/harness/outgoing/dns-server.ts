import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { parseAddress } from '../../../domain/networks.ts';

export interface DnsServer {
  /** As resolvers take it. */
  readonly address: string;
  /** Every question, as `A name` or `AAAA name`, in the order of arrival. */
  readonly questions: string[];
  close(): void;
}

/** The addresses of a name, one list for each time that one of its two kinds is asked for, the last one for ever. */
export type Zone = Readonly<Record<string, readonly (readonly string[])[]>>;

/** A DNS server of one zone (RFC 1035), on UDP. A name with an empty zone entry gets no reply, others do not exist. */
export async function dnsServer(zone: Zone): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = questionOf(message);
    const kind = type === AAAA ? 'AAAA' : 'A';
    const question = `${kind} ${name}`;
    const lists = zone[name];
    const before = questions.filter((each) => each === question).length;
    questions.push(question);
    if (lists?.length === 0) return;
    const list = lists?.[Math.min(before, lists.length - 1)] ?? [];
    const records = list.filter((text) => text.includes(':') === (kind === 'AAAA')).map(recordOf);
    const header = Buffer.from(message.subarray(0, 12));
    header.writeUInt16BE(lists ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, message.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, questions, close: () => socket.close() };
}

const AAAA = 28;

function questionOf(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The bits of an IPv4 address inside IPv6 are those of the text, not of the IPv4 address. */
function recordOf(text: string): Buffer {
  const size = text.includes(':') ? 16 : 4;
  const address = parseAddress(text);
  if (!address) throw new Error(`${text} is no address`);
  const mapped = size === 16 && address.family === 4 ? 0xffffn << 32n : 0n;
  const digits = (address.bits | mapped).toString(16).padStart(2 * size, '0');
  const head = Buffer.from([0xc0, 0x0c, 0, size === 16 ? AAAA : 1, 0, 1, 0, 0, 0, 0, 0, size]);
  return Buffer.concat([head, Buffer.from(digits, 'hex')]);
}
