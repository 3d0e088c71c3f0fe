import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WORKFLOW } from '../../../domain/limits.ts';
import { aReadyDraft, node } from '../../builders/workflows.ts';
import { anyDraft, SENDABLE_TEXTS } from '../../builders/yaml-drafts.ts';
import { aDesigner, type TestDesigner } from '../../harness/designers.ts';
import { filesOf } from '../../harness/files.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const HEAD = 'schema_version: v1\nkind: stancebook.workflow\n';
const SMALLEST = `${HEAD}name: Smallest\n`;

describe.each(STORAGES)('workflows as YAML on %s', (storage) => {
  let service: TestService;
  let designer: TestDesigner;
  let files: ReturnType<typeof filesOf>;
  beforeAll(async () => {
    service = await openService(storage, { at: new Date('2026-03-02T12:00:00.000Z') });
    designer = await aDesigner(service);
    files = filesOf(service, designer);
  });
  afterAll(() => service.close());

  /** Removes each workflow after use, because the tier allows few. */
  const contentOf = async (id: string) => {
    const { name, description, tags, visibility, nodes, edges } = (await designer.read(id)).body;
    await designer.remove(id);
    return { name, description, tags, visibility, nodes, edges };
  };

  test('201 with a draft of version 1; missing members have the same defaults as in JSON', async () => {
    const { status, body } = await files.send(SMALLEST);
    expect([status, body]).toMatchObject([
      201,
      { name: 'Smallest', version: 1, visibility: 'private', published_hash: null },
    ]);
    expect(await contentOf(body.id)).toMatchObject({ description: '', tags: [], nodes: [], edges: [] });
  });

  test('an export is imported as an equal draft, which is exported as the same bytes', async () => {
    const id = await designer.made();
    const exported = await files.yaml(id);
    expect([exported.status, exported.headers['content-type'], exported.headers['content-disposition']]).toEqual([
      200,
      'application/yaml; charset=utf-8',
      'attachment; filename="trend-with-evidence.yaml"',
    ]);
    const { body } = await files.send(exported.text);
    expect((await files.yaml(body.id)).text).toBe(exported.text);
    expect(await contentOf(body.id)).toEqual(await contentOf(id));
  });

  test('the same holds for any draft', async () => {
    await fc.assert(
      fc.asyncProperty(anyDraft, async (draft) => {
        const created = await designer.create(draft);
        expect([created.status, created.body]).toMatchObject([201, {}]);
        const { text } = await files.yaml(created.body.id);
        const imported = await files.send(text);
        expect([imported.status, imported.body]).toMatchObject([201, {}]);
        expect(await contentOf(imported.body.id)).toEqual(await contentOf(created.body.id));
      }),
      { numRuns: 25 },
    );
  });

  test('the same holds for a draft of hostile texts', async () => {
    for (const half of [0, 1]) {
      const texts = SENDABLE_TEXTS.filter((_, index) => index % 2 === half);
      const configs = texts.map((text, index) => node(`n${index}`, 'data.bars', { [text]: [text] }));
      const draft = aReadyDraft({ nodes: configs, edges: [], tags: texts.slice(0, 10) });
      const created = await designer.create({ ...draft });
      const { body } = await files.send((await files.yaml(created.body.id)).text);
      await designer.remove(created.body.id);
      expect(await contentOf(body.id)).toEqual(draft);
    }
  });

  test('429 for a second import of the owner at the same time, which says when to send it again', async () => {
    const nodes = Array.from({ length: 600 }, (_, index) => `  - { id: n${index}, type: data.bars }\n`);
    let isRead = false;
    const large = files.send(`${SMALLEST}nodes:\n${nodes.join('')}`).then(({ status }) => {
      isRead = true;
      return status;
    });
    let refused = await files.send(SMALLEST);
    for (; refused.status === 201 && !isRead; refused = await files.send(SMALLEST)) {
      await designer.remove(refused.body.id);
    }
    expect([refused.status, refused.body.error?.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect([refused.headers['retry-after'], refused.body.error.retry_after_seconds]).toEqual(['1', 1]);
    expect(await large).toBe(400);
    const { status, body } = await files.send(SMALLEST);
    expect(status).toBe(201);
    await designer.remove(body.id);
  });

  test.each([
    ['no version', 'kind: stancebook.workflow\nname: a', 'schema_version', 1, 1],
    ['another version', 'kind: stancebook.workflow\nschema_version: v2\nname: a', 'schema_version', 2, 17],
    ['a number for it', 'schema_version: 1\nkind: stancebook.workflow\nname: a', 'schema_version', 1, 17],
    ['another kind', 'schema_version: v1\nkind: other.workflow\nname: a', 'kind', 2, 7],
  ])('400 UNSUPPORTED_SCHEMA for %s, with its place', async (_, text, path, line, column) => {
    const { status, body } = await files.send(text);
    expect([status, body.error.code]).toEqual([400, 'UNSUPPORTED_SCHEMA']);
    expect(body.error.details).toEqual([{ path, message: expect.stringMatching(/^must be /), line, column }]);
    expect(body.error.suggestion).toMatch(/schema_version: v1 and kind: stancebook.workflow/);
  });

  test('400 names all unknown nodes at once, with suggestions and their places', async () => {
    const nodes =
      'nodes:\n  - { id: a, node_id: data.bras }\n  - { id: b, node_id: data.bars }\n  - { id: c, node_id: moon.phase }\n';
    const { status, body } = await files.send(`${SMALLEST}${nodes}`);
    expect([status, body.error.code, body.error.details]).toEqual([
      400,
      'VALIDATION_ERROR',
      [
        {
          path: 'nodes.0.node_id',
          message: 'is not known; did you mean data.bars?',
          received: 'data.bras',
          line: 5,
          column: 23,
        },
        {
          path: 'nodes.2.node_id',
          message: 'is not known; GET /api/v1/nodes lists the existing ones',
          received: 'moon.phase',
          line: 7,
          column: 23,
        },
      ],
    ]);
  });

  test('400 for missing and unknown members, with the place of the object', async () => {
    const { status, body } = await files.send(`${HEAD}titel: a\nnodes:\n  - id: a\n`);
    expect([status, body.error.details]).toEqual([
      400,
      [
        { path: 'name', message: expect.stringMatching(/required/), line: 1, column: 1 },
        { path: 'nodes.0.node_id', message: expect.stringMatching(/required/), line: 5, column: 5 },
        { path: 'titel', message: expect.stringMatching(/not known here/), received: 'a', line: 3, column: 8 },
      ],
    ]);
  });

  test('400 with line and column for unsupported YAML', async () => {
    const { status, body } = await files.send(`${HEAD}name: &a x\nsummary: *a`);
    expect([status, body.error]).toMatchObject([
      400,
      {
        code: 'MALFORMED_BODY',
        message: 'The document contains an anchor (&), which is not allowed (line 3, column 10).',
        suggestion: expect.stringMatching(/YAML 1.2/),
        details: [{ line: 3, column: 10 }],
      },
    ]);
  });

  test.each([
    ['a list', '- a'],
    ['a word', 'a'],
    ['a number', '1'],
    ['a comment', '# a'],
  ])('400 for a document that is %s', async (_, text) => {
    const { status, body } = await files.send(text);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('a file of exactly 64 KiB is accepted, one byte more is 413', async () => {
    const full = `${SMALLEST}#`.padEnd(WORKFLOW.importBytes, 'x');
    const { status, body } = await files.send(full);
    expect(status).toBe(201);
    await designer.remove(body.id);
    expect((await files.send(`${full}x`)).status).toBe(413);
  });

  test('400 for bytes that are not UTF-8, 415 for another type, 400 without a body', async () => {
    expect((await files.send(Buffer.from([...Buffer.from(SMALLEST), 0xff]))).body.error.code).toBe('MALFORMED_BODY');
    expect((await files.send('{}', 'application/json')).body.error.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect((await files.send('')).body.error.code).toBe('MALFORMED_BODY');
    expect((await designer.list()).body.total).toBe(0);
  });

  test('429 at the limit of the tier, and nothing is stored', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => designer.made()));
    const { status, body } = await files.send(SMALLEST);
    expect([status, body.error.code]).toEqual([429, 'TIER_LIMIT_REACHED']);
    await Promise.all(ids.map((id) => designer.remove(id)));
  });

  test('403 for the export of another owner’s workflow of any visibility; 404 for an unknown one', async () => {
    const other = await aDesigner(service);
    const { id } = await other.published({ visibility: 'public' });
    expect((await files.yaml(id)).body.error.code).toBe('NOT_OWNER');
    expect((await files.yaml('019c0f2e-6a00-7c3d-9b1e-2f4a5c6d7e8f')).body.error.code).toBe('NOT_FOUND');
  });
});
