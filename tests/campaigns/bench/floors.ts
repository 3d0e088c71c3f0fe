import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LISTENING, type ServerProcess, startServer } from '../stage/server-process.ts';
import type { NoteRatio } from './aims.ts';
import { getRequest } from './requests.ts';
import { contendersOf, load } from './scenarios.ts';
import { inSlices, type Slices } from './slices.ts';
import type { Stage } from './stage.ts';

/**
 * The CPU of a read against that of a server that only sends the same bytes: Node's http module, and Express; as lines.
 */
export async function benchFloors(stage: Stage, slices: Slices, note: NoteRatio): Promise<string> {
  const [service] = contendersOf('read', stage, null);
  if (!service) throw new Error('The contenders do not include the service.');
  const file = join(stage.folder, 'reply.json');
  writeFileSync(file, await aReply(stage));
  const floors = {
    'bare Express, same bytes': await bareServer(stage, 'express', file),
    'bare node:http, same bytes': await bareServer(stage, 'http', file),
  };
  const plan = { kind: 'any', requests: [getRequest('/record', '')] } as const;
  const measured = await inSlices(slices, {
    service: service.measure,
    ...Object.fromEntries(
      Object.entries(floors).map(([name, server]) => [
        name,
        (seconds: number) => load(stage, server, { seconds, expect: 200, perSecond: undefined, plan }),
      ]),
    ),
  });
  note('CPU of a read / bare Express with the same bytes', measured.ratioTo('bare Express, same bytes'));
  return measured.lines.join('\n');
}

/** The body of the reply to a read of a record. */
async function aReply({ service, population: { records, agents } }: Stage): Promise<string> {
  const [record] = records;
  const key = agents.find(({ agent_id }) => agent_id === record?.agent_id)?.key ?? '';
  const url = `http://127.0.0.1:${service.port}/api/v1/agent/decisions/${record?.record_id}`;
  return (await fetch(url, { headers: { 'x-api-key': key } })).text();
}

const BARE_SERVER = join(import.meta.dirname, 'bare-server.ts');

function bareServer({ adopt }: Stage, BARE: 'express' | 'http', BODY_FILE: string): Promise<ServerProcess> {
  const environment = { NODE_ENV: 'production', BARE, BODY_FILE };
  return startServer(BARE_SERVER, { environment }, adopt, LISTENING);
}
