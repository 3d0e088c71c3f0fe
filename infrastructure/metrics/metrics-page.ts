import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { DATA_HEADERS } from '../../adapters/http/kit/reply/headers.ts';
import type { ServedPage } from '../../adapters/http/kit/served-page.ts';
import { sha256 } from '../../application/sha256.ts';
import { Problem } from '../../domain/problem.ts';
import type { MetricsText } from './metrics.ts';

/** /metrics for callers on this machine, at a loopback host, and for callers with the token; other callers get 404. */
export function metricsPage(metrics: MetricsText, token: string | null): ServedPage {
  return {
    path: '/metrics',
    async render(request) {
      if (!isLocal(request) && !bears(request, token)) throw new Problem('NOT_FOUND', 'This path is not served.');
      return { status: 200, type: metrics.contentType, body: await metrics.text(), headers: DATA_HEADERS };
    },
  };
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d*)?$/i;

/**
 * Requests through a proxy on this machine also come from loopback, but are not local. So do those of a browser's page
 * whose name was made to lead here; they have the host of that page.
 */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const passedOn = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined);
  return !passedOn && LOOPBACK.test(socket.remoteAddress ?? '') && LOOPBACK_HOST.test(headers.host ?? '');
}

function bears({ headers }: IncomingMessage, token: string | null): boolean {
  const sent = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
  // The digests have one length, which timingSafeEqual requires.
  return token !== null && sent !== undefined && timingSafeEqual(sha256(sent), sha256(token));
}
