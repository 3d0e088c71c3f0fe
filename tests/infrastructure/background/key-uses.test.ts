import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { KeyUse } from '../../../domain/accounts/keys/api-key.ts';
import { MINUTE } from '../../../domain/time.ts';
import { noteKeyUses } from '../../../infrastructure/background/key-uses.ts';
import { aKeyHolder } from '../../harness/api-keys.ts';
import { openService, STORAGES } from '../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const plus = (millis: number) => new Date(AT.getTime() + millis);

const used = (...keys: readonly string[]): readonly KeyUse[] =>
  keys.map((key_prefix) => ({ key_prefix, network: 'of 192.0.2.1' }));

describe('the use of keys', () => {
  function recorder(fail = false) {
    const noted: (readonly KeyUse[])[] = [];
    const faults: unknown[] = [];
    const noteUse = async (uses: readonly KeyUse[]) => {
      noted.push(uses);
      await sleep(1);
      if (fail) throw new Error('the database is gone');
    };
    return {
      noted,
      faults,
      note: noteKeyUses(
        { noteUse },
        (address) => `of ${address}`,
        (fault) => void faults.push(fault),
      ),
    };
  }

  test('is noted once a minute, however many requests there are', async () => {
    const { noted, note } = recorder();
    for (let count = 0; count < 1_000; count += 1) note('a', '192.0.2.1', plus(count));
    await sleep(20);
    expect(noted).toEqual([used('a')]);
    note('a', '192.0.2.1', plus(MINUTE - 1));
    note('a', '192.0.2.1', plus(MINUTE));
    await sleep(20);
    expect(noted).toEqual([used('a'), used('a')]);
  });

  test('from another address is noted at once, with its network', async () => {
    const { noted, note } = recorder();
    for (const from of ['192.0.2.1', '192.0.2.2', null, '192.0.2.2', '192.0.2.1']) {
      note('a', from, AT);
      await sleep(20);
    }
    const networks = noted.flatMap((uses) => uses.map(({ network }) => network));
    expect(networks).toEqual(['of 192.0.2.1', 'of 192.0.2.2', null]);
  });

  test('of keys that come while a statement is under way is one statement', async () => {
    const { noted, note } = recorder();
    for (const key of ['a', 'b', 'c', 'b']) note(key, '192.0.2.1', AT);
    await sleep(20);
    expect(noted).toEqual([used('a'), used('b', 'c')]);
  });

  test('that cannot be noted is reported, and later ones are tried again', async () => {
    const { noted, faults, note } = recorder(true);
    note('a', '192.0.2.1', AT);
    await sleep(20);
    note('b', '192.0.2.1', AT);
    await sleep(20);
    expect([noted, faults.length]).toEqual([[used('a'), used('b')], 2]);
  });
});

describe.each(STORAGES)('the last use of a key, on %s', (storage) => {
  test('is shown to its owner by the minute, whatever the request was', async () => {
    const service = await openService(storage, { at: AT });
    const holder = await aKeyHolder(service);
    const { api_key, key_prefix } = (await holder.create()).body;
    const unused = (await holder.create()).body;
    const use = (path: string) => request(service.app).get(path).set('X-API-Key', api_key);
    const lastUse = async (key = key_prefix) => {
      const { items } = (await holder.list()).body;
      return items.find((item: { key_prefix: string }) => item.key_prefix === key).last_used_at;
    };
    const lastNetwork = async () =>
      (await holder.list()).body.items.find((item: { key_prefix: string }) => item.key_prefix === key_prefix)
        .last_used_network;
    const becomes = async (at: Date) => {
      while ((await lastUse()) !== at.toISOString()) await sleep(5);
    };
    await use('/api/v1/public/auth/status');
    await becomes(AT);
    const sessions = await request(service.app).get('/api/v1/owner/auth/sessions').set(holder.headers);
    expect(await lastNetwork()).toBe(sessions.body.items[0].network);
    await service.arrange.advance(MINUTE - 1);
    await use('/api/v1/public/auth/status');
    await sleep(50);
    expect(await lastUse()).toBe(AT.toISOString());
    await service.arrange.advance(1);
    await use('/api/v1/agent/decisions/dec_20260101_00000000');
    await becomes(plus(MINUTE));
    expect(await lastUse(unused.key_prefix)).toBeNull();
    await service.close();
  });
});
