import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { quarantineDecision } from '../../../application/decisions/moderate-decision.ts';
import { openingsIn } from '../../../clients/typescript/verify/all-decisions.ts';
import { utf8 } from '../../../domain/log/encoding.ts';
import { openingOf } from '../../../domain/log/leaves/opening.ts';
import { proofOf } from '../../../domain/log/tree/proof.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls } from '../../harness/cohorts.ts';
import { logAll } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

/** The RFC 8785 form of a line, as a proof has it. */
const canonical = (line: string) => canonicalJson(JSON.parse(line));

const NO_WAIT = { LIMIT_COOLDOWN_SECONDS: '0', LOG_OPENINGS_PER_MINUTE: '1000' };

describe.each(STORAGES)('the openings of a log, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  /** Graded and logged. */
  let shown: readonly string[];
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: NO_WAIT });
    agent = await anAgentAt(service);
    const factors = { key_factors: [{ factor: 'seen', source: { name: 'a source' }, weight: 0.5 }, 'short é'] };
    shown = await gradedCalls(service, [agent], [aPastCall(9, factors), aPastCall(8), aPastCall(7)]);
    await logAll(service);
  });
  afterAll(() => service.close());

  const get = (path: string) => strangerAt(service).get(path);
  const openings = async () => (await get('/log/1/openings/000')).text;
  const proofOfLeaf = async (record_id: string, leaf: string) =>
    proofOf((await get(`/api/v1/public/decisions/${record_id}/proof?leaf=${leaf}`)).text);
  /** What the public proofs of records show of their leaves, as lines of openings. */
  const linesOfProofs = async (records: readonly string[]) => {
    const proofs = await Promise.all(
      records.flatMap((id) => ['decision', 'outcome'].map((leaf) => proofOfLeaf(id, leaf))),
    );
    const notes = new Set(proofs.map(({ checkpoint }) => checkpoint));
    const opened = proofs
      .toSorted((a, b) => a.index - b.index)
      .map(({ index, extra }) => ({ index, opening: openingOf(extra ?? Uint8Array.of(), canonicalJson) }));
    return { notes, opened };
  };

  test('are those of the public proofs, each note once, and readers accept them', async () => {
    const text = await openings();
    const { notes, opened } = await linesOfProofs(shown);
    const lines = text.split('\n').slice(0, -1);
    expect(lines.slice(-opened.length).map(canonical)).toEqual(opened.map((each) => canonicalJson(each)));
    const noted = lines.slice(0, -opened.length).map((line) => JSON.parse(line).note as string);
    expect(noted.length).toBe(new Set(noted).size);
    for (const note of noted) expect(notes).toContain(note);
    const decisions = await Promise.all(shown.map((id) => proofOfLeaf(id, 'decision')));
    expect(new Set(noted)).toEqual(new Set(decisions.map(({ checkpoint }) => checkpoint)));
    const read = openingsIn(text, 0);
    expect([read.opened, read.faults.size]).toEqual([opened, 0]);
  });

  test('are JSON lines, compressed where that is accepted, for a minute, and mirrors may read them', async () => {
    const plain = await get('/log/1/openings/000').set('Accept-Encoding', 'identity');
    expect(plain.headers).toMatchObject({
      'content-type': 'application/jsonl; charset=utf-8',
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
      vary: 'accept-encoding, origin',
    });
    const packed = await get('/log/1/openings/000').set('Accept-Encoding', 'gzip');
    expect([packed.headers['content-encoding'], packed.text]).toEqual(['gzip', plain.text]);
    expect((await request(service.app).head('/log/1/openings/000')).status).toBe(200);
    expect((await request(service.app).post('/log/1/openings/000')).status).toBe(405);
  });

  test.each(['000.p/7', '001', '0000', '0', 'x000/000', 'x001/234', 'x999/x999/x999/999', 'entries/000', '000/000'])(
    'of %s are 404',
    async (name) => {
      expect([name, (await get(`/log/1/openings/${name}`)).status]).toEqual([name, 404]);
    },
  );

  test.each(['2', '0', '01', 'x', '999999999'])('of the log %s are 404', async (log) => {
    expect((await get(`/log/${log}/openings/000`)).status).toBe(404);
  });

  test('leave out what is open, quarantined or not logged yet: nothing of it differs from a record that never was', async () => {
    const before = await openings();
    const open = (await agent.submit(aPastCall(0, { horizon_value: 30 }))).body.record_id as string;
    await logAll(service);
    expect(await openings()).toBe(before);
    const [fresh = ''] = await gradedCalls(service, [agent], [aPastCall(6)]);
    expect(await openings()).toBe(before);
    const [gone = '', ...remaining] = shown;
    await quarantineDecision(service.ports, gone, 'a stolen key', 'test');
    const text = await openings();
    expect(
      text
        .split('\n')
        .filter((line) => line.includes('"opening"'))
        .map(canonical),
    ).toEqual((await linesOfProofs(remaining)).opened.map((each) => canonicalJson(each)));
    for (const id of [open, fresh, gone]) expect(text).not.toContain(id);
    await service.ports.transaction(async ({ moderation, audit }) => {
      await moderation.release(gone);
      await audit.append({ actor: 'a test', action: 'release', subject: gone, detail: {} });
    });
    expect(await openings()).toBe(before);
  });

  test('credentials change nothing', async () => {
    expect((await agent.get('/log/1/openings/000')).text).toBe(await openings());
  });

  test('open nothing that the leaf does not commit to: a changed byte of any value is found', async () => {
    const text = await openings();
    const changed = text.replace('"result_bucket":"', '"result_bucket":"not_');
    expect(changed).not.toBe(text);
    expect([...openingsIn(changed, 0).faults.values()]).toEqual(['the opening is not that of the leaf']);
    expect(utf8(text).length).toBeGreaterThan(1_000);
  });
});

describe.each(STORAGES)('the window of openings, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: { LOG_OPENINGS_PER_MINUTE: '2' } });
    await logAll(service);
  });
  afterAll(() => service.close());

  test('is its own: the third request of an address waits, and files of the log are answered', async () => {
    const get = (path: string) => strangerAt(service).get(path);
    const statuses = [];
    // A minute can end between them.
    for (let i = 0; i < 6; i += 1) statuses.push((await get('/log/1/openings/000')).status);
    expect(statuses).toContain(200);
    expect(statuses).toContain(429);
    const refused = await get('/log/1/openings/000');
    if (refused.status === 429) {
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(refused.body.error.message).toBe('More than 2 bundles of openings in a minute.');
    }
    expect((await get('/log/1/checkpoint')).status).toBe(200);
  });
});
