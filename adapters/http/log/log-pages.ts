import type { Request } from 'express';
import { readCheckpoint, readTile } from '../../../application/log/read-log.ts';
import type { Ports } from '../../../application/ports.ts';
import { COMMON_HEADERS } from '../kit/reply/headers.ts';
import type { PageContent, ServedPage } from '../kit/served-page.ts';

/** The files of the evidence log for everybody (tlog-tiles): checkpoint, tiles and entry bundles of each log. */
export function logPages(ports: Pick<Ports, 'log'>): readonly ServedPage[] {
  const tile = async ({ path, params }: Request): Promise<PageContent> => {
    const log = numberOf(params.log);
    const body = await readTile(ports, log, path.slice(`/log/${log}/`.length));
    return { status: 200, type: 'application/octet-stream', body, headers: FOR_EVER };
  };
  return [
    {
      path: '/log/{log}/checkpoint',
      async render({ params }) {
        const body = await readCheckpoint(ports, numberOf(params.log));
        return { status: 200, type: 'text/plain; charset=utf-8', body, headers: FOR_SECONDS };
      },
    },
    ...TILE_PATHS.map((path) => ({ path, render: tile })),
  ];
}

/** Up to 10^12 leaves; a partial tile has one part more than a full one. */
const TILE_PATHS = ['{a}', '{a}/{b}', '{a}/{b}/{c}', '{a}/{b}/{c}/{d}'].map(
  (parts) => `/log/{log}/tile/{level}/${parts}`,
);

/** Mirrors and pages of others may read them. */
const SHARED = [
  ...COMMON_HEADERS.filter((_, i, all) => !['cross-origin-resource-policy'].includes(all[i - (i % 2)] ?? '')),
  ...['access-control-allow-origin', '*'],
];
const FOR_SECONDS = [...SHARED, 'cache-control', 'public, max-age=5'];
const FOR_EVER = [...SHARED, 'cache-control', 'public, max-age=31536000, immutable'];

/** NaN for anything but digits without a leading zero: no log has that number. */
function numberOf(text: unknown): number {
  return typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Number.NaN;
}
