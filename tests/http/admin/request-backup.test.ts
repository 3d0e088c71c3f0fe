import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import type { BackupMaker, BackupOutcome } from '../../../domain/backup.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { aProcess } from '../../builders/processes.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { aPasswordOwner, cookieOf, logIn, NO_RATE_LIMITS, OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const plus = (millis: number) => new Date(AT.getTime() + millis).toISOString();
const MADE: BackupOutcome = { failure: null, bytes: 1_024, pg_dump_version: 99 };

describe.each(STORAGES)('a backup that an operator requests, on %s', (storage) => {
  let service: TestService;
  let cookie: string;
  let owner_id: string;
  /** Ends the backup that is under way. */
  let end: ((outcome: BackupOutcome) => Promise<void>) | null = null;
  let obstacle: Awaited<ReturnType<BackupMaker['obstacle']>> = null;
  const backupMaker: BackupMaker = {
    process: 'a:1',
    obstacle: async () => obstacle,
    async begin(begun, ended) {
      if (end !== null) return false;
      await begun();
      end = ended;
      return true;
    },
  };
  const finish = async (outcome: BackupOutcome) => {
    await end?.(outcome);
    end = null;
  };

  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: NO_RATE_LIMITS, ports: () => ({ backupMaker }) });
    const owner = await aPasswordOwner(service);
    ({ owner_id } = owner);
    await changeRole(service.operators, owner.email ?? '', 'admin', 'ada (test)');
    await service.ports.processes.report(aProcess({ process: 'a:1', started_at: AT }), [], AT);
    cookie = cookieOf(await logIn(service, owner.email ?? ''));
  });
  afterAll(() => service.close());
  beforeEach(() => {
    obstacle = null;
  });

  const press = () =>
    request(service.app)
      .post('/api/v1/admin/backups')
      .set({ cookie, ...OWN_PAGE });
  const backups = async () => (await request(service.app).get('/api/v1/admin/status').set({ cookie })).body.backups;

  test('202, and the status says since when it is made, and that it is made', async () => {
    const nothing = { last_made_at: null, last_checked_at: null, last_check_ok: null, last_failed_at: null };
    expect(await backups()).toEqual({ ...nothing, running_since: null, last_failure: null, obstacle: null });
    const { status, body } = await press();
    expect([status, body]).toEqual([202, { status: 'started' }]);
    expect(await backups()).toMatchObject({ ...nothing, running_since: plus(0) });
    await service.arrange.advance(SECOND);
    await finish(MADE);
    expect(await backups()).toMatchObject({ last_made_at: plus(SECOND), running_since: null, last_failed_at: null });
    expect(await service.ports.audit.list({ actor: owner_id }, 10)).toEqual([
      expect.objectContaining({
        ...{ action: 'backup', subject: 'backup' },
        detail: { request_id: expect.any(String), bytes: 1_024, pg_dump_version: 99 },
      }),
      expect.objectContaining({
        action: 'request_backup',
        detail: { request_id: expect.any(String), process: 'a:1' },
      }),
    ]);
  });

  test('while one is made another request begins none', async () => {
    await press();
    const entries = await service.ports.audit.head();
    expect((await press()).body).toEqual({ status: 'already_running' });
    expect(await service.ports.audit.head()).toEqual(entries);
    await finish(MADE);
  });

  test('why one failed is in the status, also after others', async () => {
    await press();
    await service.arrange.advance(SECOND);
    await finish({ failure: 'no_room' });
    const failed = { last_failed_at: plus(2 * SECOND), last_failure: 'no_room' };
    expect(await backups()).toMatchObject({ last_made_at: plus(SECOND), running_since: null, ...failed });
    await service.arrange.advance(SECOND);
    await press();
    expect(await backups()).toMatchObject({ running_since: plus(3 * SECOND), ...failed });
    await finish(MADE);
    expect(await backups()).toMatchObject({ last_made_at: plus(3 * SECOND), ...failed });
  });

  test('one whose process is gone is not made any more', async () => {
    await press();
    const lost = { running_since: null, last_failed_at: plus(3 * SECOND), last_failure: 'process_lost' };
    await service.ports.processes.end('a:1', []);
    expect(await backups()).toMatchObject(lost);
    const later = new Date(AT.getTime() + 4 * SECOND);
    await service.ports.processes.report(aProcess({ process: 'a:1', started_at: later }), [], later);
    expect(await backups()).toMatchObject(lost);
    end = null;
  });

  test.each([
    ['no_folder', 'BACKUP_DIR names no folder for backups.'],
    ['folder_unusable', 'The folder of BACKUP_DIR is not there, or cannot be written to.'],
    ['no_pg_dump', 'There is no pg_dump that fits the server of the database.'],
    ['no_connection', 'The database cannot be reached as the owner of its schema.'],
  ] as const)('503 where %s, and the status says so', async (found, message) => {
    obstacle = found;
    const { status, body } = await press();
    expect([status, body.error.code, body.error.message]).toEqual([503, 'BACKUP_NOT_CONFIGURED', message]);
    expect(body.error.suggestion).toContain('npm run admin -- backup DIR');
    expect(await backups()).toMatchObject({ obstacle: found });
    expect(end).toBeNull();
  });

  test('401 an hour after the login, and nothing begins', async () => {
    const before = await service.ports.audit.head();
    await service.arrange.advance(HOUR + MINUTE);
    const { status, body } = await press();
    expect([status, body.error.code]).toEqual([401, 'REAUTHENTICATION_REQUIRED']);
    expect([end, await service.ports.audit.head()]).toEqual([null, before]);
  });
});
