import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { derBytes, TAG } from '../../domain/log/timestamps/der.ts';
import { tokenOf, tokenOfResponse } from '../../domain/log/timestamps/timestamp.ts';

/** Runs Debian's openssl in a folder. */
function openssl(folder: string, ...args: readonly string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** How the certificate of an authority is made. */
export interface AuthorityCertificate {
  readonly key?: 'rsa' | 'rsa-pss' | 'ec' | 'rsa-1024';
  /** Lines of its extensions. */
  readonly extensions?: readonly string[];
  /** From now on; 0 is over in a second. */
  readonly days?: number;
  /** The digest that the issuer signs it with. */
  readonly digest?: string;
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  rsa: ['-newkey', 'rsa:2048'],
  'rsa-1024': ['-newkey', 'rsa:1024'],
  'rsa-pss': ['-newkey', 'rsa-pss', '-pkeyopt', 'rsa_keygen_bits:2048'],
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
};

const STAMPING = ['extendedKeyUsage=critical,timeStamping', 'keyUsage=critical,digitalSignature'];

/** Makes `NAME.pem` and `NAME.key` of a root in a folder. */
export function makeRoot(folder: string, name: string): void {
  openssl(
    folder,
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.pem`],
    ...['-days', '3650', '-subj', `/CN=${name}`, '-addext', 'keyUsage=critical,keyCertSign'],
  );
}

/** Makes `NAME.pem` and `NAME.key` of an authority, issued by a root in the folder. */
export function makeAuthority(
  folder: string,
  name: string,
  { key = 'rsa', extensions = STAMPING, days = 30, digest = 'sha256' }: AuthorityCertificate = {},
  root = 'root',
): void {
  const request = ['-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`];
  openssl(folder, 'req', '-new', ...(KEYS[key] ?? []), ...request);
  writeFileSync(join(folder, `${name}.ext`), `${[...extensions, 'subjectKeyIdentifier=hash'].join('\n')}\n`);
  openssl(
    folder,
    ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${root}.pem`, '-CAkey', `${root}.key`, '-CAcreateserial'],
    ...['-days', String(days), `-${digest}`, '-extfile', `${name}.ext`, '-out', `${name}.pem`],
  );
}

/** The reply of `openssl ts` to a request. @param essHash of the certificate that the token names */
export function replyOf(folder: string, name: string, request: Uint8Array, essHash = 'sha256'): Buffer {
  const id = randomUUID();
  writeFileSync(join(folder, `${id}.tsq`), request);
  const config = [
    ...['[tsa]', 'default_tsa = own', '[own]', `serial = ${id}.serial`, `signer_cert = ${name}.pem`],
    ...[`signer_key = ${name}.key`, 'certs = root.pem', 'signer_digest = sha256', 'default_policy = 1.2.3.4.1'],
    ...['digests = sha1, sha256, sha384, sha512', 'accuracy = secs:1, millisecs:500, microsecs:100', 'ordering = yes'],
    ...['tsa_name = yes', `ess_cert_id_alg = ${essHash}`],
  ];
  writeFileSync(join(folder, `${id}.cnf`), `${config.join('\n')}\n`);
  openssl(folder, 'ts', '-reply', '-config', `${id}.cnf`, '-queryfile', `${id}.tsq`, '-out', `${id}.tsr`);
  return readFileSync(join(folder, `${id}.tsr`));
}

/** A token with this content that another certificate signed, as `openssl ts` would refuse to. */
export function signedAgain(folder: string, name: string, content: Uint8Array, args: readonly string[] = []): Buffer {
  const id = randomUUID();
  writeFileSync(join(folder, `${id}.info`), content);
  openssl(
    folder,
    ...['cms', '-sign', '-binary', '-nodetach', '-cades', '-md', 'sha256', '-in', `${id}.info`],
    ...['-econtent_type', '1.2.840.113549.1.9.16.1.4', '-signer', `${name}.pem`, '-inkey', `${name}.key`],
    ...['-outform', 'DER', '-out', `${id}.tst`, ...args],
  );
  return readFileSync(join(folder, `${id}.tst`));
}

/** Whether `openssl ts` accepts a token of a text, and what it says. @param time POSIX seconds */
export function verifiedByOpenssl(folder: string, text: Uint8Array, token: Uint8Array, time: number): boolean {
  const id = randomUUID();
  writeFileSync(join(folder, `${id}.txt`), text);
  writeFileSync(join(folder, `${id}.tst`), token);
  try {
    const files = ['-data', `${id}.txt`, '-in', `${id}.tst`, '-token_in', '-CAfile', 'root.pem'];
    openssl(folder, 'ts', '-verify', ...files, '-attime', String(time));
    return true;
  } catch {
    return false;
  }
}

export type Answer = (request: Buffer, reply: ServerResponse) => void;

/** An authority that listens. */
export interface RunningAuthority {
  readonly url: string;
  /** How often it was asked. */
  asked(): number;
  answer(next: Answer): void;
  close(): Promise<void>;
}

/** Answers as `openssl ts` does. */
export function asAuthority(folder: string, name: string): Answer {
  return (request, reply) => {
    reply.setHeader('content-type', 'application/timestamp-reply');
    reply.end(replyOf(folder, name, request));
  };
}

/** The same by another clock than that of this machine, which must be within the time of its certificate. */
export function asAuthorityAt(folder: string, name: string, now: () => Promise<Date>): Answer {
  return async (request, reply) => {
    const { content } = tokenOf(tokenOfResponse(replyOf(folder, name, request)));
    const time = `${(await now()).toISOString().slice(0, 19).replace(/\D/g, '')}Z`;
    const said = Buffer.from(
      Buffer.from(content)
        .toString('latin1')
        .replace(/\d{14}Z/, time),
      'latin1',
    );
    const granted = derBytes(TAG.sequence, derBytes(TAG.integer, Uint8Array.of(0)));
    reply.setHeader('content-type', 'application/timestamp-reply');
    reply.end(derBytes(TAG.sequence, granted, signedAgain(folder, name, said)));
  };
}

export async function startAuthority(first: Answer): Promise<RunningAuthority> {
  let answer = first;
  let asked = 0;
  const server = createServer(async (request: IncomingMessage, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    asked += 1;
    answer(Buffer.concat(chunks), reply);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked: () => asked,
    answer: (next) => {
      answer = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
