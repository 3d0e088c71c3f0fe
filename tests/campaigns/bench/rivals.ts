import type { AimName, NoteRatio } from './aims.ts';
import { type Measured, tableOf } from './measured.ts';
import { getRequest, keyLine } from './requests.ts';
import { openDirectus } from './rivals/directus.ts';
import { openParseServer } from './rivals/parse-server.ts';
import { rivalRecords } from './rivals/records.ts';
import type { Rival } from './rivals/rival.ts';
import { type Extent, inRounds } from './rounds.ts';
import { load } from './scenarios.ts';
import type { Stage } from './stage.ts';

/** Compares the service with others that store the same records on the same PostgreSQL; as lines. */
export async function benchRivals(stage: Stage, extent: Extent, note: NoteRatio): Promise<string> {
  const records = await rivalRecords(stage);
  const subjects = [serviceOf(stage), await openParseServer(stage, records), await openDirectus(stage, records)];
  const tables: string[] = [];
  for (const [operation, measure] of Object.entries(OPERATIONS)) {
    const contenders = subjects.map((subject) => ({
      name: subject.name,
      measure: (seconds: number) => measure(stage, subject, seconds),
    }));
    const measured = await inRounds(contenders, extent);
    const rates = [...measured.values()].map(({ perSecond }) => perSecond);
    const [service = Number.NaN, parseServer = Number.NaN] = rates;
    const aim = AIM_OF[operation];
    if (aim) note(aim, service / parseServer);
    tables.push(`${operation}\n${tableOf(measured)}`);
  }
  return tables.join('\n\n');
}

/** The ratios to Parse Server. */
const AIM_OF: Readonly<Record<string, AimName>> = {
  create: 'create / Parse Server',
  'get by id': 'get / Parse Server',
  'list the newest 20 of an agent': 'list of 20 / Parse Server',
};

type Measure = (stage: Stage, subject: Rival, seconds: number) => Promise<Measured>;

const OPERATIONS: Readonly<Record<string, Measure>> = {
  async create(stage, { server, credentials, createPath, created }, seconds) {
    const { calls, population } = stage;
    const at = population.at.toISOString();
    const plan = { kind: 'submit', path: createPath, credentials, keyed: false, at, first: calls.next } as const;
    const result = await load(stage, server, { seconds, expect: created, plan });
    calls.used(result.sent);
    return result;
  },
  'get by id': (stage, { server, gets }, seconds) => anyOf(stage, server, gets, seconds),
  'list the newest 20 of an agent': (stage, { server, lists }, seconds) => anyOf(stage, server, lists, seconds),
};

function anyOf(stage: Stage, server: Rival['server'], requests: readonly string[], seconds: number) {
  return load(stage, server, { seconds, expect: 200, plan: { kind: 'any', requests } });
}

const DECISIONS = '/api/v1/agent/decisions';

function serviceOf({ service, population }: Stage): Rival {
  const lines = new Map(population.agents.map(({ agent_id, key }) => [agent_id, keyLine(key)]));
  return {
    name: 'service',
    server: service,
    credentials: [...lines.values()],
    createPath: DECISIONS,
    created: 201,
    gets: population.records.map(({ record_id, agent_id }) =>
      getRequest(`${DECISIONS}/${record_id}`, lines.get(agent_id) ?? ''),
    ),
    lists: [...lines.values()].map((line) => getRequest(`${DECISIONS}?limit=20`, line)),
  };
}
