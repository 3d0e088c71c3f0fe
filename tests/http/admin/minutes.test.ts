import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { durationTally, noteMinute } from '../../../infrastructure/background/service-minutes.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, cookieOf, logIn, NO_RATE_LIMITS } from '../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:02.000Z');

describe.each(STORAGES)('the figures of minutes on %s', (storage) => {
  let service: TestService;
  let cookie: string;
  let email: string;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: NO_RATE_LIMITS });
    ({ email } = await anOwnerLoggedIn(service));
    await changeRole(service.operators, email, 'admin', 'ada (test)');
    cookie = cookieOf(await logIn(service, email));
  });
  afterAll(() => service.close());

  const minutes = async () => {
    const { status, body } = await request(service.app).get('/api/v1/admin/minutes').set({ cookie });
    expect(status).toBe(200);
    return body.minutes;
  };
  /** What a process writes just after the end of a minute. */
  const note = (durations: readonly number[], free: number | null = null) => {
    const tally = durationTally();
    for (const duration_ms of durations) tally.served({ duration_ms });
    return noteMinute(service.ports, tally.take(), free);
  };

  test('two processes are one minute, the one that has just ended; the next one has what came since', async () => {
    await note([3, 3, 3], 5_000_000_000);
    await note([600], 4_000_000_000);
    expect(await minutes()).toEqual([
      {
        ...{ at: '2026-03-02T11:59:00.000Z', processes: 2, requests: 4, p99_ms: expect.closeTo(980) },
        ...{ disk_free_bytes: 4_000_000_000, due: 0, log_size: null, log_waits_seconds: 0 },
      },
    ]);
    await service.arrange.advance(MINUTE);
    await note([]);
    expect((await minutes()).slice(1)).toEqual([
      {
        ...{ at: '2026-03-02T12:00:00.000Z', processes: 1, requests: 0, p99_ms: null },
        ...{ disk_free_bytes: null, due: 0, log_size: null, log_waits_seconds: 0 },
      },
    ]);
  });

  test('a minute without a process is missing, and what is a day old is not shown', async () => {
    await service.arrange.advance(3 * MINUTE);
    await note([1]);
    expect((await minutes()).map(({ at }: { at: string }) => at.slice(11, 16))).toEqual(['11:59', '12:00', '12:03']);
    await service.arrange.advance(DAY - 3 * MINUTE);
    cookie = cookieOf(await logIn(service, email));
    expect((await minutes()).map(({ at }: { at: string }) => at.slice(11, 16))).toEqual(['12:03']);
  });

  test('a tally gives each reply once', () => {
    const tally = durationTally();
    tally.served({ duration_ms: 1 });
    expect(tally.take().reduce((sum, count) => sum + count)).toBe(1);
    expect(tally.take().reduce((sum, count) => sum + count)).toBe(0);
  });
});
