import { beforeEach, describe, expect, test } from '@jest/globals';
import { type MemoryStorage, openMemory } from '../../../../adapters/memory/storage.ts';
import { startDeviceSignIn } from '../../../../application/accounts/provider/device-sign-in.ts';
import { type DevicePoll, pollDeviceSignIn } from '../../../../application/accounts/provider/poll-device-sign-in.ts';
import { ownerOfIdentity } from '../../../../application/accounts/provider/provider-login.ts';
import type { DeviceAuthorization, Exchange } from '../../../../domain/accounts/provider/device-sign-in.ts';
import { DEVICE_FLOW } from '../../../../domain/limits.ts';
import { Problem } from '../../../../domain/problem.ts';
import { MINUTE, SECOND } from '../../../../domain/time.ts';
import { A_CLIENT, ACCOUNT_SETTINGS } from '../../../builders/accounts.ts';

const START = new Date('2026-03-02T12:00:00.000Z').getTime();
const PENDING: Exchange = { outcome: 'pending' };
const IDENTITY = { issuer: 'https://id.example.com', subject: 'ada' };
const ADA = { outcome: 'approved', identity: IDENTITY, has_factor: false } as const satisfies Exchange;

describe('polling a device sign-in', () => {
  let time: number;
  let storage: MemoryStorage;
  /** The codes that the provider was asked about. */
  let askedCodes: string[];
  let next: () => Promise<Exchange>;
  let device_code: string;
  beforeEach(async () => {
    time = START;
    storage = openMemory({ now: () => new Date(time) });
    askedCodes = [];
    next = async () => PENDING;
    ({ device_code } = await startDeviceSignIn(ports()));
  });

  const ports = () => ({ ...storage, ...ACCOUNT_SETTINGS, deviceAuthorization: provider });
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
      askedCodes.push(code);
      return next();
    },
  };
  const pollOnce = (more: Partial<DevicePoll> = {}) => pollDeviceSignIn(ports(), { device_code, ...more }, A_CLIENT);
  /** The code of a poll's refusal, or the key that it gets. */
  const outcomeOf = async (poll: Promise<unknown> = pollOnce()): Promise<unknown> =>
    poll.catch((error: unknown) => (error instanceof Problem ? error.code : error));

  test('the agent gets our own code, and the provider is asked about its own', async () => {
    expect(device_code).toMatch(/^[\w-]{43}$/);
    expect(await outcomeOf()).toBe('AUTHORIZATION_PENDING');
    expect(askedCodes).toEqual(['theirs']);
  });

  test('a poll before the interval is over does not ask the provider', async () => {
    await outcomeOf();
    time += 5 * SECOND - 1;
    expect(await outcomeOf()).toBe('SLOW_DOWN');
    time += 5 * SECOND;
    expect(await outcomeOf()).toBe('SLOW_DOWN');
    expect(askedCodes).toHaveLength(1);
  });

  test('where owners need a second factor, an approval without one ends the sign-in, and no account is opened', async () => {
    const required = { settings: { ...ACCOUNT_SETTINGS.settings, ownerFactorRequired: true } };
    const pollRequired = () => outcomeOf(pollDeviceSignIn({ ...ports(), ...required }, { device_code }, A_CLIENT));
    next = async () => ADA;
    expect(await pollRequired()).toBe('FACTOR_REQUIRED');
    expect(await storage.owners.list(null, 10)).toEqual([]);
    time += 5 * SECOND;
    expect(await pollRequired()).toBe('ACCESS_DENIED');
    ({ device_code } = await startDeviceSignIn(ports()));
    next = async () => ({ ...ADA, has_factor: true });
    expect(await pollRequired()).toMatchObject({ permission_mode: 'read_write' });
  });

  test('a fault of the provider ends the lease, and the code stays', async () => {
    next = () => Promise.reject(new Problem('SERVICE_UNAVAILABLE', 'The provider is down.'));
    expect(await outcomeOf()).toBe('SERVICE_UNAVAILABLE');
    next = async () => ADA;
    time += 5 * SECOND;
    expect(await outcomeOf()).toMatchObject({ permission_mode: 'read_write' });
  });

  test('the lease of a process that died blocks others until it ends', async () => {
    next = () => new Promise(() => undefined);
    void pollOnce();
    await new Promise((resolve) => setImmediate(resolve));
    next = async () => ADA;
    for (time += 5 * SECOND; time < START + DEVICE_FLOW.lease; time += 5 * SECOND) {
      expect(await outcomeOf()).toBe('AUTHORIZATION_PENDING');
    }
    expect(askedCodes).toHaveLength(1);
    expect(await outcomeOf()).toMatchObject({ label: 'Device sign-in' });
  });

  test('a poll whose lease ended while it asked changes nothing by its result', async () => {
    let comeBack: (found: Exchange) => void = () => undefined;
    next = () =>
      new Promise((resolve) => {
        comeBack = resolve;
      });
    const late = outcomeOf();
    await new Promise((resolve) => setImmediate(resolve));
    time += DEVICE_FLOW.lease;
    next = async () => ({ outcome: 'denied' });
    expect(await outcomeOf()).toBe('ACCESS_DENIED');
    comeBack(ADA);
    expect(await late).toBe('ACCESS_DENIED');
  });

  test('a lost reply of the provider is reported as such', async () => {
    next = async () => ({ outcome: 'spent' });
    const poll = pollOnce();
    await expect(poll).rejects.toThrow(/redeemed this sign-in already, and its answer was lost/);
    expect(await outcomeOf(poll)).toBe('EXPIRED_TOKEN');
  });

  test('an approval that could not be stored is lost with the exchange, and makes no key', async () => {
    next = async () => ADA;
    const identities = { ...storage.identities, find: () => Promise.reject(new Error('the database is gone')) };
    const failed = pollDeviceSignIn({ ...ports(), identities }, { device_code }, A_CLIENT);
    await expect(failed).rejects.toThrow('the database is gone');
    next = async () => ({ outcome: 'spent' });
    time += 5 * SECOND;
    expect(await outcomeOf()).toBe('EXPIRED_TOKEN');
  });

  test('RATE_LIMIT_EXCEEDED for a new account where no more may be opened today; the approval is lost', async () => {
    next = async () => ADA;
    const { settings } = ACCOUNT_SETTINGS;
    const none = { ...ports(), settings: { ...settings, limits: { ...settings.limits, accountsPerAddress: 0 } } };
    expect(await outcomeOf(pollDeviceSignIn(none, { device_code }, A_CLIENT))).toBe('RATE_LIMIT_EXCEEDED');
    expect(await storage.owners.list(null, 10)).toEqual([]);
    next = async () => ({ outcome: 'spent' });
    time += 5 * SECOND;
    expect(await outcomeOf()).toBe('EXPIRED_TOKEN');
  });

  test('a key that could not be issued is issued by the next poll, without asking the provider again', async () => {
    next = async () => ADA;
    await ownerOfIdentity(ports(), IDENTITY, A_CLIENT);
    const transaction = () => Promise.reject(new Error('the connection broke'));
    await expect(pollDeviceSignIn({ ...ports(), transaction }, { device_code }, A_CLIENT)).rejects.toThrow(
      'connection broke',
    );
    const key = await pollOnce({ agent_name: 'Scout' });
    expect(key).toMatchObject({ label: 'Scout', permission_mode: 'read_write' });
    expect(askedCodes).toHaveLength(1);
    const again = pollOnce();
    await expect(again).rejects.toThrow(/redeemed already: its API key was issued, and a key is shown only once/);
    expect(await outcomeOf(again)).toBe('EXPIRED_TOKEN');
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
    expect(await outcomeOf(startDeviceSignIn(without))).toBe('OAUTH_NOT_CONFIGURED');
    expect(await outcomeOf(pollDeviceSignIn(without, { device_code }, A_CLIENT))).toBe('OAUTH_NOT_CONFIGURED');
  });
});
