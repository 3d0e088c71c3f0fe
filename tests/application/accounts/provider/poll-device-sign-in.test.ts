import { beforeEach, describe, expect, test } from '@jest/globals';
import { type MemoryStorage, openMemory } from '../../../../adapters/memory/storage.ts';
import { type DevicePoll, pollDeviceSignIn } from '../../../../application/accounts/provider/poll-device-sign-in.ts';
import { startDeviceSignIn } from '../../../../application/accounts/provider/start-device-sign-in.ts';
import type { DeviceAuthorization, Exchange } from '../../../../domain/accounts/device-authorization.ts';
import { DEVICE_FLOW } from '../../../../domain/limits.ts';
import { Problem } from '../../../../domain/problem.ts';
import { MINUTE, SECOND } from '../../../../domain/time.ts';

const START = new Date('2026-03-02T12:00:00.000Z').getTime();
const PENDING: Exchange = { outcome: 'pending' };
const ADA: Exchange = { outcome: 'approved', identity: { issuer: 'https://id.example.com', subject: 'ada' } };

describe('polling a device sign-in', () => {
  let time: number;
  let storage: MemoryStorage;
  /** The codes that the provider was asked about. */
  let asked: string[];
  let next: () => Promise<Exchange>;
  let device_code: string;
  beforeEach(async () => {
    time = START;
    storage = openMemory({ now: () => new Date(time) });
    asked = [];
    next = async () => PENDING;
    ({ device_code } = await startDeviceSignIn(ports()));
  });

  const ports = () => ({ ...storage, deviceAuthorization: provider });
  const provider: DeviceAuthorization = {
    start: async () => ({
      device_code: 'theirs',
      user_code: 'WDJB-MJHT',
      verification_uri: 'https://id.example.com/device',
      verification_uri_complete: null,
      expires_in: 10 * MINUTE,
      interval: null,
    }),
    async exchange(code) {
      asked.push(code);
      return next();
    },
  };
  const pollOnce = (more: Partial<DevicePoll> = {}) => pollDeviceSignIn(ports(), { device_code, ...more });
  /** What a poll is refused with, or the key it gets. */
  const told = async (poll: Promise<unknown> = pollOnce()): Promise<unknown> =>
    poll.catch((error: unknown) => (error instanceof Problem ? error.code : error));

  test('the agent gets a code of ours, and the provider is asked about its own', async () => {
    expect(device_code).toMatch(/^[\w-]{43}$/);
    expect(await told()).toBe('AUTHORIZATION_PENDING');
    expect(asked).toEqual(['theirs']);
  });

  test('a poll before the interval is over does not ask the provider', async () => {
    await told();
    time += 5 * SECOND - 1;
    expect(await told()).toBe('SLOW_DOWN');
    time += 5 * SECOND;
    expect(await told()).toBe('SLOW_DOWN');
    expect(asked).toHaveLength(1);
  });

  test('a fault of the provider gives the lease back, and the code stays', async () => {
    next = () => Promise.reject(new Problem('SERVICE_UNAVAILABLE', 'The provider is down.'));
    expect(await told()).toBe('SERVICE_UNAVAILABLE');
    next = async () => ADA;
    time += 5 * SECOND;
    expect(await told()).toMatchObject({ permission_mode: 'read_write' });
  });

  test('a process that died in the middle keeps others out for the time of its lease', async () => {
    next = () => new Promise(() => undefined);
    void pollOnce();
    await new Promise((resolve) => setImmediate(resolve));
    next = async () => ADA;
    for (time += 5 * SECOND; time < START + DEVICE_FLOW.lease; time += 5 * SECOND) {
      expect(await told()).toBe('AUTHORIZATION_PENDING');
    }
    expect(asked).toHaveLength(1);
    expect(await told()).toMatchObject({ label: 'Device sign-in' });
  });

  test('one whose lease ended while it asked changes nothing by what it comes back with', async () => {
    let comeBack: (found: Exchange) => void = () => undefined;
    next = () =>
      new Promise((resolve) => {
        comeBack = resolve;
      });
    const late = told();
    await new Promise((resolve) => setImmediate(resolve));
    time += DEVICE_FLOW.lease;
    next = async () => ({ outcome: 'denied' });
    expect(await told()).toBe('ACCESS_DENIED');
    comeBack(ADA);
    expect(await late).toBe('ACCESS_DENIED');
  });

  test('an answer that was lost on the way is told as such', async () => {
    next = async () => ({ outcome: 'spent' });
    const poll = pollOnce();
    await expect(poll).rejects.toThrow(/redeemed this sign-in already, and its answer was lost/);
    expect(await told(poll)).toBe('EXPIRED_TOKEN');
  });

  test('an approval that could not be written down is lost with the exchange, and leaves no key', async () => {
    next = async () => ADA;
    const identities = { ...storage.identities, find: () => Promise.reject(new Error('the database is gone')) };
    const failed = pollDeviceSignIn({ ...ports(), identities }, { device_code });
    await expect(failed).rejects.toThrow('the database is gone');
    next = async () => ({ outcome: 'spent' });
    time += 5 * SECOND;
    expect(await told()).toBe('EXPIRED_TOKEN');
  });

  test('a key that could not be issued is issued by the next poll, without asking the provider again', async () => {
    next = async () => ADA;
    const transaction = () => Promise.reject(new Error('the connection broke'));
    await expect(pollDeviceSignIn({ ...ports(), transaction }, { device_code })).rejects.toThrow('connection broke');
    const key = await pollOnce({ agent_name: 'Scout' });
    expect(key).toMatchObject({ label: 'Scout', permission_mode: 'read_write' });
    expect(asked).toHaveLength(1);
    await expect(pollOnce()).rejects.toThrow(/shown only once/);
  });

  test('one identity is one owner, each of whose sign-ins adds an agent', async () => {
    next = async () => ADA;
    const first = await pollOnce({ agent_name: 'Scout' });
    ({ device_code } = await startDeviceSignIn(ports()));
    const second = await pollOnce({ agent_name: 'Scout' });
    expect(second.owner_id).toBe(first.owner_id);
    expect(second.agent_id).not.toBe(first.agent_id);
  });

  test('OAUTH_NOT_CONFIGURED without a provider, whatever the code', async () => {
    const without = { ...ports(), deviceAuthorization: null };
    expect(await told(startDeviceSignIn(without))).toBe('OAUTH_NOT_CONFIGURED');
    expect(await told(pollDeviceSignIn(without, { device_code }))).toBe('OAUTH_NOT_CONFIGURED');
  });
});
