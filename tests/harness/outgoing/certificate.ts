import { generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { DAY } from '../../../domain/time.ts';

export interface Certificate {
  /** Both PEM. */
  readonly cert: string;
  readonly key: string;
}

/** A certificate for the names and IPv4 addresses that signs itself (RFC 5280), valid for a day from `from`. */
export function certificateFor(hosts: readonly string[], from: Date = new Date(Date.now() - DAY / 2)): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(SET, sequence(oid('550403'), der(UTF8, Buffer.from('stancebook test')))));
  const content = sequence(
    der(CONTEXT | CONSTRUCTED, der(INTEGER, Buffer.of(2))),
    der(INTEGER, Buffer.of(1)),
    ECDSA_WITH_SHA256,
    name,
    sequence(utcTime(from), utcTime(new Date(from.getTime() + DAY))),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(CONTEXT | CONSTRUCTED | 3, sequence(sequence(oid('551d11'), der(OCTETS, sequence(...hosts.map(altName)))))),
  );
  const signature = der(BITS, Buffer.concat([Buffer.of(0), sign('sha256', content, privateKey)]));
  const base64 = sequence(content, ECDSA_WITH_SHA256, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'), key };
}

const [INTEGER, BITS, OCTETS, UTF8, SET, UTC_TIME] = [0x02, 0x03, 0x04, 0x0c, 0x31, 0x17] as const;
const [CONTEXT, CONSTRUCTED] = [0x80, 0x20] as const;
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));

function altName(host: string): Buffer {
  if (isIP(host) === 0) return der(CONTEXT | 2, Buffer.from(host));
  return der(CONTEXT | 7, Buffer.from(host.split('.').map(Number)));
}

function utcTime(at: Date): Buffer {
  return der(UTC_TIME, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

/** A value in DER: its tag, its length, its content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
