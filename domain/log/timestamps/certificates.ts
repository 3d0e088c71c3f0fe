import { base64Of, bytesOfBase64, equalBytes, Malformed } from '../encoding.ts';
import {
  bitsOf,
  type Der,
  type DerReader,
  derOf,
  explicitTag,
  membersOf,
  oidOf,
  readerOf,
  smallNumber,
  TAG,
  timeOf,
} from './der.ts';

/** The hash functions that signatures and imprints may have; `sha1` names a certificate only (RFC 2634, ESSCertID). */
export type StrongHash = 'sha256' | 'sha384' | 'sha512';

export interface SignatureAlgorithm {
  readonly scheme: 'rsa' | 'rsa-pss' | 'ecdsa';
  readonly hash: StrongHash;
  /** Bytes; of RSA-PSS alone. */
  readonly saltLength: number;
}

/** Computed elsewhere: domain code has no cryptography of its own. */
export interface StampCrypto {
  digest(hash: StrongHash | 'sha1', bytes: Uint8Array): Uint8Array;
  /** @param publicKey a SubjectPublicKeyInfo; false also for a key of another type, and an RSA key below 2,048 bits */
  verify(publicKey: Uint8Array, algorithm: SignatureAlgorithm, bytes: Uint8Array, signature: Uint8Array): boolean;
}

/** What counts of a certificate (RFC 5280). */
export interface Certificate {
  readonly whole: Uint8Array;
  /** What its issuer signed. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
  /** An AlgorithmIdentifier. */
  readonly algorithm: Der;
  readonly serial: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  /** POSIX milliseconds. */
  readonly from: number;
  readonly until: number;
  readonly extensions: ReadonlyMap<string, Extension>;
}

interface Extension {
  readonly critical: boolean;
  readonly value: Uint8Array;
}

const OID = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  constraints: '2.5.29.19',
  policies: '2.5.29.32',
  extendedUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  anyUsage: '2.5.29.37.0',
} as const;

const HASHES: Readonly<Record<string, StrongHash>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

const SIGNATURES: Readonly<Record<string, Omit<SignatureAlgorithm, 'saltLength'>>> = {
  '1.2.840.113549.1.1.11': { scheme: 'rsa', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { scheme: 'rsa', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { scheme: 'rsa', hash: 'sha512' },
  '1.2.840.10045.4.3.2': { scheme: 'ecdsa', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { scheme: 'ecdsa', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { scheme: 'ecdsa', hash: 'sha512' },
};

/** The hash of an AlgorithmIdentifier. @throws Malformed for a weaker one */
export function hashOf(algorithm: Der): StrongHash {
  const oid = oidIn(algorithm);
  const hash = HASHES[oid];
  if (!hash) throw new Malformed(`the hash ${oid} is none of SHA-256, SHA-384 and SHA-512`);
  return hash;
}

/** @param digest the hash of the signer, where the identifier names none @throws Malformed for what cannot be verified */
export function signatureAlgorithm(algorithm: Der, digest?: StrongHash): SignatureAlgorithm {
  const oid = oidIn(algorithm);
  if (oid === '1.2.840.113549.1.1.10') return pssOf(algorithm);
  const known = digest && KEY_TYPES[oid] ? { scheme: KEY_TYPES[oid], hash: digest } : SIGNATURES[oid];
  if (!known)
    throw new Malformed(`the signature algorithm ${oid} is none of RSA, RSA-PSS and ECDSA with SHA-256 or better`);
  return { ...known, saltLength: 0 };
}

/** In a CMS signature the identifier can be that of the key, next to that of the digest. */
const KEY_TYPES: Readonly<Record<string, 'rsa' | 'ecdsa'>> = {
  '1.2.840.113549.1.1.1': 'rsa',
  '1.2.840.10045.2.1': 'ecdsa',
};

/** The parameters of RSA-PSS (RFC 4055): without a hash they mean SHA-1. */
function pssOf(algorithm: Der): SignatureAlgorithm {
  const reader = readerOf(algorithm, TAG.sequence, 'an algorithm');
  reader.next(TAG.oid, 'identifier');
  const parameters = readerOf(reader.next(TAG.sequence, 'parameters'), TAG.sequence, 'the parameters of RSA-PSS');
  const [hash, mask, salt] = [0, 1, 2].map((number) => parameters.optional(explicitTag(number)));
  if (!hash || !mask) throw new Malformed('the hash of RSA-PSS is none of SHA-256, SHA-384 and SHA-512');
  const named = hashOf(onlyMember(hash));
  const generator = readerOf(onlyMember(mask), TAG.sequence, 'a mask generator');
  const generates = oidOf(generator.next(TAG.oid, 'identifier')) === '1.2.840.113549.1.1.8';
  if (!generates || hashOf(generator.next(TAG.sequence, 'hash')) !== named)
    throw new Malformed('the mask of RSA-PSS has another hash than the signature');
  return { scheme: 'rsa-pss', hash: named, saltLength: salt ? smallNumber(onlyMember(salt)) : 20 };
}

function oidIn(algorithm: Der): string {
  return oidOf(readerOf(algorithm, TAG.sequence, 'an algorithm').next(TAG.oid, 'identifier'));
}

export function onlyMember(element: Der): Der {
  const [first, ...others] = membersOf(element);
  if (!first || others.length > 0) throw new Malformed('Exactly one member is expected.');
  return first;
}

/** The certificates of a PEM text. @throws Malformed for a text without any */
export function certificatesOfPem(text: string): readonly Certificate[] {
  const blocks = text.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g);
  const found = [...blocks].map(([, base64 = '']) => certificateOf(bytesOfBase64(base64.replace(/\s/g, ''))));
  if (found.length === 0) throw new Malformed('The file has no certificate in PEM.');
  return found;
}

/** @throws Malformed */
export function certificateOf(bytes: Uint8Array): Certificate {
  const outer = readerOf(derOf(bytes), TAG.sequence, 'a certificate');
  const signed = outer.next(TAG.sequence, 'content');
  const algorithm = outer.next(TAG.sequence, 'algorithm');
  const signature = bitsOf(outer.next(TAG.bits, 'signature'));
  outer.end('A certificate');
  const reader = readerOf(signed, TAG.sequence, 'a certificate');
  reader.optional(explicitTag(0));
  const serial = reader.next(TAG.integer, 'serial number').content;
  if (!equalBytes(reader.next(TAG.sequence, 'algorithm').whole, algorithm.whole))
    throw new Malformed('A certificate names two algorithms.');
  const issuer = reader.next(TAG.sequence, 'issuer').whole;
  const [from, until] = membersOf(reader.next(TAG.sequence, 'validity')).map(timeOf);
  const subject = reader.next(TAG.sequence, 'subject').whole;
  const publicKey = reader.next(TAG.sequence, 'public key').whole;
  if (from === undefined || until === undefined) throw new Malformed('A certificate has no validity.');
  const names = { serial, issuer, subject, publicKey };
  return {
    whole: bytes,
    signed: signed.whole,
    signature,
    algorithm,
    ...names,
    from,
    until,
    extensions: extensionsIn(reader),
  };
}

function extensionsIn(reader: DerReader): ReadonlyMap<string, Extension> {
  reader.optional(0x81);
  reader.optional(0x82);
  const extensions = new Map<string, Extension>();
  const listed = reader.optional(explicitTag(3));
  for (const each of listed ? membersOf(onlyMember(listed)) : []) {
    const extension = readerOf(each, TAG.sequence, 'an extension');
    const oid = oidOf(extension.next(TAG.oid, 'identifier'));
    const critical = extension.optional(TAG.boolean)?.content[0] === 0xff;
    if (extensions.has(oid)) throw new Malformed(`A certificate has the extension ${oid} twice.`);
    extensions.set(oid, { critical, value: extension.next(TAG.octets, 'value').content });
  }
  return extensions;
}

export function subjectKeyId({ extensions }: Certificate): Uint8Array | null {
  const extension = extensions.get(OID.subjectKeyId);
  return extension ? derOf(extension.value).content : null;
}

/** Why a certificate may not sign timestamps: its extended usage must be that alone, and critical (RFC 3161, 2.3); null for nothing. */
export function stampUsageFault(certificate: Certificate): string | null {
  const extended = certificate.extensions.get(OID.extendedUsage);
  if (!extended?.critical) return 'its certificate has no critical extended key usage';
  const usages = membersOf(derOf(extended.value)).map(oidOf);
  if (usages.length !== 1 || usages[0] !== OID.timeStamping)
    return 'the extended key usage of its certificate is not that of timestamps alone';
  const usage = keyUsage(certificate);
  return usage === null || (usage & 0xc0) !== 0 ? null : 'its certificate may not sign';
}

/** The first byte of the key usage; null where every use is allowed. */
function keyUsage({ extensions }: Certificate): number | null {
  const usage = extensions.get(OID.keyUsage);
  return usage ? (bitsOf(derOf(usage.value))[0] ?? 0) : null;
}

const MOST_ISSUERS = 10;

/**
 * Whether certificates lead from one to a trusted one, all of them valid at a time (RFC 5280, section 6). Extensions that are
 * critical and not known here end a way. Revocation is not asked.
 * @param others that may be on the way; nothing about them is trusted
 */
export function isTrusted(
  certificate: Certificate,
  others: readonly Certificate[],
  trusted: readonly Certificate[],
  at: number,
  crypto: StampCrypto,
): boolean {
  // Certificates that issue each other must not make the way endless.
  const visited = new Set<Certificate>();
  return leads(certificate, 0);

  function leads(from: Certificate, depth: number): boolean {
    if (visited.has(from) || visited.size > MOST_ISSUERS || !isValidAt(from, at) || hasUnknown(from)) return false;
    visited.add(from);
    if (trusted.some((each) => equalBytes(each.whole, from.whole))) return true;
    const issued = (issuer: Certificate) =>
      equalBytes(issuer.subject, from.issuer) && mayIssue(issuer, depth) && isSignedBy(from, issuer, crypto);
    if (trusted.some((issuer) => isValidAt(issuer, at) && !hasUnknown(issuer) && issued(issuer))) return true;
    return others.some((issuer) => issuer !== from && issued(issuer) && leads(issuer, depth + 1));
  }
}

function isValidAt({ from, until }: Certificate, at: number): boolean {
  return from <= at && at <= until;
}

const KNOWN: readonly string[] = [OID.keyUsage, OID.constraints, OID.policies, OID.extendedUsage];

function hasUnknown({ extensions }: Certificate): boolean {
  return [...extensions].some(([oid, { critical }]) => critical && !KNOWN.includes(oid));
}

/** @param below authorities between it and the end of the way */
function mayIssue(issuer: Certificate, below: number): boolean {
  const constraints = issuer.extensions.get(OID.constraints);
  if (!constraints) return false;
  const reader = readerOf(derOf(constraints.value), TAG.sequence, 'basic constraints');
  const isAuthority = reader.optional(TAG.boolean)?.content[0] === 0xff;
  const most = reader.optional(TAG.integer);
  const usage = keyUsage(issuer);
  const extended = issuer.extensions.get(OID.extendedUsage);
  const usages = extended ? membersOf(derOf(extended.value)).map(oidOf) : [OID.anyUsage];
  return (
    isAuthority &&
    (most === null || smallNumber(most) >= below) &&
    (usage === null || (usage & 0x04) !== 0) &&
    usages.some((each) => each === OID.timeStamping || each === OID.anyUsage)
  );
}

function isSignedBy({ algorithm, signed, signature }: Certificate, { publicKey }: Certificate, crypto: StampCrypto) {
  try {
    return crypto.verify(publicKey, signatureAlgorithm(algorithm), signed, signature);
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/** What is used of the module `node:crypto`, which domain code does not import. */
export interface NodeCrypto<Key extends PublicKey> {
  createHash(name: string): { update(bytes: Uint8Array): { digest(): Uint8Array } };
  createPublicKey(pem: string): Key;
  verify(hash: string, bytes: Uint8Array, key: VerifyingKey<Key>, signature: Uint8Array): boolean;
  readonly constants: { readonly RSA_PKCS1_PADDING: number; readonly RSA_PKCS1_PSS_PADDING: number };
}

interface PublicKey {
  readonly asymmetricKeyType?: string | undefined;
  readonly asymmetricKeyDetails?: { readonly modulusLength?: number | undefined } | undefined;
}

interface VerifyingKey<Key> {
  key: Key;
  padding?: number;
  saltLength?: number;
  dsaEncoding?: 'der';
}

const LEAST_RSA_BITS = 2_048;

export function nodeStampCrypto<Key extends PublicKey>(crypto: NodeCrypto<Key>): StampCrypto {
  const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING } = crypto.constants;
  const isRsa = ({ asymmetricKeyType, asymmetricKeyDetails }: PublicKey, isPss: boolean) =>
    (asymmetricKeyType === 'rsa' || (isPss && asymmetricKeyType === 'rsa-pss')) &&
    (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_RSA_BITS;
  return {
    digest: (hash, bytes) => crypto.createHash(hash).update(bytes).digest(),
    verify(publicKey, { scheme, hash, saltLength }, bytes, signature) {
      try {
        const key = crypto.createPublicKey(pemOf(publicKey));
        if (scheme === 'ecdsa')
          return key.asymmetricKeyType === 'ec' && crypto.verify(hash, bytes, { key, dsaEncoding: 'der' }, signature);
        if (!isRsa(key, scheme === 'rsa-pss')) return false;
        const padded =
          scheme === 'rsa' ? { padding: RSA_PKCS1_PADDING } : { padding: RSA_PKCS1_PSS_PADDING, saltLength };
        return crypto.verify(hash, bytes, { key, ...padded }, signature);
      } catch {
        // A key or a signature of a form that cannot be read.
        return false;
      }
    },
  };
}

function pemOf(publicKey: Uint8Array): string {
  const lines = base64Of(publicKey).match(/.{1,64}/g) ?? [];
  return `-----BEGIN PUBLIC KEY-----\n${lines.join('\n')}\n-----END PUBLIC KEY-----\n`;
}
