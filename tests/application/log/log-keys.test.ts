import { beforeEach, describe, expect, test } from '@jest/globals';
import { KeyUsed, startNextLog } from '../../../application/log/keep-log.ts';
import { logKeyOf, readPolicy } from '../../../application/log/read-log.ts';
import type { LogKey } from '../../../domain/log/notes/log-key.ts';
import { vkeyText } from '../../../domain/log/notes/note.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { aSigner } from '../../builders/log.ts';
import { aWitnessedLog, policyText, type WitnessedLog } from '../../builders/witnessed-logs.ts';
import { LOG_KEY, logPorts } from '../../harness/kept-logs.ts';

const next = keyOf(2);
const third = keyOf(3);

function keyOf(number: number): LogKey {
  const { key, sign } = aSigner('log.test', undefined, number);
  return { publicKey: key.publicKey, sign, host: 'log.test' };
}

const policyOfKey = (key: LogKey) => policyText({}, 'none', [vkeyText(logKeyOf(key, 'log.test/log/1'))]);

let log: WitnessedLog;
beforeEach(async () => {
  log = aWitnessedLog(null);
  await log.tick();
});

/** Which keys signed the served checkpoint, by policies that know one of them. */
async function signedBy(...keys: readonly LogKey[]): Promise<readonly boolean[]> {
  return Promise.all(keys.map(async (key) => (await log.trust(policyOfKey(key))).signed));
}

const rotate = () => log.change({ logKey: next, previousKey: LOG_KEY });

test('both keys sign for 30 days after the first signature of the new one; then the new one alone', async () => {
  await log.submit();
  rotate();
  await log.tick();
  expect(await signedBy(LOG_KEY, next)).toEqual([true, true]);
  log.advance(30 * DAY - 10 * MINUTE);
  await log.submit();
  await log.tick();
  expect((await log.trust(policyOfKey(next))).checkpoint.size).toBe(3);
  expect(await signedBy(LOG_KEY, next)).toEqual([true, true]);
  log.advance(10 * MINUTE);
  await log.submit();
  await log.tick();
  expect(await signedBy(LOG_KEY, next)).toEqual([false, true]);
  expect((await log.trust(policyOfKey(next))).checkpoint.size).toBe(4);
});

test('the new key signs the present checkpoint as well, and the policy has both keys', async () => {
  rotate();
  await log.tick();
  expect((await log.trust(policyOfKey(next))).checkpoint.size).toBe(1);
  const policy = await readPolicy(log.storage, null);
  expect(policy.match(/^log /gm)).toHaveLength(2);
  expect(await log.trust(policy)).toMatchObject({ signed: true, invalid: [] });
});

test('a restart without the previous key signs by the new key alone', async () => {
  rotate();
  await log.tick();
  log.change({ previousKey: null });
  await log.submit();
  await log.tick();
  expect(await signedBy(LOG_KEY, next)).toEqual([false, true]);
});

describe('a worker that still has the old key alone', () => {
  test('signs during the 30 days, and one with both adds the new signature', async () => {
    rotate();
    await log.tick();
    log.change({ logKey: LOG_KEY, previousKey: null });
    await log.submit();
    await log.tick();
    expect(await signedBy(LOG_KEY, next)).toEqual([true, false]);
    rotate();
    await log.tick();
    expect(await signedBy(LOG_KEY, next)).toEqual([true, true]);
  });

  test('signs nothing afterwards', async () => {
    rotate();
    await log.tick();
    log.advance(30 * DAY);
    log.change({ logKey: LOG_KEY, previousKey: null });
    await expect(log.tick()).rejects.toThrow('Nothing is signed.');
  });
});

test('a key without one that signs already is refused, and leaves no trace', async () => {
  log.change({ logKey: next });
  await expect(log.tick()).rejects.toThrow('LOG_PREVIOUS_KEY_FILE');
  log.change({ logKey: next, previousKey: third });
  await expect(log.tick()).rejects.toThrow('LOG_PREVIOUS_KEY_FILE');
  expect(await log.storage.signatures.keys(1)).toHaveLength(1);
});

test('workers with both keys at once sign the same', async () => {
  rotate();
  for (let i = 0; i < 3; i++) {
    await log.submit();
    await Promise.all([log.tick(), log.tick(), log.tick()]);
  }
  expect(await signedBy(LOG_KEY, next)).toEqual([true, true]);
  expect(await log.storage.signatures.keys(1)).toHaveLength(2);
  expect(await log.storage.signatures.signatures(1, 4)).toHaveLength(1);
});

test('the next log needs a key that signed none, and the policy has the keys of both', async () => {
  rotate();
  await log.tick();
  const ports = logPorts(log.storage, log.lastSeen);
  for (const logKey of [LOG_KEY, next]) await expect(startNextLog({ ...ports, logKey })).rejects.toThrow(KeyUsed);
  await startNextLog({ ...ports, logKey: third });
  log.change({ logKey: third, previousKey: next });
  await log.tick();
  const keys = [logKeyOf(third, 'log.test/log/2'), ...[LOG_KEY, next].map((key) => logKeyOf(key, 'log.test/log/1'))];
  const policy = await readPolicy(log.storage, null);
  expect(policy).toBe(policyText({}, 'none', keys.map(vkeyText)));
  expect(await log.trust(policy, 1)).toMatchObject({ signed: true });
  expect(await log.trust(policy, 2)).toMatchObject({ signed: true });
});

test("the operator's policy is served with the keys of earlier logs that it does not name", async () => {
  await startNextLog({ ...logPorts(log.storage, log.lastSeen), logKey: next });
  const named = policyText({}, 'none', [vkeyText(logKeyOf(next, 'log.test/log/2'))]);
  const earlier = `log ${vkeyText(logKeyOf(LOG_KEY, 'log.test/log/1'))}\n`;
  expect(await readPolicy(log.storage, named)).toBe(`${earlier}${named}`);
  expect(await readPolicy(log.storage, `${earlier}${named}`)).toBe(`${earlier}${named}`);
});

test('and with that of the newest log, as long as it names only those from before', async () => {
  await startNextLog({ ...logPorts(log.storage, log.lastSeen), logKey: next });
  const before = policyText({}, 'none', [vkeyText(logKeyOf(LOG_KEY, 'log.test/log/1'))]);
  const newest = `log ${vkeyText(logKeyOf(next, 'log.test/log/2'))}
`;
  expect(await readPolicy(log.storage, before)).toBe(`${newest}${before}`);
});
