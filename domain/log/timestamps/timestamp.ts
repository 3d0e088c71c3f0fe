import type { Millis } from '../../time.ts';
import { bytesOfHex, concatBytes, equalBytes, hexOf, Malformed } from '../encoding.ts';
import type { Sha256 } from '../tree/tree.ts';
import {
  type Certificate,
  certificateOf,
  hashOf,
  isTrusted,
  onlyMember,
  type StampCrypto,
  type StrongHash,
  signatureAlgorithm,
  stampUsageFault,
  subjectKeyId,
} from './certificates.ts';
import {
  type Der,
  type DerReader,
  derBytes,
  derOf,
  explicitTag,
  implicitTag,
  membersOf,
  oidOf,
  readerOf,
  smallNumber,
  TAG,
  timeOf,
} from './der.ts';

const OID = {
  signedData: '1.2.840.113549.1.7.2',
  stampInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
} as const;

/** SHA-256 with absent parameters. */
const SHA256 = bytesOfHex('300b0609608648016503040201');

/** The signature type of a timestamp in a note: one without an assigned type, so an identifier follows (signed-note). */
const TIMESTAMP = 0xff;

/** The key ID of the signature lines of an authority: 8 hexadecimal digits. @param name its host */
export function timestampKeyId(name: string, sha256: Sha256): string {
  return hexOf(sha256(`${name}\n`, Uint8Array.of(TIMESTAMP), 'rfc3161').subarray(0, 4));
}

/** A TimeStampReq (RFC 3161, 2.4.1) that asks for the certificates too. @param nonce positive: its first byte is 0x01 to 0x7f */
export function timestampRequest(digest: Uint8Array, nonce: Uint8Array): Uint8Array {
  const imprint = derBytes(TAG.sequence, SHA256, derBytes(TAG.octets, digest));
  const [version, certificates] = [bytesOfHex('020101'), bytesOfHex('0101ff')];
  return derBytes(TAG.sequence, version, imprint, derBytes(TAG.integer, nonce), certificates);
}

/** The token of a TimeStampResp (RFC 3161, 2.4.2). @throws Malformed, also for a refusal */
export function tokenOfResponse(bytes: Uint8Array): Uint8Array {
  const reader = readerOf(derOf(bytes), TAG.sequence, 'the reply');
  const status = readerOf(reader.next(TAG.sequence, 'status'), TAG.sequence, 'the status');
  const code = smallNumber(status.next(TAG.integer, 'number'));
  if (code > 1) throw new Malformed(`it refuses, with the status ${code}`);
  const token = reader.next(TAG.sequence, 'token').whole;
  reader.end('The reply');
  return token;
}

/** What a token says, before anything of it is trusted. */
export interface StampInfo {
  /** POSIX milliseconds. */
  readonly time: number;
  /** Milliseconds; 0 where none is said. */
  readonly accuracy: number;
  readonly nonce: Uint8Array | null;
  readonly imprint: { readonly hash: StrongHash; readonly digest: Uint8Array };
}

interface Token {
  readonly info: StampInfo;
  readonly content: Uint8Array;
  readonly certificates: readonly Certificate[];
  readonly signer: Der;
}

/**
 * Checks a token (RFC 3161, RFC 5816) against the bytes that it is said to be of.
 * @param trusted authorities that the reader trusts
 * @returns what it says @throws Malformed whose message says what is wrong
 */
export function checkToken(
  token: Uint8Array,
  stamped: Uint8Array,
  trusted: readonly Certificate[],
  crypto: StampCrypto,
): StampInfo {
  const read = tokenOf(token);
  const { imprint } = read.info;
  if (!equalBytes(crypto.digest(imprint.hash, stamped), imprint.digest)) throw new Malformed('it is of another text');
  const certificate = checkSigner(read, crypto);
  const fault = stampUsageFault(certificate);
  if (fault !== null) throw new Malformed(fault);
  if (!isTrusted(certificate, read.certificates, trusted, read.info.time, crypto))
    throw new UntrustedStamp('its certificate leads to no trusted authority that was valid then');
  return read.info;
}

/** Sound as far as can be said without trust in who made it. */
export class UntrustedStamp extends Malformed {}

/** @throws Malformed */
export function tokenOf(bytes: Uint8Array): Token {
  const outer = readerOf(derOf(bytes), TAG.sequence, 'the token');
  if (oidOf(outer.next(TAG.oid, 'type')) !== OID.signedData) throw new Malformed('the token is not signed data');
  const data = readerOf(onlyMember(outer.next(explicitTag(0), 'content')), TAG.sequence, 'the signed data');
  data.next(TAG.integer, 'version');
  data.next(TAG.set, 'set of digests');
  const content = stampContent(data);
  const certificates = data.optional(explicitTag(0));
  data.optional(explicitTag(1));
  const signer = onlyMember(data.next(TAG.set, 'signer'));
  data.end('The signed data');
  return {
    info: infoOf(content),
    content,
    certificates: certificates ? membersOf(certificates).map(({ whole }) => certificateOf(whole)) : [],
    signer,
  };
}

function stampContent(data: DerReader): Uint8Array {
  const content = readerOf(data.next(TAG.sequence, 'content'), TAG.sequence, 'the content');
  if (oidOf(content.next(TAG.oid, 'type')) !== OID.stampInfo) throw new Malformed('the token is no timestamp');
  const { tag, content: bytes } = onlyMember(content.next(explicitTag(0), 'value'));
  if (tag !== TAG.octets) throw new Malformed('the timestamp is not in an octet string');
  return bytes;
}

function infoOf(content: Uint8Array): StampInfo {
  const info = readerOf(derOf(content), TAG.sequence, 'the timestamp');
  if (smallNumber(info.next(TAG.integer, 'version')) !== 1) throw new Malformed('the timestamp has another version');
  info.next(TAG.oid, 'policy');
  const imprint = readerOf(info.next(TAG.sequence, 'imprint'), TAG.sequence, 'the imprint');
  const hash = hashOf(imprint.next(TAG.sequence, 'hash'));
  const digest = imprint.next(TAG.octets, 'digest').content;
  info.next(TAG.integer, 'serial number');
  const time = timeOf(info.next(TAG.generalizedTime, 'time'));
  const accuracy = accuracyOf(info.optional(TAG.sequence));
  info.optional(TAG.boolean);
  const nonce = info.optional(TAG.integer)?.content ?? null;
  return { time, accuracy, nonce, imprint: { hash, digest } };
}

/** Rounded up to milliseconds. */
function accuracyOf(element: Der | null): number {
  if (!element) return 0;
  const accuracy = readerOf(element, TAG.sequence, 'the accuracy');
  const [seconds, millis, micros] = [TAG.integer, implicitTag(0), implicitTag(1)].map((tag) => {
    const part = accuracy.optional(tag);
    return part ? smallNumber(part, tag) : 0;
  });
  accuracy.end('The accuracy');
  return 1_000 * (seconds ?? 0) + (millis ?? 0) + Math.ceil((micros ?? 0) / 1_000);
}

/** The certificate that signed the token, as its signature, its digest and its signed attributes say. @throws Malformed */
function checkSigner({ signer, certificates, content }: Token, crypto: StampCrypto): Certificate {
  const info = readerOf(signer, TAG.sequence, 'the signer');
  info.next(TAG.integer, 'version');
  const issuer = info.optional(TAG.sequence);
  const named = issuer ?? info.next(implicitTag(0), 'name');
  const certificate = certificates.find((each) => (issuer ? isNamed(each, named) : hasKeyId(each, named)));
  if (!certificate) throw new Malformed('the certificate of its signer is missing');
  const hash = hashOf(info.next(TAG.sequence, 'digest'));
  const signed = info.next(explicitTag(0), 'set of signed attributes');
  const algorithm = signatureAlgorithm(info.next(TAG.sequence, 'algorithm'), hash);
  const signature = info.next(TAG.octets, 'signature').content;
  if (algorithm.hash !== hash) throw new Malformed('its digest and its signature have different hashes');
  const attributes = attributesOf(signed);
  if (oidOf(onlyValue(attributes, OID.contentType)) !== OID.stampInfo)
    throw new Malformed('it signs another type of content');
  const digest = onlyValue(attributes, OID.messageDigest);
  if (digest.tag !== TAG.octets || !equalBytes(digest.content, crypto.digest(hash, content)))
    throw new Malformed('its digest is not that of its content');
  checkSigningCertificate(attributes, certificate, crypto);
  // The signature is of a set with its own tag (RFC 5652, 5.4).
  const message = concatBytes(Uint8Array.of(TAG.set), signed.whole.subarray(1));
  if (!crypto.verify(certificate.publicKey, algorithm, message, signature))
    throw new Malformed('its signature does not verify');
  return certificate;
}

function isNamed({ issuer, serial }: Certificate, name: Der): boolean {
  const reader = readerOf(name, TAG.sequence, 'the name of a certificate');
  const isIssuer = equalBytes(reader.next(TAG.sequence, 'issuer').whole, issuer);
  return isIssuer && equalBytes(reader.next(TAG.integer, 'serial number').content, serial);
}

function hasKeyId(certificate: Certificate, { content }: Der): boolean {
  const id = subjectKeyId(certificate);
  return id !== null && equalBytes(id, content);
}

function attributesOf(signed: Der): ReadonlyMap<string, Der> {
  const attributes = new Map<string, Der>();
  for (const each of membersOf(signed)) {
    const attribute = readerOf(each, TAG.sequence, 'an attribute');
    const oid = oidOf(attribute.next(TAG.oid, 'type'));
    if (attributes.has(oid)) throw new Malformed(`The attribute ${oid} is there twice.`);
    attributes.set(oid, attribute.next(TAG.set, 'set of values'));
  }
  return attributes;
}

function onlyValue(attributes: ReadonlyMap<string, Der>, oid: string): Der {
  const values = attributes.get(oid);
  if (!values) throw new Malformed(`the signed attribute ${oid} is missing`);
  return onlyMember(values);
}

/** The token must name its certificate (ESSCertID, ESSCertIDv2): another one of the same key could be put in its place. */
function checkSigningCertificate(
  attributes: ReadonlyMap<string, Der>,
  { whole }: Certificate,
  crypto: StampCrypto,
): void {
  const isV2 = attributes.has(OID.signingCertificateV2);
  const value = onlyValue(attributes, isV2 ? OID.signingCertificateV2 : OID.signingCertificate);
  const list = readerOf(value, TAG.sequence, 'the signing certificate').next(TAG.sequence, 'list');
  const [first] = membersOf(list);
  if (!first) throw new Malformed('it names no signing certificate');
  const id = readerOf(first, TAG.sequence, 'the signing certificate');
  const named = isV2 ? id.optional(TAG.sequence) : null;
  const hash = isV2 ? (named ? hashOf(named) : 'sha256') : 'sha1';
  if (!equalBytes(id.next(TAG.octets, 'digest').content, crypto.digest(hash, whole)))
    throw new Malformed('it names another certificate than that of its signer');
}

/** Sends requests to time-stamp authorities (RFC 3161, 3.4). */
export interface TimestampClient {
  /**
   * @param signal ends the request and its reply
   * @returns the reply, of a bounded length
   * @throws Error whose message says why none came
   */
  stamp(url: string, request: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
}

/** Who stamps the checkpoints of a log. */
export interface LogTimestamps {
  readonly urls: readonly string[];
  readonly trusted: readonly Certificate[];
  readonly client: TimestampClient;
  readonly crypto: StampCrypto;
  /** The least time between two questions. */
  readonly every: Millis;
}

/** What an authority serves, in the reports of processes on what they ask. */
export const SERVES_TIMESTAMPS = 'timestamps';

/** The name of an authority in signature lines: its host. */
export function authorityName(url: string): string {
  return new URL(url).host;
}
