import type { Request } from 'express';
import {
  DATASET_TYPES,
  listDatasets,
  readDataset,
  readDatasetFile,
} from '../../../application/datasets/about-dataset.ts';
import { StreamedReply } from '../../../application/json-text.ts';
import type { Ports } from '../../../application/ports.ts';
import { DATASET } from '../../../domain/limits.ts';
import { addressWindow } from '../kit/address-window.ts';
import { COMMON_HEADERS, INERT } from '../kit/reply/headers.ts';
import { entityTag, namesTag } from '../kit/reply/static-reply.ts';
import type { PageContent, ServedPage } from '../kit/unmatched.ts';

/**
 * The public snapshots for everybody: the list, each snapshot with its files, and the files, which never change. None of
 * it where the operator makes none.
 */
export function dataPages(ports: Pick<Ports, 'datasets' | 'settings'>): readonly ServedPage[] {
  if (ports.settings.dataSnapshots === null) return [];
  const count = addressWindow(DATASET.perMinute, 'snapshots and their files');
  const page = (path: string, read: (request: Request) => Promise<PageContent>): ServedPage => ({
    path,
    async render(request) {
      count(request.ip ?? '');
      return read(request);
    },
  });
  return [
    page('/data/', async (request) => jsonContent(request, { snapshots: await listDatasets(ports) })),
    page('/data/{month}/', async (request) => jsonContent(request, await readDataset(ports, nameIn(request, 'month')))),
    page('/data/{month}/{file}', (request) => fileContent(ports, request)),
  ];
}

/** The list grows once a month, and a snapshot gets its leaf. */
function jsonContent(request: Request, value: object): PageContent {
  const body = `${JSON.stringify(value)}\n`;
  const etag = entityTag(body);
  const headers = [...SHARED, 'cache-control', 'public, max-age=300', 'etag', etag];
  if (namesTag(request.headers['if-none-match'], etag)) return { status: 304, headers };
  return { status: 200, type: 'application/json; charset=utf-8', body, headers };
}

async function fileContent(ports: Pick<Ports, 'datasets'>, request: Request): Promise<PageContent> {
  const { file, pieces } = await readDatasetFile(ports, nameIn(request, 'month'), nameIn(request, 'file'));
  const etag = `"${file.sha256}"`;
  const headers = [...SHARED, 'cache-control', 'public, max-age=31536000, immutable', 'etag', etag];
  if (namesTag(request.headers['if-none-match'], etag)) return { status: 304, headers };
  return {
    status: 200,
    type: DATASET_TYPES[file.name] ?? 'application/octet-stream',
    stream: new StreamedReply(pieces(), DATASET),
    headers: [...headers, 'content-length', String(file.bytes)],
  };
}

function nameIn(request: Request, parameter: string): string {
  const { [parameter]: text } = request.params;
  return typeof text === 'string' ? text : '';
}

/** Mirrors, and pages of other origins, may read the files. */
const SHARED = [
  ...COMMON_HEADERS.map((each) => (each === 'same-origin' ? 'cross-origin' : each)),
  ...INERT,
  ...['access-control-allow-origin', '*'],
];
