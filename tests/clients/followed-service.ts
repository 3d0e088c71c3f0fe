import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FollowedService {
  readonly url: string;
  /** Checks of states, by record. */
  readonly checks: ReadonlyMap<string, number>;
  /** Requests of the feed of events. */
  readonly readings: () => number;
  close(): Promise<void>;
}

/**
 * A service on loopback that grades its decisions before a reading of the feed: states are open before it and closed from
 * it on, and it returns the events of all decisions.
 * @param gradedAt which reading, from 1
 * @param hold what each reply of the feed waits for
 */
export async function startFollowedService(
  records: readonly string[],
  gradedAt: number,
  hold: () => Promise<unknown> = async () => undefined,
): Promise<FollowedService> {
  const checks = new Map<string, number>();
  let readings = 0;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    if (pathname === '/api/v1/agent/events') {
      readings += 1;
      const isNew = readings >= gradedAt && searchParams.get('after') !== 'graded';
      await hold();
      const next_cursor = readings >= gradedAt ? 'graded' : 'begun';
      return reply(response, { items: isNew ? records.map(evaluated) : [], next_cursor });
    }
    const record_id = /^\/api\/v1\/agent\/decisions\/(\w+)\/state$/.exec(pathname)?.[1] ?? '';
    checks.set(record_id, (checks.get(record_id) ?? 0) + 1);
    const open = { lifecycle_state: 'verified', state: 'awaiting_evaluation', poll_after_seconds: 2 };
    const closed = { lifecycle_state: 'evaluated', state: 'closed', poll_after_seconds: null };
    return reply(response, { record_id, next_check_at: null, ...(readings >= gradedAt ? closed : open) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    checks,
    readings: () => readings,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function evaluated(record_id: string) {
  return {
    id: `event-of-${record_id}`,
    type: 'decision.evaluated',
    timestamp: '2026-11-23T12:00:00.000Z',
    data: { record_id, lifecycle_state: 'evaluated', result_bucket: 'weak_correct' },
  };
}

function reply(response: ServerResponse, body: object): void {
  response.sendDate = false;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
