import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { quarantineDecision } from '../../../application/decisions/moderate-decision.ts';
import type { DecisionOpening, OutcomeOpening } from '../../../domain/log/leaves/opening.ts';
import { MOST_TILE_WIDTH, openingsPath, tilePath, tilesOf } from '../../../domain/log/tree/tile.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls } from '../../harness/cohorts.ts';
import { aDesigner, type TestDesigner } from '../../harness/designers.ts';
import { keptLog, sequence } from '../../harness/kept-logs.ts';
import { logAll, opened } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const ENV = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000' };
const PRIVATE = {
  summary: 'canary-summary',
  tags: ['canary-tag'],
  inputs: [{ kind: 'tool', name: 'canary-input', sha256: 'ca'.repeat(32) }],
  confidence: 0.123456789,
  price_targets: { targets: [{ price: 98_765.4321 }] },
  execution_info: { executed: true, note: 'canary-execution' },
  key_factors: [{ factor: 'seen', source: { name: 'canary-source' } }],
} as const;
/** Which of these short words the text has outside its digests, whose digits are random. */
const wordsOfRecord = (text: string) => {
  const rest = text.replaceAll(/"[0-9a-f]{64}"/g, '');
  return ['dec_', 'BTC', '2017', 'bull'].filter((word) => rest.includes(word));
};

/** All openings that the log serves, line by line. */
async function openings(service: TestService): Promise<readonly string[]> {
  const { size } = await keptLog(service.ports);
  const bundles = Array.from({ length: Math.ceil(size / MOST_TILE_WIDTH) }, (_, bundle) => openingsPath(bundle));
  const texts = await Promise.all(
    bundles.map(async (path) => {
      const { status, text, body } = await strangerAt(service).get(`/log/1/${path}`).buffer(true);
      expect([path, status]).toEqual([path, 200]);
      return text ?? Buffer.from(body).toString();
    }),
  );
  return texts.join('').trim().split('\n');
}

describe.each(STORAGES)('what the log shows of owners, on %s', (storage) => {
  let service: TestService;
  let owner: TestDesigner;
  let other: TestAgent;
  /** Evaluated and in the log: two of one agent, and one of another on the same bars. */
  let ids: readonly string[];
  let hidden: { readonly id: string; readonly hash: string };
  let open: string;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: ENV });
    [owner, other] = [await aDesigner(service), await anAgentAt(service)];
    await sequence(service.ports);
    hidden = await owner.published({ visibility: 'private', name: 'canary-workflow' });
    const { record_id: target } = (await owner.agent.submit(aPastCall(30, { horizon_value: 60 }))).body;
    const told = {
      ...PRIVATE,
      workflow_ref: `wf:${hidden.hash}`,
      related_records: [{ record_id: target, relation: 'refines' as const }],
    };
    open = target;
    const own = await gradedCalls(service, [owner.agent], [aPastCall(9, told), aPastCall(8, PRIVATE)]);
    ids = [...own, ...(await gradedCalls(service, [other], [aPastCall(9)]))];
    await logAll(service);
  });
  afterAll(() => service.close());

  const get = (path: string) => strangerAt(service).get(path);
  const proofs = (): Promise<string[]> =>
    Promise.all(
      ids.flatMap((id) =>
        ['decision', 'outcome'].map(async (leaf) => {
          const { status, text } = await get(`/api/v1/public/decisions/${id}/proof?leaf=${leaf}&evidence=true`);
          expect([id, leaf, status]).toEqual([id, leaf, 200]);
          return text;
        }),
      ),
    );
  const secretsOf = async () => {
    const details = await Promise.all(ids.slice(0, 2).map(async (id) => (await owner.agent.read(id)).body));
    const salts = details.map(({ commitment_opening }) => commitment_opening.salt);
    const { owner_id, agent_id, email, key_prefix } = owner.agent;
    return [
      ...[owner_id, agent_id, email, key_prefix, other.owner_id, other.agent_id, hidden.hash, hidden.id, open],
      ...[...salts, 'canary', '0.123456789', '98765.4321', 'statement":"', 'refines'],
    ];
  };
  const filesOfLog = async (): Promise<readonly string[]> => {
    const { size } = await keptLog(service.ports);
    const tiles = tilesOf(size).flatMap((tile) => [tile, ...(tile.level === 0 ? [{ ...tile, level: 'entries' }] : [])]);
    const paths = [
      'checkpoint',
      'openings/000',
      ...tiles.map((tile) => tilePath(tile as Parameters<typeof tilePath>[0])),
    ];
    return Promise.all(
      paths.map(async (path) => {
        const { status, body, text = '', headers } = await get(`/log/1/${path}`).buffer(true);
        expect([path, status]).toEqual([path, 200]);
        return text + (Buffer.isBuffer(body) ? body.toString('latin1') : '') + JSON.stringify(headers);
      }),
    );
  };

  test('no file of the log, proof or opening has the text of an owner, agent or owner-only field', async () => {
    const shown = await proofs();
    const all = [...shown, ...shown.map(opened), ...(await filesOfLog()), ...(await openings(service))].join('\n');
    expect(all).toContain('"factor":"seen"');
    expect(all).toContain('"t":"decision"');
    for (const secret of await secretsOf()) expect([secret, all.includes(secret)]).toEqual([secret, false]);
    for (const salt of (await secretsOf()).filter((each) => /^[0-9a-f]{64}$/.test(each)))
      expect(all).not.toContain(Buffer.from(salt, 'hex').toString('latin1'));
  });

  test('a leaf has nothing of the record: no id, instrument, time, commitment, or part of another leaf', async () => {
    const { leaves, bytes } = await keptLog(service.ports);
    const text = bytes.map((each) => Buffer.from(each).toString()).join('\n');
    const { commitment } = (await owner.agent.read(ids[0] ?? '')).body;
    expect(text).not.toContain(commitment);
    expect(wordsOfRecord(text)).toEqual([]);
    expect(wordsOfRecord(`${text}\n{"c":"BTC 2017"}`)).toEqual(['BTC', '2017']);
    const digests = leaves.flatMap((leaf) => ('c' in leaf ? [leaf.c] : 'o' in leaf ? [leaf.o] : []));
    expect(new Set(digests).size).toBe(digests.length);
  });

  test('openings of one owner have nothing in common that those of two owners have not', async () => {
    const openings = (await proofs()).map((proof) => JSON.parse(opened(proof)) as DecisionOpening | OutcomeOpening);
    const hashes = openings.map((opening) => new Set(JSON.stringify(opening).match(/[0-9a-f]{64}/g)));
    for (const [i, one] of hashes.entries()) {
      for (const another of hashes.slice(i + 1)) expect([...one].filter((hash) => another.has(hash))).toEqual([]);
    }
  });

  test('the log opens what the proofs open, and no decision that is not public', async () => {
    const lines = (await openings(service)).map((line) => JSON.parse(line));
    const shown = lines.flatMap((line) => ('opening' in line ? [line.opening] : []));
    const proved = (await proofs()).map((proof) => JSON.parse(opened(proof)));
    for (const { evidence: _, ...opening } of proved) expect(shown).toContainEqual(opening);
    expect(shown).toHaveLength(proved.length);
    expect(JSON.stringify(lines)).not.toContain(open);
  });

  test('a workflow that is published later, and a relation that becomes public, change no proof', async () => {
    const [id = ''] = ids;
    const [before, openedBefore] = [await proofs(), await openings(service)];
    await owner.change(hidden.id, { expected_version: 1, visibility: 'public' });
    await owner.publish(hidden.id);
    expect((await strangerAt(service).read(id)).body.workflow_ref).toBe(`wf:${hidden.hash}`);
    expect(await proofs()).toEqual(before);
    expect(await openings(service)).toEqual(openedBefore);
  });
});

describe.each(STORAGES)('a quarantine of 40 decisions of one owner, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: ENV });
  });
  afterAll(() => service.close());

  test('does not group their leaves: they are spread over a day, among those of others', async () => {
    const agents = [await anAgentAt(service), await anAgentAt(service)];
    const ids: string[] = [];
    for (let i = 0; i < 40; i += 1) {
      for (const agent of agents)
        ids.push((await agent.submit(aPastCall(1 + i, { horizon_value: 60 }))).body.record_id);
    }
    await logAll(service);
    const own = ids.filter((_, i) => i % 2 === 0);
    for (const id of own) await quarantineDecision(service.ports, id, 'a stolen key', 'test');
    const batches: number[] = [];
    let { size } = await keptLog(service.ports);
    for (let hour = 0; hour <= DAY / HOUR; hour += 1) {
      await service.arrange.advance(HOUR);
      await sequence(service.ports);
      const { leaves } = await keptLog(service.ports);
      batches.push(leaves.slice(size).filter(({ t }) => t === 'closed').length);
      size = leaves.length;
    }
    expect(batches.reduce((sum, closed) => sum + closed, 0)).toBe(40);
    // Of 40 random times in a day, 13 in one hour have a chance below one in ten million.
    expect(Math.max(...batches)).toBeLessThan(13);
    const { leaves } = await keptLog(service.ports);
    const indexes = await Promise.all(own.map(async (id) => (await service.ports.log.leavesOf(1, id))?.index));
    const closed = leaves.flatMap((leaf) => (leaf.t === 'closed' ? [leaf.of] : []));
    expect(new Set(closed)).toEqual(new Set(indexes));
  });
});

describe.each(STORAGES)('copies of all that is public, on %s', (storage) => {
  let service: TestService;
  /** Of two owners in turn, all graded and logged. */
  let ids: readonly string[];
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: ENV });
    const agents = [await anAgentAt(service), await anAgentAt(service)];
    const calls = Array.from({ length: 20 }, (_, i) => aPastCall(10 + i));
    const each = [];
    for (const call of calls) each.push(...(await gradedCalls(service, agents, [call])));
    ids = each;
    await logAll(service);
  });
  afterAll(() => service.close());

  const records = (lines: readonly string[]) => lines.flatMap((line) => line.match(/dec_\d{8}_[0-9a-f]{8}/) ?? []);
  const count = async () => {
    const query = 'market=crypto&symbol=BTC&include_retroactive=true';
    return (await strangerAt(service).get(`/api/v1/public/cohorts?${query}`)).body.overview;
  };

  test('a withheld cohort is counted by everybody, and nobody sees in it how many owners there are', async () => {
    expect((await count()).suppression).toMatchObject({ applied: true, reason: 'too_few_producers' });
    const lines = await openings(service);
    expect(records(lines).toSorted()).toEqual(ids.toSorted());
    const digests = lines
      .filter((line) => line.includes('opening'))
      .map((line) => new Set(line.match(/[0-9a-f]{64}/g)));
    const repeated = digests.flatMap((one, i) =>
      digests.slice(i + 1).flatMap((other) => [...one].filter((hash) => other.has(hash))),
    );
    expect(repeated).toEqual([]);
  });

  test('before and after a quarantine of many at once differ in exactly these, and in nothing else', async () => {
    const before = await openings(service);
    const own = ids.filter((_, i) => i % 2 === 0);
    for (const id of own) await quarantineDecision(service.ports, id, 'a stolen key', 'test');
    const after = await openings(service);
    const gone = records(before).filter((id) => !records(after).includes(id));
    expect(gone.toSorted()).toEqual(own.toSorted());
    const isOpening = (line: string) => line.includes('"opening"');
    const openedAfter = after.filter(isOpening);
    expect(openedAfter).toHaveLength(2 * (ids.length - own.length));
    expect(before.filter((line) => openedAfter.includes(line))).toEqual(openedAfter);
    for (const id of own) {
      for (const path of [
        `decisions/${id}`,
        `decisions/${id}/proof?leaf=decision`,
        `decisions/${id}/proof?leaf=outcome`,
      ])
        expect([path, (await strangerAt(service).get(`/api/v1/public/${path}`)).status]).toEqual([path, 404]);
    }
  });

  test('the leaves that close them change no line of another', async () => {
    const lines = await openings(service);
    await logAll(service);
    const later = await openings(service);
    expect(later.filter((line) => line.includes('"opening"'))).toEqual(
      lines.filter((line) => line.includes('"opening"')),
    );
  });
});
