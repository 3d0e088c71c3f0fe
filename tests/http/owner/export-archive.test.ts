import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { ownExports } from '../../../application/accounts/export-own-data.ts';
import { bundleOf } from '../../../clients/typescript/bundle.ts';
import { COMMAND_LINE } from '../../../domain/accounts/security-event.ts';
import { runPython } from '../../clients/python/run-python.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import { KEPT_LOG_POLICY } from '../../harness/kept-logs.ts';
import { logAll } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn } from '../../harness/sessions.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';

const PATH = '/api/v1/owner/export';
const EXTRACT = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    print('\\n'.join(z.namelist()))
    z.extractall(sys.argv[2])
`;

describe.each(STORAGES)("an owner's export as an archive on %s", (storage) => {
  const folder = makeThrowawayFolder('export');
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
  });
  afterAll(async () => {
    removeThrowawayFolder(folder);
    await service.close();
  });

  async function anOwnerWith(decisions: number) {
    const owner = await anOwnerLoggedIn(service);
    const agent = await anAgentAt(service, { mate: owner });
    // Readline of Node.js 24 ends a line at U+2028.
    const meta = { n: 1.0, note: 'above\u2028below' };
    for (let each = 0; each < decisions; each += 1) await agent.submit({ ...aPastCall(9 - each), meta });
    await service.settle();
    await logAll(service);
    await service.arrange.advance(1_000);
    return owner;
  }

  const get = (cookie: string, format: string) =>
    request(service.app).get(`${PATH}?format=${format}`).set({ cookie }).responseType('arraybuffer');

  /** The lines of a file of JSON lines. */
  const linesIn = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));

  test("has the same as the lines, by Python's zipfile, and receipts that the verifier accepts offline", async () => {
    const { cookie, owner_id } = await anOwnerWith(3);
    const { status, headers, body } = await get(cookie, 'zip');
    expect([status, headers['content-type']]).toEqual([200, 'application/zip']);
    expect(headers['content-disposition']).toBe('attachment; filename="stancebook-export.zip"');
    const [path, unpacked] = [join(folder, 'export.zip'), join(folder, 'unpacked')];
    writeFileSync(path, body);
    mkdirSync(unpacked, { recursive: true });
    const { stdout, stderr } = await runPython(['-c', EXTRACT, path, unpacked]);
    expect([stderr, stdout.trimEnd().split('\n')]).toEqual([
      '',
      [
        ...['README.md', 'unpack-receipts.mjs', 'account.json', 'security-events.jsonl'],
        ...['decisions.jsonl', 'receipts.jsonl', 'counts.json'],
      ],
    ]);
    const text = (name: string) => readFileSync(join(unpacked, name), 'utf8');

    const lines = linesIn((await get(cookie, 'jsonl')).body.toString());
    const typed = (type: string) => lines.filter((line) => line.type === type);
    expect(text('README.md')).toContain(owner_id);
    const { version, exported_at, ...account } = JSON.parse(text('account.json'));
    expect([version, account.owner_id, exported_at]).toEqual([1, owner_id, expect.any(String)]);
    for (const table of ['owner', 'agents', 'api_keys', 'sessions']) {
      expect([table, account[table].length]).toEqual([table, typed(table).length]);
    }
    expect(account.agents).toEqual(typed('agents').map(({ row }) => row));
    const bytesOf = (type: string) => typed(type).length;
    expect(linesIn(text('decisions.jsonl'))).toEqual(typed('decision').map(({ decision }) => decision));
    expect(linesIn(text('receipts.jsonl'))).toEqual(typed('receipt').map(({ type: _, ...receipt }) => receipt));
    expect(bytesOf('receipt')).toBe(6);
    expect(linesIn(text('security-events.jsonl'))[0]).toMatchObject({ kind: 'data_exported', subject: 'zip' });
    const { security_event: _, ...counts } = JSON.parse(text('counts.json'));
    const { security_event: __, ...counted } = lines.at(-1).counts;
    expect(counts).toEqual(counted);

    writeFileSync(join(unpacked, 'policy'), KEPT_LOG_POLICY);
    writeFileSync(
      join(unpacked, 'verify.mjs'),
      bundleOf(join(import.meta.dirname, '../../../clients/typescript/verify.ts')),
    );
    const env = { PATH: `${join(process.execPath, '..')}:${process.env.PATH}` };
    const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(text('README.md')) ?? [];
    expect(commands).toContain('verify.mjs');
    const verified = execFileSync('sh', ['-ec', commands], { cwd: unpacked, encoding: 'utf8', env });
    expect(verified).not.toContain('FAILS');
    expect(verified.match(/^ {2}holds +signature/gm)).toHaveLength(6);
    expect(verified.match(/^ {2}holds +bars/gm)).toHaveLength(3);
    const [first = ''] = readdirSync(join(unpacked, 'receipts'));
    const proof = join(unpacked, 'receipts', first);
    writeFileSync(proof, readFileSync(proof, 'utf8').replace(/^index \d+/m, 'index 0'));
    expect(spawnSync('sh', ['-ec', commands.replace(/^node unpack.*\n/m, '')], { cwd: unpacked, env }).status).not.toBe(
      0,
    );
  });

  test('ends its reading when the client goes away, and frees its place', async () => {
    const { owner_id } = await anOwnerWith(1);
    const exportOf = ownExports(service.ports);
    const wanted = { owner_id, format: 'zip', source: COMMAND_LINE, network: '192.0.2.1' } as const;
    const begun = exportOf(wanted);
    await begun.next();
    await expect(exportOf(wanted).next()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    await begun.return(undefined);
    const freed = exportOf(wanted);
    expect((await freed.next()).done).toBe(false);
    await freed.return(undefined);
  });

  test('is cut off without its end when the account is removed meanwhile', async () => {
    const { owner_id } = await anOwnerWith(1);
    const bytes = ownExports(service.ports)({ owner_id, format: 'zip', source: COMMAND_LINE, network: '192.0.2.1' });
    await service.operators.ownerAdministration.remove(owner_id);
    await expect(buffer(bytes as AsyncGenerator<Uint8Array>)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
