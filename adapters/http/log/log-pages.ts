import { promisify } from 'node:util';
import { gzip, gzipSync, type ZlibOptions } from 'node:zlib';
import type { Request } from 'express';
import { type PolicyPorts, readCheckpoint, readPolicy, readTile } from '../../../application/log/read-log.ts';
import { readOpenings } from '../../../application/log/read-openings.ts';
import type { Ports } from '../../../application/ports.ts';
import { TABLE_TYPES } from '../../../domain/table.ts';
import { addressWindow } from '../kit/address-window.ts';
import { COMMON_HEADERS, INERT } from '../kit/reply/headers.ts';
import { encodingFor, encodingHeaders } from '../kit/reply/static-reply.ts';
import type { PageContent, ServedPage } from '../kit/unmatched.ts';

export interface LogPageSettings {
  /** Requests of an address that a process answers in a minute. */
  readonly perMinute: number;
  /** The same for the openings of entry bundles. */
  readonly openingsPerMinute: number;
  /** The text of the operator's policy; null where none is configured. */
  readonly policy: string | null;
  /** Without it the policy alone is served: receipts are verified by it. */
  readonly publicLog: boolean;
}

/**
 * The files of the evidence log for everybody (tlog-tiles): the policy of the newest log, and checkpoint, tiles and entry
 * bundles of each; in addition, what opens the leaves of public records.
 */
export function logPages(
  ports: PolicyPorts & Pick<Ports, 'logEvidence' | 'noteFault'>,
  { perMinute, openingsPerMinute, policy, publicLog }: LogPageSettings,
): readonly ServedPage[] {
  const count = addressWindow(perMinute, 'files of the log');
  const countOpenings = addressWindow(openingsPerMinute, 'bundles of openings');
  const counted = (path: string, read: ReadFile, countFile = count): ServedPage => ({
    path: `/log/{log}/${path}`,
    async render(request) {
      countFile(request.ip ?? '');
      const name = request.path.slice(`/log/${request.params.log}/`.length);
      return read(request, numberOf(request.params.log), name);
    },
  });
  const policyPage: ServedPage = {
    path: '/log/policy',
    async render(request) {
      count(request.ip ?? '');
      return textContent(await readPolicy(ports, policy));
    },
  };
  if (!publicLog) return [policyPage];
  const readBundle: ReadFile = async (request, log, name) => tileContent(await readTile(ports, log, name), request);
  const open: ReadFile = async (request, log, name) => openingsContent(await readOpenings(ports, log, name), request);
  return [
    policyPage,
    counted('checkpoint', async (_, log) => textContent(await readCheckpoint(ports, log))),
    ...BUNDLE_PATHS.map((path) => counted(`tile/{level}/${path}`, readBundle)),
    ...BUNDLE_PATHS.map((path) => counted(`openings/${path}`, open, countOpenings)),
  ];
}

/** @param name of the file below the prefix of the log */
type ReadFile = (request: Request, log: number, name: string) => Promise<PageContent>;

/** Up to 10^12 leaves; a partial tile has one part more than a full one. */
const BUNDLE_PATHS = ['{a}', '{a}/{b}', '{a}/{b}/{c}', '{a}/{b}/{c}/{d}'];

/** NaN for anything but digits without a leading zero: no log has that number. */
function numberOf(text: unknown): number {
  return typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Number.NaN;
}

function textContent(body: string): PageContent {
  const headers = [...SHARED, 'cache-control', 'public, max-age=5'];
  return { status: 200, type: 'text/plain; charset=utf-8', body, headers };
}

/** Hashes do not get smaller; entries become half. */
function tileContent(bytes: Uint8Array, request: Request): PageContent {
  const encoding = request.params.level === 'entries' ? encodingFor(request) : 'plain';
  const body = encoding === 'gzip' ? gzipSync(bytes) : bytes;
  const headers = [...SHARED, ...encodingHeaders(encoding), 'cache-control', 'public, max-age=31536000, immutable'];
  return { status: 200, type: 'application/octet-stream', body, headers };
}

/** Off the main thread, and at the fastest level: the salts do not get smaller at any, and are half of what is sent. */
async function openingsContent(lines: Uint8Array, request: Request): Promise<PageContent> {
  const encoding = encodingFor(request);
  const body = encoding === 'gzip' ? await gzipped(lines, { level: 1, chunkSize: AT_ONCE }) : lines;
  const headers = [...SHARED, ...encodingHeaders(encoding), 'cache-control', 'public, max-age=60'];
  return { status: 200, type: TABLE_TYPES.jsonl, body, headers };
}

const gzipped = promisify<Uint8Array, ZlibOptions, Buffer>(gzip);

/** Bytes: most bundles of openings fit in, so that the compressing thread is asked once. */
const AT_ONCE = 128 * 1024;

/** Mirrors, and pages of other origins, may read the files. */
const SHARED = [
  ...COMMON_HEADERS.map((each) => (each === 'same-origin' ? 'cross-origin' : each)),
  ...INERT,
  ...['access-control-allow-origin', '*'],
];
