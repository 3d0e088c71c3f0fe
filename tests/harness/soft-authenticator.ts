import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a test makes an authenticator do wrong, or as another browser would. */
export interface Ceremony {
  readonly origin: string;
  readonly rpId: string;
  /** Default: it verifies its user. */
  readonly verifiesUser?: boolean;
  readonly crossOrigin?: boolean;
  /** Of the next answer; default: one more than that of the last one. */
  readonly counter?: number;
  /** Default: the kind of the answer. */
  readonly type?: string;
  readonly userHandle?: string;
}

interface CreationOptions {
  readonly challenge: string;
  readonly user: { readonly id: string };
}

/**
 * An authenticator of passkeys in the memory of a test (WebAuthn level 3, section 6): one credential of ES256, written after
 * the specification by node:crypto and a CBOR encoder of its own.
 */
export class SoftAuthenticator {
  readonly id = randomBytes(32);
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private user = '';
  private counter = 0;

  /** What `navigator.credentials.create` returns: attestation `none` (6.5.4). */
  create({ challenge, user }: CreationOptions, ceremony: Ceremony) {
    this.user = user.id;
    const clientDataJSON = clientData('webauthn.create', challenge, ceremony);
    const attested = Buffer.concat([Buffer.alloc(16), uint16(this.id.length), this.id, coseKey(this.keys.publicKey)]);
    const authData = this.authenticatorData(ceremony, attested);
    const attestationObject = map([
      [text('fmt'), text('none')],
      [text('attStmt'), map([])],
      [text('authData'), bytes(authData)],
    ]);
    const response = {
      clientDataJSON,
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    };
    return this.answer(response);
  }

  /** What `navigator.credentials.get` returns. */
  get({ challenge }: { readonly challenge: string }, ceremony: Ceremony) {
    const clientDataJSON = clientData('webauthn.get', challenge, ceremony);
    const authData = this.authenticatorData(ceremony);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const signature = sign('sha256', signed, this.keys.privateKey);
    return this.answer({
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: ceremony.userHandle ?? this.user,
    });
  }

  private answer<R>(response: R) {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  /** Section 6.1: the hash of the RP ID, the flags UP, UV and AT, the counter. */
  private authenticatorData({ rpId, verifiesUser = true, counter }: Ceremony, attested?: Buffer): Buffer {
    this.counter = counter ?? this.counter + 1;
    const flags = 0x01 | (verifiesUser ? 0x04 : 0) | (attested ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)]);
  }
}

function clientData(type: string, challenge: string, { origin, crossOrigin = false, ...ceremony }: Ceremony): string {
  const data = { type: ceremony.type ?? type, challenge, origin, crossOrigin };
  return Buffer.from(JSON.stringify(data)).toString('base64url');
}

/** RFC 9052, section 7, and RFC 9053, section 7.1.1: an EC2 key of P-256 for ES256. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return map([
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, 'base64url'))],
    [integer(-3), bytes(Buffer.from(y, 'base64url'))],
  ]);
}

/** RFC 8949, section 3: the head of an item. */
function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  if (count < 256) return Buffer.from([(major << 5) | 24, count]);
  return Buffer.concat([Buffer.from([(major << 5) | 25]), uint16(count)]);
}

function integer(value: number): Buffer {
  return value < 0 ? head(1, -1 - value) : head(0, value);
}

function bytes(value: Uint8Array): Buffer {
  return Buffer.concat([head(2, value.length), value]);
}

function text(value: string): Buffer {
  return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
}

function map(pairs: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([head(5, pairs.length), ...pairs.flat()]);
}

function uint16(value: number): Buffer {
  const written = Buffer.alloc(2);
  written.writeUInt16BE(value);
  return written;
}

function sha256(value: Uint8Array): Buffer {
  return createHash('sha256').update(value).digest();
}
